"""Increments of counters that only grow, since they were last read."""

from collections.abc import Callable, Iterable, Iterator

import attrs

from syswatch.base.classes import define
from syswatch.model.calls import CallTally
from syswatch.model.errnos import errno_name
from syswatch.model.histogram import Histogram

from . import layout

_OCTAVE = 16
_WRAP = 1 << 32
_NO_ERRORS = bytes(4 * layout.ERRORS)
_NO_TIMES = bytes(4 * layout.BUCKETS)

# timed, count, errors, total, least, most: as `struct sums` has them.
Sums = tuple[int, ...]


@define
class CallIncrements:
    """The counters of one call as they were last read."""

    _timed: int = 0
    _count: int = 0
    _errors: int = 0
    _total_ns: int = 0
    # How many calls of the sums are in the details.  The kernel updates one after the other, so a
    # reading in between finds the sums ahead, and the next one must read the details again.
    _placed: int = 0
    _explained: int = 0
    _histograms: dict[int, bytes] = attrs.field(factory=dict)
    _errnos: bytes = _NO_ERRORS

    def compare(
        self, sums: Sums, histograms: Callable[[], Iterable[bytes]], errnos: Callable[[], bytes]
    ) -> CallTally | None:
        """Return what was counted since the last reading; None for nothing."""
        timed, count, errors, total_ns, least_ns, most_ns = sums
        known = self._timed, self._count, self._errors, self._placed, self._explained
        if known == (timed, count, errors, timed, errors):
            return None
        times = self._times(histograms()) if timed != self._placed else {}
        reasons = self._reasons(errnos()) if errors != self._explained else {}
        tally = CallTally(
            count=count - self._count,
            errors=errors - self._errors,
            total_ns=total_ns - self._total_ns,
            min_ns=least_ns,
            max_ns=most_ns,
            histogram=Histogram(times),
            errnos=reasons,
        )
        self._timed, self._count, self._errors, self._total_ns = timed, count, errors, total_ns
        self._placed += sum(times.values())
        self._explained += sum(reasons.values())
        return tally

    def _times(self, histograms: Iterable[bytes]) -> dict[int, int]:
        counts: dict[int, int] = {}
        for shard, now in enumerate(histograms):
            before = self._histograms.get(shard, _NO_TIMES)
            self._histograms[shard] = now
            for bucket, more in growth(before, now):
                counts[bucket] = counts.get(bucket, 0) + more
        return counts

    def _reasons(self, errnos: bytes) -> dict[str, int]:
        before, self._errnos = self._errnos, errnos
        return {_error_name(place): more for place, more in growth(before, errnos)}


@define
class Surplus:
    """
    The difference of two counters that are not read at the same time.

    The second one keeps growing between the two readings, so it may be ahead until the next one.
    """

    _difference: int = 0

    def growth(self, more: int) -> int:
        """Return the increase of the difference; the sum of all increases is never negative."""
        before = max(self._difference, 0)
        self._difference += more
        return max(self._difference, 0) - before


def growth(before: bytes, now: bytes) -> Iterator[tuple[int, int]]:
    """Yield the index and the increase of each counter that has grown; most have not."""
    if before == now:
        return
    step = 4 * _OCTAVE
    for at in range(0, len(now), step):
        if before[at : at + step] == now[at : at + step]:
            continue
        old, new = (memoryview(data[at : at + step]).cast("I") for data in (before, now))
        for place, (then, count) in enumerate(zip(old, new, strict=True), at // 4):
            if count != then:
                yield place, (count - then) % _WRAP


def _error_name(place: int) -> str:
    if place < layout.PLAIN_ERRORS:
        return errno_name(-place)
    if place < layout.ERRORS - 1:
        return errno_name(-(place - layout.PLAIN_ERRORS + layout.FIRST_RESTART))
    return "OTHER"
