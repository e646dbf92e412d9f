"""Running sums of calls, which become a delta at each flush."""

from collections import defaultdict
from collections.abc import Callable, Mapping

import attrs

from syswatch.base.classes import define
from syswatch.model.calls import CallTally, total_of
from syswatch.model.delta import PATH_BYTES, TRACKED_PATHS, TRACKED_PROCESSES, Calls, Delta
from syswatch.model.ledger import Ledger
from syswatch.model.process import ProcessTally
from syswatch.model.times import LONGEST_NS
from syswatch.model.window import SecondTotals, Window

from .sums import CallSums, ProcessSums

# The kernel gives no process a higher PID.
_HIGHEST_PID = 1 << 22


@define
class PidSet:
    """A set of PIDs with one bit for each: half a megabyte at most."""

    _bits: bytearray = attrs.field(factory=bytearray, init=False)

    def add(self, pid: int) -> bool:
        """Add a PID; return whether it is new and possible."""
        if not 0 <= pid <= _HIGHEST_PID:
            return False
        byte, bit = pid >> 3, 1 << (pid & 7)
        if byte >= len(self._bits):
            self._bits.extend(bytes(byte + 1 - len(self._bits)))
        is_new = not self._bits[byte] & bit
        self._bits[byte] |= bit
        return is_new


@define
class Collector:
    """Counts calls until the next flush."""

    per_process: bool = False
    redact: Callable[[str], str] = str
    _sums: dict[tuple[int, str], CallSums] = attrs.field(
        factory=lambda: defaultdict(CallSums), init=False
    )
    _seconds: dict[tuple[int, str], list[int]] = attrs.field(
        factory=lambda: defaultdict(_nothing), init=False
    )
    _paths: dict[str, int] = attrs.field(factory=dict, init=False)
    _failed_paths: dict[str, int] = attrs.field(factory=dict, init=False)
    _ledger: dict[str, int] = attrs.field(factory=lambda: defaultdict(int), init=False)
    _processes: dict[int, ProcessSums] = attrs.field(
        factory=lambda: defaultdict(ProcessSums), init=False
    )
    _pids: PidSet = attrs.field(factory=PidSet, init=False)

    @property
    def is_crowded(self) -> bool:
        """Return whether there are so many sums that they should be taken early."""
        fullest = max(len(self._sums), len(self._seconds), len(self._processes))
        return fullest > TRACKED_PROCESSES

    def sums_of(self, pid: int, name: str) -> CallSums:
        """
        Return the sums of a name, which may be updated directly until the next `take`.

        For a tracer that counts each call as it happens and takes the sums at the end of a second:
        it needs neither to look the sums up nor to know the second at every call.
        """
        return self._sums[pid, name]

    def begin(self, pid: int, *, parent: int = 0, comm: str = "") -> None:
        """Count a new process, which may have a PID that was used before."""
        self._pids.add(pid)
        process = self._processes[pid]
        process.begin()
        process.describe(parent, self.redact(comm), "")

    def describe(self, pid: int, *, parent: int = 0, comm: str = "", ending: str = "") -> None:
        """Store what is known of a process besides its calls."""
        self._processes[pid].describe(parent, self.redact(comm), ending)

    def meets(self, pid: int) -> bool:
        """Add a process; return whether its PID is new."""
        return self._pids.add(pid)

    def meet(self, pid: int) -> None:
        """Add a process, and count it if its PID is new."""
        if self.meets(pid):
            self._processes[pid].begin()

    def count(  # noqa: PLR0913  one argument for each property of a call
        self,
        pid: int,
        name: str,
        errno: str,
        duration_ns: int | None,
        second: int | None,
        times: int = 1,
    ) -> None:
        """Count a call that returned; times that are None are counted in the ledger."""
        self._sums[pid, name].add(errno, duration_ns, times)
        if duration_ns is None:
            self._ledger["untimed_calls"] += times
        if second is None:
            self._ledger["undated_calls"] += times
            return
        errors = times if errno else 0
        self.count_second(second, name, times, errors, (duration_ns or 0) * times)

    def count_second(self, second: int, name: str, count: int, errors: int, total_ns: int) -> None:
        """Add calls to those of a second only."""
        moment = self._seconds[second, name]
        moment[0] += count
        moment[1] += errors
        moment[2] += total_ns

    def count_path(self, path: str, times: int = 1, *, failed: bool) -> None:
        """Count calls that opened a path or failed to."""
        path = cut(path)
        if path in self._paths or len(self._paths) < TRACKED_PATHS:
            self._paths[path] = self._paths.get(path, 0) + times
            if failed:
                self._failed_paths[path] = self._failed_paths.get(path, 0) + times
        else:
            self._ledger["untracked_paths"] += times

    def note(self, entry: str, times: int = 1) -> None:
        """Add to an entry of the ledger."""
        self._ledger[entry] += times

    def take(self, second: int | None = None) -> Delta:
        """
        Return everything counted since the last time, and start again from zero.

        With `second`, all calls are counted in that second.
        """
        tallies = {key: sums.freeze() for key, sums in self._sums.items()}
        calls = _by_name(tallies)
        delta = Delta(
            calls=calls,
            by_process=_by_process(tallies) if self.per_process else {},
            processes=self._process_tallies(tallies),
            paths=self._paths,
            failed_paths=self._failed_paths,
            window=_window(self._seconds) if second is None else _one_second(second, calls),
            ledger=Ledger(**self._ledger),
        )
        self._sums = defaultdict(CallSums)
        self._seconds = defaultdict(_nothing)
        self._paths = {}
        self._failed_paths = {}
        self._ledger = defaultdict(int)
        self._processes = defaultdict(ProcessSums)
        return delta

    def _process_tallies(self, tallies: "Tallies") -> Mapping[int, ProcessTally]:
        for (pid, _), tally in tallies.items():
            self._processes[pid].add(tally)
        for pid, process in self._processes.items():
            # Not by begin(), which would clear an ending that is already known.
            if self._pids.add(pid):
                process.lives = 1
        return {pid: sums.freeze() for pid, sums in self._processes.items()}


def _nothing() -> list[int]:
    """Return the count, the errors and the time of no call; named, so that it can be pickled."""
    return [0, 0, 0]


Tallies = Mapping[tuple[int, str], CallTally]


def _by_name(tallies: Tallies) -> Calls:
    calls: dict[str, list[CallTally]] = defaultdict(list)
    for (_, name), tally in tallies.items():
        calls[name].append(tally)
    return {name: total_of(each) for name, each in calls.items()}


def _by_process(tallies: Tallies) -> Mapping[int, Calls]:
    processes: dict[int, dict[str, CallTally]] = defaultdict(dict)
    for (pid, name), tally in tallies.items():
        processes[pid][name] = tally
    return processes


def _window(seconds: Mapping[tuple[int, str], list[int]]) -> Window:
    window: dict[int, dict[str, SecondTotals]] = defaultdict(dict)
    for (second, name), (count, errors, total_ns) in seconds.items():
        window[second][name] = SecondTotals(count, errors, min(total_ns, LONGEST_NS))
    return Window.newest(window)


def _one_second(second: int, calls: Calls) -> Window:
    moments = {
        name: SecondTotals(tally.count, tally.errors, tally.total_ns)
        for name, tally in calls.items()
    }
    return Window({second: moments} if moments else {})


def cut(path: str) -> str:
    """Cut a path to the length that is tracked, between two characters."""
    if len(path) <= PATH_BYTES and path.isascii():
        return path
    encoded = path.encode()
    if len(encoded) <= PATH_BYTES:
        return path
    return encoded[:PATH_BYTES].decode(errors="ignore")
