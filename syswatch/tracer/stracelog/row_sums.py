"""Running sums of the calls of one name by one process on one object, and of their waits."""

from collections import defaultdict
from collections.abc import Mapping

from syswatch.model.activity import Sums, limited
from syswatch.model.histogram import Histogram
from syswatch.model.times import add_ns
from syswatch.model.waits import WaitTally

from .log_groups import GroupKey
from .row_loops import running


class RowSums(running.RunningSums):
    """The running values of `Sums`."""

    __slots__ = ()

    def freeze(self) -> Sums:
        """Return the present values."""
        return limited(self.numbers())


class _Waits:
    """The running values of a `WaitTally`."""

    __slots__ = ("buckets", "count", "waiting_ns")

    def __init__(self) -> None:
        self.count = self.waiting_ns = 0
        self.buckets: dict[int, int] = {}

    def add(self, sums: RowSums) -> None:
        self.count += sums.waits
        self.waiting_ns = add_ns(self.waiting_ns, sums.waiting_ns)
        for bucket, times in sums.buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + times

    def freeze(self) -> WaitTally:
        return WaitTally(self.count, self.waiting_ns, 0, Histogram(self.buckets))


WaitsByCall = Mapping[str, WaitTally]


def waits_of(
    taken: Mapping[GroupKey, RowSums],
) -> tuple[WaitsByCall, Mapping[int, WaitsByCall], Mapping[int, Histogram]]:
    """Return the waits by call, by process and call, and by object."""
    by_call: dict[str, _Waits] = defaultdict(_Waits)
    by_process: dict[int, dict[str, _Waits]] = defaultdict(lambda: defaultdict(_Waits))
    by_object: dict[int, _Waits] = defaultdict(_Waits)
    for (pid, found, name), sums in taken.items():
        if sums.buckets:
            for waits in (by_call[name], by_process[pid][name], by_object[found]):
                waits.add(sums)
    return (
        _frozen(by_call),
        {pid: _frozen(calls) for pid, calls in by_process.items()},
        {found: Histogram(waits.buckets) for found, waits in by_object.items()},
    )


def _frozen(waits: Mapping[str, _Waits]) -> WaitsByCall:
    return {name: each.freeze() for name, each in waits.items()}
