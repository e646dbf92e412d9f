"""The time budget: the wall time of all threads by state, and for waits by kind of object."""

from collections.abc import Iterator, Mapping

from syswatch.base.classes import frozen
from syswatch.model.objects import ObjectKind
from syswatch.model.preferences import ShareOf
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import ThreadTimes

from .estimate import estimated_times
from .filters import left_out
from .idle import judge_of
from .memory import once_per_snapshot
from .scope import activity_of, info_of, lacks_threads, threads_of
from .states import StateTexts, TimeState

_OUTSIDE_SELECTED = "outside includes own code and the time in calls that are left out by {}"
_MORE_THREADS = (
    "where there were very many threads, only their time in all processes together is known"
)
_STATES = {state: place for place, state in enumerate(TimeState)}


@frozen
class PartKey:
    """A state, and for waits the kind of object; otherwise the kind is NONE."""

    state: TimeState
    kind: ObjectKind = ObjectKind.NONE


Parts = Mapping[PartKey, int]


@frozen
class Budget:
    """
    Where the time of some threads went, in nanoseconds by part.

    `call_ns` is the part of it in calls.  `note` is why it is estimated, or what parts of it
    include, and how to get more exact numbers.  `calls_left_out` is whether a filter leaves calls
    out, whose time is then in other states.
    """

    parts: Parts
    threads: int
    call_ns: int
    is_estimated: bool = False
    note: str = ""
    calls_left_out: bool = False

    @property
    def wall_ns(self) -> int:
        """The whole time."""
        return sum(self.parts.values())

    @property
    def busy_ns(self) -> int:
        """The time in which the threads did not wait for work."""
        return self.wall_ns - self.in_state(TimeState.IDLE)

    def in_state(self, state: TimeState) -> int:
        """Return the time in a state."""
        return sum(spent for key, spent in self.parts.items() if key.state is state)

    def texts(self, state: TimeState) -> StateTexts:
        """Return what views call a state."""
        return state.texts(calls_left_out=self.calls_left_out)

    def whole(self, share_of: ShareOf) -> int:
        """Return the time that shares are parts of."""
        match share_of:
            case ShareOf.WALL:
                return self.wall_ns
            case ShareOf.BUSY:
                return self.busy_ns
            case ShareOf.CALLS:
                return self.call_ns

    def share(self, key: PartKey, share_of: ShareOf) -> float | None:
        """Return the share of a part; None if the whole does not include it."""
        whole = self.whole(share_of)
        if not whole or not is_included(key.state, share_of):
            return None
        return min(self._within(share_of, key.state, self.parts.get(key, 0)) / whole, 1.0)

    def counted(self, state: TimeState, share_of: ShareOf) -> int:
        """Return the time in a state that belongs to what shares are parts of."""
        return self._within(share_of, state, self.in_state(state))

    def _within(self, share_of: ShareOf, state: TimeState, spent_ns: int) -> int:
        if share_of is not ShareOf.CALLS or state is not TimeState.READY:
            return spent_ns
        # Threads are ready outside of calls as well.
        others = (TimeState.WORKING, TimeState.BLOCKED, TimeState.IDLE)
        return max(min(spent_ns, self.call_ns - sum(map(self.in_state, others))), 0)


_OUTSIDE = {
    ShareOf.WALL: frozenset[TimeState](),
    ShareOf.BUSY: frozenset({TimeState.IDLE}),
    ShareOf.CALLS: frozenset({TimeState.USER, TimeState.STOPPED}),
}


def is_included(state: TimeState, share_of: ShareOf) -> bool:
    """Return whether a state belongs to what shares are parts of."""
    return state not in _OUTSIDE[share_of]


def budget(snapshot: Snapshot, pid: int | None = None) -> Budget:
    """Return the time budget of all threads, or of those of one process."""
    return _budget_of_all(snapshot) if pid is None else _budget(snapshot, pid)


@once_per_snapshot
def _budget_of_all(snapshot: Snapshot) -> Budget:
    return _budget(snapshot, None)


def _budget(snapshot: Snapshot, pid: int | None) -> Budget:
    threads = threads_of(snapshot, pid)
    filters = left_out(snapshot)
    if snapshot.part_of is None and not _has_times(snapshot):
        times, note = estimated_times(snapshot, pid)
        # What lies between the calls of a selection may be other calls.
        return Budget(
            in_order(parts_of(snapshot, times)),
            threads=0,
            call_ns=times.working_ns + times.waiting_ns + times.ready_ns,
            is_estimated=bool(times.wall_ns),
            note=note,
            calls_left_out=bool(filters),
        )
    parts = parts_of(snapshot, *(tally.times for tally in threads.values()))
    ready_ns = sum(row.ready_ns for row in activity_of(snapshot, pid).values())
    has_more = lacks_threads(snapshot, pid)
    in_calls = sum(each.times.working_ns + each.times.waiting_ns for each in threads.values())
    return Budget(
        in_order(parts),
        threads=len(threads),
        call_ns=in_calls + ready_ns,
        # In a log, that includes the waits of calls that never returned, which are not counted.
        is_estimated=(snapshot.is_of_log or bool(snapshot.sums.ledger.estimated_waits) or has_more),
        note=_note(filters, has_more=has_more),
        calls_left_out=bool(filters),
    )


def _note(filters: str, *, has_more: bool) -> str:
    notes = (_OUTSIDE_SELECTED.format(filters) if filters else "", _MORE_THREADS * has_more)
    return "; ".join(filter(None, notes))


def _has_times(snapshot: Snapshot) -> bool:
    """Return whether the times of threads are known; a log may have threads but no times."""
    threads = snapshot.sums.threads
    if not snapshot.is_of_log:
        return bool(threads)
    return any(tally.times.wall_ns for tally in threads.values())


class _Places(dict[tuple[int, str], int]):
    """The number of the part that the waits for an object in a call belong to."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.keys_in_order: list[PartKey] = []
        self._snapshot = snapshot
        self._numbers: dict[PartKey, int] = {}

    def __missing__(self, wait: tuple[int, str]) -> int:
        """Return the number for a wait that is asked for the first time."""
        info = info_of(self._snapshot, wait[0])
        key = PartKey(judge_of(self._snapshot)(wait).state, info.kind)
        if key not in self._numbers:
            self._numbers[key] = len(self.keys_in_order)
            self.keys_in_order.append(key)
        self[wait] = self._numbers[key]
        return self[wait]


_places = once_per_snapshot(_Places)
_NO_WAITS = tuple(
    map(PartKey, (TimeState.USER, TimeState.WORKING, TimeState.READY, TimeState.STOPPED))
)


def parts_of(snapshot: Snapshot, *several: ThreadTimes) -> Parts:
    """Return the parts of the times of a thread, or of several together."""
    # A history has millions of waits: they are added up by number.
    places = _places(snapshot.whole)
    user_ns = working_ns = ready_ns = stopped_ns = 0
    waits: dict[int, int] = {}
    for times in several:
        user_ns += times.user_ns
        working_ns += times.working_ns
        ready_ns += times.ready_ns
        stopped_ns += times.stopped_ns
        for wait, spent_ns in times.waiting.items():
            place = places[wait]
            waits[place] = waits.get(place, 0) + spent_ns
    parts = dict(zip(_NO_WAITS, (user_ns, working_ns, ready_ns, stopped_ns), strict=True))
    parts |= {places.keys_in_order[place]: spent_ns for place, spent_ns in waits.items()}
    # What a thread has moved from one state to another may be negative if its row was cut between.
    return {key: spent_ns for key, spent_ns in parts.items() if spent_ns > 0}


@frozen
class Bin:
    """An interval of the history, in milliseconds since 1970."""

    at_ms: int
    parts: Parts


def history(snapshot: Snapshot, pid: int | None = None, since_ms: int = 0) -> Iterator[Bin]:
    """Yield the time budget of each interval that begins at a time or later."""
    timeline = snapshot.sums.timeline
    tids = None if pid is None else threads_of(snapshot, pid).keys()
    for number in sorted(timeline.bins):
        at_ms = number * timeline.bin_ms
        if at_ms < since_ms:
            continue
        threads = timeline.bins[number].items()
        parts = parts_of(
            snapshot, *(times for tid, times in threads if tids is None or tid in tids)
        )
        if parts:
            yield Bin(at_ms, parts)


def in_order(parts: Parts) -> Parts:
    """Return the parts by state, and those of one state with the largest first."""
    ranked = sorted(parts.items(), key=lambda each: (_STATES[each[0].state], -each[1]))
    return dict(ranked)
