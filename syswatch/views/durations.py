"""The distribution of durations: the bars that views draw, on a logarithmic scale."""

from collections.abc import Mapping, Sequence
from math import floor, log2

from syswatch.base.classes import frozen
from syswatch.model.histogram import SUB_BITS, Histogram
from syswatch.model.times import LONGEST_NS

# A page shows bars a quarter of an octave wide: the buckets are four times as fine.
BARS_PER_OCTAVE = 4
# What a small chart must show in detail: the printed percentiles are inside.
_BULK = (0.01, 0.99)


def position(nanoseconds: float) -> float:
    """Return the position of a duration on a page's axis, in bars from one nanosecond."""
    return BARS_PER_OCTAVE * log2(max(nanoseconds, 1))


def fine_bars(histogram: Histogram) -> Mapping[int, int]:
    """Return how many durations fall into each bar of a page."""
    return _grouped(histogram, BARS_PER_OCTAVE)


@frozen
class Row:
    """The number of calls in a range of durations; `below_ns` is None for an open end."""

    from_ns: int
    below_ns: int | None
    count: int

    def holds(self, nanoseconds: int) -> bool:
        """Return whether a duration is in the range."""
        return self.from_ns <= nanoseconds and (
            self.below_ns is None or nanoseconds < self.below_ns
        )


def rows(histogram: Histogram, most: int) -> list[Row]:
    """
    Return at most this many rows, which together hold every duration.

    A row is an octave, or several if there would be too many.  Outliers at either end share a
    row.
    """
    octaves = _grouped(histogram, 1)
    if not octaves:
        return []
    low, high = (floor(log2(max(each, 1))) for each in histogram.percentiles(_BULK, 0, LONGEST_NS))
    width = 1
    while high // width - low // width + 1 > most - 2:
        width *= 2
    counts: dict[int, int] = {}
    for octave, count in octaves.items():
        counts[octave // width] = counts.get(octave // width, 0) + count
    first, last = _range(sorted(counts), low // width, high // width, most)
    shown = [
        Row(_begin(at * width), 1 << (at + 1) * width, counts.get(at, 0))
        for at in range(first, last + 1)
    ]
    return [*_below(shown[0], first, counts), *shown, *_above(last, width, counts)]


def _range(there: Sequence[int], low: int, high: int, most: int) -> tuple[int, int]:
    """Widen the range of the bulk as far as possible: to all, otherwise to the slow side first."""
    if there[-1] - there[0] < most:
        return there[0], there[-1]
    # With a row at either end for the rest; a gap before it would waste rows.
    high = max(at for at in there if at < low + most - 2)
    return min(at for at in there if at > high - most + 2), high


def _below(lowest: Row, first: int, counts: Mapping[int, int]) -> list[Row]:
    rest = sum(count for at, count in counts.items() if at < first)
    return [Row(0, lowest.from_ns, rest)] if rest else []


def _above(last: int, width: int, counts: Mapping[int, int]) -> list[Row]:
    rest = sum(count for at, count in counts.items() if at > last)
    return [Row(1 << (last + 1) * width, None, rest)] if rest else []


def _begin(octave: int) -> int:
    # A duration of zero is in the first octave.
    return 1 << octave if octave else 0


def _grouped(histogram: Histogram, per_octave: int) -> Mapping[int, int]:
    groups: dict[int, int] = {}
    for most_ns, count in histogram.bars():
        at = floor(per_octave * log2(max(_middle(most_ns), 1)))
        groups[at] = groups.get(at, 0) + count
    return groups


def _middle(most_ns: int) -> float:
    """Return the middle of a bucket, whose end may be in the next bar."""
    width = 1 << max(most_ns.bit_length() - 1 - SUB_BITS, 0)
    return most_ns - (width - 1) / 2
