"""The aggregator: the sum of all deltas, and the snapshot of that sum."""

from collections.abc import Mapping

import attrs

from .model.delta import Delta, Span
from .model.messages import Ended, Started
from .model.snapshot import Snapshot, call_stats
from .model.times import SECOND_NS
from .model.window import ERROR_WINDOW_S, Moment


@attrs.define
class Aggregator:
    """Owned by one session, on the reactor's thread; never reads a clock."""

    _source: Started = attrs.field(factory=lambda: Started(backend=""))
    _sums: Delta = attrs.field(factory=Delta)
    _done: bool = False
    _end: Ended = attrs.field(factory=Ended)
    _trouble: str = ""
    _backlog: int = 0

    def started(self, source: Started) -> None:
        """Take note of what is observed, and by what."""
        self._source = source

    def add(self, delta: Delta) -> None:
        """Add what was observed since the delta before."""
        self._backlog = delta.backlog
        self._sums += attrs.evolve(delta, backlog=0)

    def shift(self, seconds: int) -> None:
        """Move everything that is dated in time."""
        self._sums = self._sums.shifted(seconds)

    def ended(self, end: Ended) -> None:
        """Take note that nothing more will come, and how it ended."""
        self._done = True
        self._end = end

    def failed(self, trouble: str) -> None:
        """Take note that nothing more will come, and what went wrong."""
        self._done = True
        self._trouble = trouble

    def snapshot(self, now_ns: int | None = None) -> Snapshot:
        """Freeze the state; without `now_ns` the trace's own last moment is now."""
        span = self._sums.span
        if now_ns is None and span is not None:
            now_ns = span.last_ns
        errors_60s, last_second = self._recent(now_ns)
        calls = call_stats(self._sums.calls, errors_60s, last_second)
        return Snapshot(
            now_ns=now_ns,
            source=self._source,
            calls=calls,
            sums=self._sums,
            rate=sum(call.rate for call in calls),
            elapsed_ns=_elapsed_ns(span, now_ns),
            done=self._done,
            end=self._end,
            trouble=self._trouble,
            backlog=self._backlog,
        )

    def _recent(self, now_ns: int | None) -> tuple[Mapping[str, int], Mapping[str, Moment]]:
        """Return the errors of the error window, and the newest second that is complete."""
        if now_ns is None:
            return {}, {}
        now_s = now_ns // SECOND_NS
        window = self._sums.window
        last_second = {} if self._done else window.seconds.get(now_s - 1, {})
        return window.errors(now_s, ERROR_WINDOW_S), last_second


def _elapsed_ns(span: Span | None, now_ns: int | None) -> int:
    if span is None or now_ns is None:
        return 0
    # Somebody may set the clock of the machine back while we watch.
    return max(now_ns - span.first_ns, 0)
