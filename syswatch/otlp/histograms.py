"""
Exponential histograms of durations.

At this scale, an octave has as many buckets as in the histograms of the model, which are of equal
width there and grow here.  Each bucket goes as a whole to the one that has its middle, so the
count, the sum and the extremes are exact, and a duration is off by at most 1/32 of itself.
"""

from math import ceil, log2

from syswatch.base.classes import frozen
from syswatch.model.histogram import BUCKET_COUNT, SUB_BITS, Histogram, lower_bound, upper_bound

# The base of the bounds is 2 ** (1 / 2**SCALE).
SCALE = SUB_BITS


@frozen
class Buckets:
    """The counts of the buckets from the index `offset` on, and the durations of zero."""

    zeros: int
    offset: int
    counts: list[int]


def buckets(histogram: Histogram) -> Buckets:
    """Return the buckets of a histogram, in seconds."""
    counts = {bucket: count for bucket, count in histogram.counts.items() if bucket}
    zeros = histogram.counts.get(0, 0)
    if not counts:
        return Buckets(zeros, 0, [])
    offset = _INDEXES[min(counts)]
    within = [0] * (_INDEXES[max(counts)] - offset + 1)
    for bucket, count in counts.items():
        within[_INDEXES[bucket] - offset] += count
    return Buckets(zeros, offset, within)


def _index(bucket: int) -> int:
    """Return the index of the bucket (base**index, base**(index + 1)] that has the middle."""
    middle_s = (lower_bound(bucket) + upper_bound(bucket)) / 2e9
    return ceil(log2(middle_s) * (1 << SCALE)) - 1


# The first one is that of zero, which has no logarithm.
_INDEXES = (0, *map(_index, range(1, BUCKET_COUNT)))
