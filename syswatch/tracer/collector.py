"""The tracer's own running sums, which become a delta at each flush."""

from collections import defaultdict
from collections.abc import Callable, Mapping

import attrs

from syswatch.model.calls import CallTally
from syswatch.model.delta import PATH_BYTES, TRACKED_PATHS, TRACKED_PROCESSES, Calls, Delta
from syswatch.model.ledger import Ledger
from syswatch.model.process import ProcessTally
from syswatch.model.times import LONGEST_NS
from syswatch.model.window import SecondTotals, Window

from .known_processes import SeenProcesses
from .sums import CallSums, ProcessSums


@attrs.define
class Collector:
    """Counts calls until the next flush; the same for every kind of tracer."""

    per_process: bool = False
    redact: Callable[[str], str] = str
    _sums: dict[tuple[int, str], CallSums] = attrs.field(
        factory=lambda: defaultdict(CallSums), init=False
    )
    _seconds: dict[tuple[int, str], list[int]] = attrs.field(
        factory=lambda: defaultdict(lambda: [0, 0, 0]), init=False
    )
    _paths: dict[str, int] = attrs.field(factory=dict, init=False)
    _failed_paths: dict[str, int] = attrs.field(factory=dict, init=False)
    _ledger: dict[str, int] = attrs.field(factory=lambda: defaultdict(int), init=False)
    _processes: dict[int, ProcessSums] = attrs.field(
        factory=lambda: defaultdict(ProcessSums), init=False
    )
    _seen: SeenProcesses = attrs.field(factory=SeenProcesses, init=False)

    @property
    def is_crowded(self) -> bool:
        """Return whether there are so many sums that they should be taken before they are due."""
        fullest = max(len(self._sums), len(self._seconds), len(self._processes))
        return fullest > TRACKED_PROCESSES

    def sums_of(self, pid: int, name: str) -> CallSums:
        """
        Return the sums of a name, to be added to until the next `take`.

        For a tracer that counts each call as it happens and can take the sums at the end of a
        second: it needs neither the search for the sums nor the second at every call.
        """
        return self._sums[pid, name]

    def begin(self, pid: int, *, parent: int = 0, comm: str = "") -> None:
        """Take note of a process that is not the one which may have had its number before."""
        self._seen.meet(pid)
        process = self._processes[pid]
        process.begin()
        process.describe(parent, self.redact(comm), "")

    def describe(self, pid: int, *, parent: int = 0, comm: str = "", ending: str = "") -> None:
        """Note what is known of a process besides its calls."""
        self._processes[pid].describe(parent, self.redact(comm), ending)

    def meets(self, pid: int) -> bool:
        """Take note of a process; return whether it is met for the first time."""
        return self._seen.meet(pid)

    def meet(self, pid: int) -> None:
        """Take note of a process that may be the one which had its number before."""
        if self.meets(pid):
            self._processes[pid].begin()

    def count(  # noqa: PLR0913  one argument for each thing that is known of a call
        self,
        pid: int,
        name: str,
        errno: str,
        duration_ns: int | None,
        second: int | None,
        times: int = 1,
    ) -> None:
        """Count a call that returned; unknown times are None and go to the ledger."""
        self._sums[pid, name].add(errno, duration_ns, times)
        if duration_ns is None:
            self._ledger["untimed_calls"] += times
        if second is None:
            self._ledger["undated_calls"] += times
            return
        moment = self._seconds[second, name]
        moment[0] += times
        if errno:
            moment[1] += times
        if duration_ns is not None:
            moment[2] += duration_ns * times

    def count_path(self, path: str, times: int = 1, *, failed: bool) -> None:
        """Count the calls that opened a path, or failed to."""
        path = cut(path)
        if path in self._paths or len(self._paths) < TRACKED_PATHS:
            self._paths[path] = self._paths.get(path, 0) + times
            if failed:
                self._failed_paths[path] = self._failed_paths.get(path, 0) + times
        else:
            self._ledger["untracked_paths"] += times

    def note(self, entry: str, times: int = 1) -> None:
        """Write into the ledger, by the name of the entry."""
        self._ledger[entry] += times

    def take(self, second: int | None = None) -> Delta:
        """
        Return everything counted since the last time, and begin anew.

        With `second`, all of it happened in that second.
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
        self._seconds = defaultdict(lambda: [0, 0, 0])
        self._paths = {}
        self._failed_paths = {}
        self._ledger = defaultdict(int)
        self._processes = defaultdict(ProcessSums)
        return delta

    def _process_tallies(self, tallies: "Tallies") -> Mapping[int, ProcessTally]:
        for (pid, _), tally in tallies.items():
            self._processes[pid].add(tally)
        for pid, process in self._processes.items():
            # Not begun only now: how it ended may be known already.
            if self._seen.meet(pid):
                process.lives = 1
        return {pid: sums.freeze() for pid, sums in self._processes.items()}


Tallies = Mapping[tuple[int, str], CallTally]


def _by_name(tallies: Tallies) -> Calls:
    calls: dict[str, CallTally] = {}
    for (_, name), tally in tallies.items():
        calls[name] = calls[name] + tally if name in calls else tally
    return calls


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
    """Shorten a path to what is tracked, between two characters."""
    encoded = path.encode()
    if len(encoded) <= PATH_BYTES:
        return path
    return encoded[:PATH_BYTES].decode(errors="ignore")
