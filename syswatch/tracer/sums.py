"""Running sums of the calls of one name in one process, and of all calls of a process."""

from collections import Counter
from collections.abc import Mapping

from syswatch.model.calls import CallTally
from syswatch.model.histogram import Histogram, bucket_of
from syswatch.model.process import ProcessTally
from syswatch.model.times import LONGEST_NS
from syswatch.model.waits import NO_WAITS, WaitTally


def sum_up_in_python(durations: list[int], /) -> tuple[int, int, int, dict[int, int]]:
    """Return the total, the least, the most, and the buckets of a list of durations."""
    buckets = Counter(map(bucket_of, durations))
    return sum(durations), min(durations), max(durations), buckets


try:
    from .duration_sums import sum_up
except ImportError:
    sum_up = sum_up_in_python


class CallSums:
    """The running values of a CallTally."""

    __slots__ = (
        "buckets",
        "count",
        "durations",
        "errnos",
        "errors",
        "max_ns",
        "min_ns",
        "ready_ns",
        "total_ns",
        "wait_buckets",
        "waiting_ns",
        "waits",
    )

    def __init__(self) -> None:
        self.count = 0
        self.errors = 0
        self.total_ns = 0
        self.min_ns = 0
        self.max_ns = 0
        self.buckets: dict[int, int] = {}
        self.errnos: dict[str, int] = {}
        # Of calls that succeeded, appended by the hot path and counted by `freeze`.
        self.durations: list[int] = []
        # Of the calls that waited; ready without a CPU may be any call.
        self.waits = 0
        self.waiting_ns = 0
        self.wait_buckets: dict[int, int] = {}
        self.ready_ns = 0

    def add(self, errno: str, duration_ns: int | None, times: int = 1) -> None:
        """Count `times` calls that returned."""
        self.count += times
        if errno:
            self.errors += times
            self.errnos[errno] = self.errnos.get(errno, 0) + times
        if duration_ns is None:
            return
        if not self.buckets or duration_ns < self.min_ns:
            self.min_ns = duration_ns
        if duration_ns > self.max_ns:  # noqa: PLR1730  max() costs twice as much
            self.max_ns = duration_ns
        self.total_ns += duration_ns * times
        bucket = bucket_of(duration_ns)
        self.buckets[bucket] = self.buckets.get(bucket, 0) + times

    def add_errors(self, errnos: Mapping[str, int]) -> None:
        """Add failures to those of calls that are counted otherwise."""
        for errno, times in errnos.items():
            self.errors += times
            self.errnos[errno] = self.errnos.get(errno, 0) + times

    def add_durations(
        self, total_ns: int, least_ns: int, most_ns: int, buckets: Mapping[int, int]
    ) -> None:
        """Add the durations of calls that are counted otherwise."""
        self.min_ns = min(self.min_ns, least_ns) if self.buckets else least_ns
        self.max_ns = max(self.max_ns, most_ns)
        self.total_ns += total_ns
        for bucket, times in buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + times

    def add_wait(self, waiting_ns: int, ready_ns: int, times: int = 1) -> None:
        """Count how long a call waited, 0 if it did not, and was ready without a CPU."""
        self.ready_ns += ready_ns * times
        if not waiting_ns:
            return
        self.waits += times
        self.waiting_ns += waiting_ns * times
        bucket = bucket_of(waiting_ns)
        self.wait_buckets[bucket] = self.wait_buckets.get(bucket, 0) + times

    def _absorb(self) -> None:
        """Count the appended durations: many at once cost a fraction of one by one."""
        durations, self.durations = self.durations, []
        if not durations:
            return
        self.count += len(durations)
        self.add_durations(*sum_up(durations))

    def freeze(self) -> CallTally:
        """Return the present values."""
        self._absorb()
        return CallTally(
            count=self.count,
            errors=self.errors,
            total_ns=min(self.total_ns, LONGEST_NS),
            min_ns=self.min_ns,
            max_ns=self.max_ns,
            histogram=Histogram(self.buckets),
            errnos=self.errnos,
            waits=self._waits(),
        )

    def _waits(self) -> WaitTally:
        if not self.waits and not self.ready_ns:
            return NO_WAITS
        return WaitTally(
            count=self.waits,
            waiting_ns=min(self.waiting_ns, LONGEST_NS),
            ready_ns=min(self.ready_ns, LONGEST_NS),
            histogram=Histogram(self.wait_buckets),
        )


class ProcessSums:
    """The running values of a ProcessTally."""

    __slots__ = ("comm", "count", "ending", "errors", "lives", "parent", "total_ns")

    def __init__(self) -> None:
        self.parent = 0
        self.comm = ""
        self.ending = ""
        self.lives = 0
        self.count = 0
        self.errors = 0
        self.total_ns = 0

    def begin(self) -> None:
        """Count a new process with this PID, which has not ended."""
        self.lives += 1
        self.ending = ""

    def describe(self, parent: int, comm: str, ending: str) -> None:
        """Store what is known besides the calls."""
        self.parent = parent or self.parent
        self.comm = comm or self.comm
        self.ending = ending or self.ending

    def add(self, tally: CallTally) -> None:
        """Add the calls of one name."""
        self.count += tally.count
        self.errors += tally.errors
        self.total_ns += tally.total_ns

    def freeze(self) -> ProcessTally:
        """Return the present values."""
        return ProcessTally(
            parent=self.parent,
            comm=self.comm,
            count=self.count,
            errors=self.errors,
            total_ns=min(self.total_ns, LONGEST_NS),
            ending=self.ending,
            lives=self.lives,
        )
