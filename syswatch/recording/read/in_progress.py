"""
Calls that have not returned: whether they waited, and those that are not in the recording yet.

They are recorded when the trace ends.  Before that, and after a crash, the deltas have them.
"""

from collections.abc import Mapping

import attrs

from syswatch.base.classes import define
from syswatch.model.now import Now, ThreadNow
from syswatch.model.times import LONGEST_NS
from syswatch.recording.extra import load
from syswatch.tracer.stracelog.estimated_waits import may_wait

from .batch import Batch
from .recorded import LastCall
from .tallies import name_of


def with_waiting(
    batch: Batch, last_calls: Mapping[int, LastCall], *, is_of_log: bool = False
) -> Batch:
    """
    Return calls of which those that never returned waited, if their threads did at the last.

    A log does not tell what its threads did at the last: there, those waited that can wait.
    """

    def waits(place: int) -> bool:
        name = name_of(batch, batch.name[place])
        last = last_calls.get(int(batch.tid[place]))
        if is_of_log:
            return may_wait(name)
        return last is not None and last.waits and last.call == name

    places = [
        place for place in load("numpy").flatnonzero(~batch.returned).tolist() if waits(place)
    ]
    if not places:
        return batch
    waiting = batch.waiting.copy()
    # For as long as they lasted.
    waiting[places] = LONGEST_NS
    return attrs.evolve(batch, waiting=waiting)


@define
class InProgress:
    """The calls in which threads were, as the deltas tell, less those that are recorded."""

    now: Now
    _recorded: set[int] = attrs.field(factory=set, init=False)

    def note(self, batch: Batch) -> None:
        """Note which of them are recorded: those that ended later, or never."""
        if not self.now.threads:
            return
        at_ns = self.now.at_ns
        spans = (batch.start <= at_ns) & (batch.end > at_ns)
        self._recorded.update(load("numpy").unique(batch.tid[spans]).tolist())

    def calls(self) -> Batch:
        """Return the others."""
        return _batch(
            {
                tid: thread
                for tid, thread in self.now.threads.items()
                if thread.call and thread.since_ns is not None and tid not in self._recorded
            }
        )


def _batch(threads: Mapping[int, ThreadNow]) -> Batch:
    numpy, arrow = load("numpy"), load("pyarrow")
    calls, size = list(threads.values()), len(threads)
    names = tuple(sorted({each.call for each in calls}))
    places = {name: place for place, name in enumerate(names)}
    none, nothing = numpy.zeros(size, "i8"), arrow.nulls(size, "string")
    return Batch(
        start=numpy.array([each.since_ns or 0 for each in calls], "i8").clip(0),
        duration=none,
        end=numpy.full(size, LONGEST_NS),
        returned=none.astype(bool),
        waiting=numpy.array([LONGEST_NS if each.waits else 0 for each in calls], "i8"),
        ready=none,
        estimated=none.astype(bool),
        untimed=none.astype(bool),
        pid=numpy.array([each.pid for each in calls], "i8"),
        tid=numpy.array(list(threads), "i8"),
        name=numpy.array([places[each.call] for each in calls], "i8"),
        errno=none - 1,
        result=none,
        bytes=none,
        object=numpy.array([each.object for each in calls], "i8"),
        written_to=none,
        names=names,
        errnos=(),
        args=nothing,
        ret=nothing,
        registers=numpy.zeros((size, 6), "u8"),
        has_registers=none.astype(bool),
    )
