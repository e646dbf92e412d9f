"""The aggregator: the sum of all deltas, and the snapshot of that sum."""

from collections.abc import Mapping

import attrs

from syswatch.base.classes import define

from .delta import Delta, Span
from .groups import by_group
from .messages import Ended, Started
from .preferences import Preferences
from .rate import RecentCalls
from .snapshot import Snapshot, call_stats
from .times import SECOND_NS
from .window import ERROR_WINDOW_S


@define
class Aggregator:
    """The state of one session, on the reactor's thread; it never reads a clock."""

    preferences: Preferences = attrs.field(factory=Preferences)
    _source: Started = attrs.field(factory=lambda: Started(backend=""))
    _sums: Delta = attrs.field(factory=Delta)
    _recent: RecentCalls = attrs.field(factory=RecentCalls)
    # How often each group makes calls.
    _recent_of_groups: RecentCalls = attrs.field(factory=RecentCalls)
    _done: bool = False
    _end: Ended = attrs.field(factory=Ended)
    _trouble: str = ""
    _backlog: int = 0

    def started(self, source: Started) -> None:
        """Record what is traced, and by which backend."""
        self._source = source

    def add(self, delta: Delta) -> None:
        """Add what was observed since the previous delta."""
        self._backlog = delta.backlog
        self._sums += attrs.evolve(delta, backlog=0)
        self._recent.add(delta)
        if delta.groups and delta.span is not None:
            counts = {group: sums.count for group, sums in by_group(delta.groups).items()}
            self._recent_of_groups.add_counts(counts, delta.span)

    def shift(self, seconds: int) -> None:
        """Move all timestamps."""
        self._sums = self._sums.shifted(seconds)
        self._recent.shift(seconds)
        self._recent_of_groups.shift(seconds)

    def ended(self, end: Ended) -> None:
        """Record the end of the trace, and how the program ended."""
        self._done = True
        self._end = end

    def failed(self, trouble: str) -> None:
        """Record the end of the trace because of an error."""
        self._done = True
        self._trouble = trouble

    def snapshot(self, now_ns: int | None = None) -> Snapshot:
        """Return the current state; `now_ns` defaults to the last timestamp of the trace."""
        span = self._sums.span
        if now_ns is None and span is not None:
            now_ns = span.last_ns
        calls = call_stats(
            self._sums.calls, self._errors_60s(now_ns), self._rates(self._recent, now_ns)
        )
        return Snapshot(
            now_ns=now_ns,
            source=self._source,
            calls=calls,
            sums=self._sums,
            rate=round(sum(call.rate for call in calls), 3),
            elapsed_ns=_elapsed_ns(span, now_ns),
            done=self._done,
            end=self._end,
            trouble=self._trouble,
            backlog=self._backlog,
            group_rates=self._rates(self._recent_of_groups, now_ns),
            preferences=self.preferences,
        )

    def _errors_60s(self, now_ns: int | None) -> Mapping[str, int]:
        if now_ns is None:
            return {}
        return self._sums.window.errors(now_ns // SECOND_NS, ERROR_WINDOW_S)

    def _rates(self, recent: RecentCalls, now_ns: int | None) -> Mapping[str, float]:
        return {} if now_ns is None or self._done else recent.rates(now_ns)


def _elapsed_ns(span: Span | None, now_ns: int | None) -> int:
    if span is None or now_ns is None:
        return 0
    # The clock of the machine may be set back during the trace.
    return max(now_ns - span.first_ns, 0)
