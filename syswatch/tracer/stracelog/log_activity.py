"""Adds up the calls of a log by process, object and name, and estimates how long they waited."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import repeat
from operator import itemgetter

import attrs

from syswatch.model.activity import ActivityKey, Objects, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Calls, Delta
from syswatch.model.histogram import Histogram, bucket_of
from syswatch.model.ledger import Ledger
from syswatch.model.objects import ObjectInfo
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.waits import WaitTally
from syswatch.tracer.objects.targets import Moved, target_of

from .estimated_waits import LEAST_WAIT_NS, WORK_NS, may_wait
from .line_format import DURATION, ERRNO, PATH, RESULT, Row
from .log_clock import nanoseconds
from .log_groups import GroupKey
from .log_objects import LogObjects
from .thread_clocks import ThreadClocks

_ERRNO_AND_DURATION = itemgetter(ERRNO, DURATION)
_PATH_AND_RESULT = itemgetter(PATH, ERRNO, DURATION)
# So many rows are kept before they are counted; more of them would not stay in the CPU's cache.
_MOST_ROWS = 3000
_MOST_SUMS = 20_000
# So few results are not worth a table.
_FEW = 4
_ONCE = repeat(1)
# The errno and the duration, and how often they occur.
_Result = tuple[tuple[bytes, bytes], int]


class _RowSums:
    """The running values of `Sums`."""

    __slots__ = ("buckets", "bytes_in", "bytes_out", "count", "errors", "total_ns", "waiting_ns")

    def __init__(self) -> None:
        self.count = self.errors = self.bytes_in = self.bytes_out = 0
        self.total_ns = self.waiting_ns = 0
        # The waits by their lengths.
        self.buckets: dict[int, int] = {}

    def add(self, results: Iterable[_Result], only: str, *, may_wait: bool) -> None:
        """Add calls, each different result with its number."""
        for (errno, duration), times in results:
            if only and bool(errno) != (only == "failed"):
                continue
            self.count += times
            if errno:
                self.errors += times
            if duration:
                duration_ns = nanoseconds(duration)
                self.total_ns += duration_ns * times
                if may_wait and duration_ns > LEAST_WAIT_NS:
                    waiting_ns = duration_ns - WORK_NS
                    self.waiting_ns += waiting_ns * times
                    bucket = bucket_of(waiting_ns)
                    self.buckets[bucket] = self.buckets.get(bucket, 0) + times

    @property
    def waits(self) -> int:
        return sum(self.buckets.values())

    @property
    def is_empty(self) -> bool:
        return not (self.count or self.bytes_in or self.bytes_out)

    def freeze(self) -> Sums:
        return Sums(
            count=self.count,
            errors=self.errors,
            bytes_in=self.bytes_in,
            bytes_out=self.bytes_out,
            working_ns=self.total_ns - self.waiting_ns,
            waiting_ns=self.waiting_ns,
            waits=self.waits,
        )


@attrs.define
class LogActivity:
    """
    Counts what `LogObjects` has collected; `only` is the option to count calls by their result.

    Threads of a log have PIDs of their own, so each is a process here, as everywhere in a log.
    """

    objects: LogObjects
    only: str = ""
    redact: Callable[[str], str] = str
    clocks: ThreadClocks = attrs.field(factory=ThreadClocks)
    _sums: dict[GroupKey, _RowSums] = attrs.field(factory=lambda: defaultdict(_RowSums), init=False)
    # Objects that were seen, but are not in any row yet.
    _unsent: dict[int, ObjectInfo] = attrs.field(factory=dict, init=False)
    _collected: int = attrs.field(default=0, init=False)

    @property
    def is_crowded(self) -> bool:
        """Return whether there are so many sums that they should be taken early."""
        return len(self._sums) > _MOST_SUMS

    def note_rows(self, count: int) -> None:
        """Note how many rows were collected; count them from time to time."""
        self._collected += count
        if self._collected > _MOST_ROWS and self._collected > self.objects.groups.count:
            self.count_rows()

    def count_rows(self) -> None:
        """Count all rows that were collected."""
        self._collected = 0
        for key, rows in self.objects.groups.rows.items():
            if rows:
                self._count_group(key, rows)
                rows.clear()
        for group in self.objects.groups.take_paths():
            self._count_paths(*group)
        for key, (bytes_in, bytes_out) in self.objects.groups.extra.items():
            sums = self._sums[key]
            sums.bytes_in += bytes_in
            sums.bytes_out += bytes_out
        self.objects.groups.extra.clear()
        if self.objects.groups.is_crowded:
            self.objects.drop_groups()

    def _count_group(self, key: GroupKey, rows: list[Row]) -> None:
        sums, name = self._sums[key], key[2]
        results = map(_ERRNO_AND_DURATION, rows)
        # Most groups are small.
        counted = (
            Counter(results).items() if len(rows) > _FEW else zip(results, _ONCE, strict=False)
        )
        sums.add(counted, self.only, may_wait=may_wait(name))
        moved = target_of(name).moved
        if moved and Moved.MESSAGES not in moved and self.only != "failed":
            total = sum(_bytes_moved(row[RESULT]) for row in rows if not row[ERRNO])
            if Moved.IN in moved:
                sums.bytes_in += total
            else:
                sums.bytes_out += total

    def _count_paths(self, pid: int, name: str, directory: bytes, rows: list[Row]) -> None:
        """Count calls on paths, each different one once."""
        waits = may_wait(name)
        for (path, errno, duration), times in Counter(map(_PATH_AND_RESULT, rows)).items():
            sums = self._sums[pid, self.objects.path_in(directory, path), name]
            sums.add((((errno, duration), times),), self.only, may_wait=waits)

    def add_to(self, delta: Delta) -> Delta:
        """Return a delta with everything that was counted since the last time."""
        self.count_rows()
        # The filter may have left out all calls of a group.
        taken = {key: sums for key, sums in self._sums.items() if not sums.is_empty}
        self._sums = defaultdict(_RowSums)
        known = self.objects.processes.known
        by_call, by_process, by_object = _waits(taken)
        return attrs.evolve(
            delta,
            calls=_with_waits(delta.calls, by_call),
            by_process={
                pid: _with_waits(calls, by_process.get(pid, {}))
                for pid, calls in delta.by_process.items()
            },
            activity={
                ActivityKey(pid, pid, found, name): sums.freeze()
                for (pid, found, name), sums in taken.items()
            },
            objects=self._used_objects(taken),
            object_waits=by_object,
            threads=self._threads(taken),
            ledger=delta.ledger
            + Ledger(
                untracked_objects=known.take_untracked(),
                estimated_waits=sum(each.count for each in by_call.values()),
            ),
        )

    def _used_objects(self, taken: Iterable[GroupKey]) -> Objects:
        """Return the descriptions that are new, and needed for some rows."""
        self._unsent.update(self.objects.known.take())
        used = {found for _, found, _ in taken}
        return {each: self._unsent.pop(each) for each in used if each in self._unsent}

    def _threads(self, taken: Mapping[GroupKey, _RowSums]) -> Mapping[int, ThreadTally]:
        elapsed = self.clocks.take()
        by_pid: dict[int, list[tuple[GroupKey, _RowSums]]] = {pid: [] for pid in elapsed}
        for key, sums in taken.items():
            by_pid.setdefault(key[0], []).append((key, sums))
        return {pid: self._thread(pid, rows, elapsed.get(pid, 0)) for pid, rows in by_pid.items()}

    def _thread(
        self, pid: int, rows: list[tuple[GroupKey, _RowSums]], elapsed_ns: int
    ) -> ThreadTally:
        in_calls_ns = sum(sums.total_ns for _, sums in rows)
        waiting = {Wait(key[1], key[2]): sums.waiting_ns for key, sums in rows if sums.waiting_ns}
        return ThreadTally(
            pid=pid,
            comm=self.redact(self.objects.processes.owner(pid).comm),
            times=ThreadTimes(
                # What a thread does between two calls is not in the log.
                user_ns=max(elapsed_ns - in_calls_ns, 0),
                working_ns=in_calls_ns - sum(waiting.values()),
                waiting=waiting,
            ),
            calls=sum(sums.count for _, sums in rows),
            errors=sum(sums.errors for _, sums in rows),
        )


@lru_cache(maxsize=65536)
def _bytes_moved(result: bytes) -> int:
    """Return the number of bytes in a result; a damaged line may have anything there."""
    return max(int(result), 0) if result.lstrip(b"-").isdigit() else 0


def _waits(
    taken: Mapping[GroupKey, _RowSums],
) -> tuple[dict[str, WaitTally], dict[int, dict[str, WaitTally]], dict[int, Histogram]]:
    """Return the waits by call, by process and call, and by object."""
    by_call: dict[str, WaitTally] = {}
    by_process: dict[int, dict[str, WaitTally]] = {}
    by_object: dict[int, Histogram] = {}
    for (pid, found, name), sums in taken.items():
        if sums.buckets:
            histogram = Histogram(sums.buckets)
            tally = WaitTally(sums.waits, sums.waiting_ns, 0, histogram)
            by_call[name] = by_call.get(name, WaitTally()) + tally
            calls = by_process.setdefault(pid, {})
            calls[name] = calls.get(name, WaitTally()) + tally
            by_object[found] = by_object.get(found, Histogram()) + histogram
    return by_call, by_process, by_object


def _with_waits(calls: Calls, waits: Mapping[str, WaitTally]) -> Mapping[str, CallTally]:
    return {
        name: attrs.evolve(tally, waits=waits[name]) if name in waits else tally
        for name, tally in calls.items()
    }
