"""Finds the slowest calls of a log; their lines are parsed only when they are reported."""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.model.slowest import SLOWEST_BY_CALL, SLOWEST_OVERALL, SlowCall, Slowest
from syswatch.model.times import SECOND_NS

from .estimated_waits import estimated_wait
from .grammar import LoggedCall
from .line_format import Row
from .row_loops import loops
from .samples import CallSample, LineSample, with_object

# When there are so many candidates, those that are no longer among the slowest are dropped.
_MOST_CANDIDATES = 2000
# A file that is not a trace may have any number of names.
_MOST_NAMES = 1024
_LONGEST_FLOOR = b"0.999999999"


@define
class SlowLines:
    """
    Collects the lines that may be among the slowest, overall or of their name.

    The text of a duration is compared before it is parsed: a plain line is a candidate only if its
    duration is greater than the floor of its name.
    """

    _floors: dict[bytes, bytes] = attrs.field(factory=dict, init=False)
    _overall: list[int] = attrs.field(factory=list, init=False)
    _by_name: dict[str, list[int]] = attrs.field(factory=dict, init=False)
    _candidates: list[tuple[int, CallSample | LineSample, str]] = attrs.field(
        factory=list, init=False
    )

    def candidates(self, rows: Sequence[Row]) -> list[int]:
        """Return the indexes of the plain calls that may be among the slowest."""
        return loops.slower(rows, self._floors)

    def add(self, name: str, duration_ns: int, sample: CallSample | LineSample) -> None:
        """Add a call, if it is among the slowest so far."""
        if duration_ns < self._least(name):
            return
        _push(self._overall, duration_ns, SLOWEST_OVERALL)
        if name in self._by_name or len(self._by_name) < _MOST_NAMES:
            _push(self._by_name.setdefault(name, []), duration_ns, SLOWEST_BY_CALL)
        self._candidates.append((duration_ns, sample, name))
        self._floors[name.encode()] = _floor(self._least(name))
        if len(self._candidates) > _MOST_CANDIDATES:
            self._candidates = self._slowest()

    def line_numbers(self) -> Iterator[int]:
        """Yield the lines of the calls that may be among the slowest."""
        return (sample.line_number for _, sample, _ in self._candidates)

    def take(
        self,
        shown: Callable[[LoggedCall], LoggedCall],
        fallback_pid: int,
        objects: Mapping[int, int],
    ) -> Slowest:
        """Return the slowest calls since the last time; `objects` has those of some lines."""
        candidates, self._candidates = self._slowest(), []
        return Slowest.of(
            _slow_call(with_object(sample, objects), shown, duration_ns, fallback_pid)
            for duration_ns, sample, _ in candidates
        )

    def _slowest(self) -> list[tuple[int, CallSample | LineSample, str]]:
        return [each for each in self._candidates if each[0] >= self._least(each[2]) - 1]

    def _least(self, name: str) -> int:
        """Return the duration from which on a call of this name is among the slowest."""
        return min(
            _bound(self._overall, SLOWEST_OVERALL),
            _bound(self._by_name.get(name, []), SLOWEST_BY_CALL),
        )


def _bound(durations: list[int], most: int) -> int:
    # Of equally slow ones, the first counts.
    return durations[0] + 1 if len(durations) >= most else 0


def _push(durations: list[int], duration_ns: int, most: int) -> None:
    if len(durations) < most:
        heapq.heappush(durations, duration_ns)
    else:
        heapq.heappushpop(durations, duration_ns)


def _floor(least_ns: int) -> bytes:
    """Return a text that is less than that of each longer duration."""
    if not least_ns:
        return b""
    # As texts, 10 s are less than 9 s, but both are more than any fraction of a second.
    text = b"%d.%09d" % divmod(least_ns - 1, SECOND_NS)
    return min(text, _LONGEST_FLOOR)


def _slow_call(
    sample: CallSample | LineSample,
    shown: Callable[[LoggedCall], LoggedCall],
    duration_ns: int,
    fallback_pid: int,
) -> SlowCall:
    parsed = sample if isinstance(sample, CallSample) else sample.parse(shown)
    call = parsed.call
    pid = call.pid or fallback_pid
    return SlowCall(
        duration_ns=duration_ns,
        time_ns=parsed.time_ns,
        pid=pid,
        tid=pid,
        name=call.name,
        args=escape_text(call.args),
        ret=escape_text(call.ret),
        error=call.errno,
        waiting_ns=estimated_wait(call.name, duration_ns),
        object=parsed.object,
    )
