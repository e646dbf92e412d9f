"""The slowest calls: a bounded list of all calls, and one for each name."""

from collections.abc import Callable, Container, Iterable, Mapping

import attrs

from syswatch.base.classes import frozen

from .merging import merge
from .trace_parent import TraceParent

SLOWEST_OVERALL = 50
SLOWEST_BY_CALL = 10
# People notice a tenth of a second.
NOTICEABLE_NS = 100_000_000


@frozen
class SlowCall:
    """One call; `time_ns` is None if the source has no clock, and `waiting_ns` if unknown."""

    duration_ns: int
    time_ns: int | None
    pid: int
    tid: int
    name: str
    args: str
    ret: str
    error: str
    waiting_ns: int | None = None
    object: int = 0
    # If that was asked for, and the call is noticeable.
    trace_parent: TraceParent | None = None


@frozen
class Slowest:
    """The slowest calls, the slowest first."""

    overall: tuple[SlowCall, ...] = ()
    by_call: Mapping[str, tuple[SlowCall, ...]] = attrs.field(factory=dict)

    @classmethod
    def of(cls, calls: Iterable[SlowCall]) -> "Slowest":
        """Return the slowest of some calls."""
        ranked = sorted(calls, key=_rank)
        by_call: dict[str, list[SlowCall]] = {}
        for call in ranked:
            by_call.setdefault(call.name, []).append(call)
        return cls(
            tuple(ranked[:SLOWEST_OVERALL]),
            {name: tuple(each[:SLOWEST_BY_CALL]) for name, each in by_call.items()},
        )

    def __add__(self, other: "Slowest") -> "Slowest":
        """Return the slowest of both."""
        if not other.overall:
            return self
        return Slowest(
            _merged(self.overall, other.overall)[:SLOWEST_OVERALL],
            merge(self.by_call, other.by_call, _slowest_by_call),
        )

    def only(self, names: Container[str]) -> "Slowest":
        """Return the list with the lists of some names."""
        by_call = {name: calls for name, calls in self.by_call.items() if name in names}
        return attrs.evolve(self, by_call=by_call)

    def shown(self, show: Callable[[SlowCall], SlowCall]) -> "Slowest":
        """Return the list with each call replaced by what a function returns for it."""
        return Slowest(
            tuple(map(show, self.overall)),
            {name: tuple(map(show, calls)) for name, calls in self.by_call.items()},
        )

    def redated(self, date: Callable[[int], int]) -> "Slowest":
        """Move all timestamps by a function of nanoseconds."""
        return Slowest(
            _redated(self.overall, date),
            {name: _redated(calls, date) for name, calls in self.by_call.items()},
        )

    def __bool__(self) -> bool:
        return bool(self.overall)


def _slowest_by_call(
    left: tuple[SlowCall, ...], right: tuple[SlowCall, ...]
) -> tuple[SlowCall, ...]:
    return _merged(left, right)[:SLOWEST_BY_CALL]


def _redated(calls: tuple[SlowCall, ...], date: Callable[[int], int]) -> tuple[SlowCall, ...]:
    return tuple(
        call if call.time_ns is None else attrs.evolve(call, time_ns=date(call.time_ns))
        for call in calls
    )


def _merged(left: tuple[SlowCall, ...], right: tuple[SlowCall, ...]) -> tuple[SlowCall, ...]:
    return tuple(sorted(left + right, key=_rank))


def _rank(call: SlowCall) -> tuple[int, int, int]:
    # Of equally slow ones, the earliest first, so that the order does not depend on the addition.
    return -call.duration_ns, call.time_ns or 0, call.tid
