"""
A log-linear histogram of durations.

Every octave is cut into 16 buckets of equal width, so a bucket is never wider than
1/16 of its lower bound, and its middle is within 1/32 of every value in it.  Durations
below 16 ns have a bucket each.  The eBPF program uses the same formula.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import accumulate
from typing import Self

import attrs

from syswatch.base.classes import frozen

from .merging import add_counts
from .times import LONGEST_NS

SUB_BITS = 4
SUBDIVISIONS = 1 << SUB_BITS


def bucket_of(duration_ns: int) -> int:
    """Return the index of the bucket that holds a duration."""
    if duration_ns < SUBDIVISIONS:
        return max(duration_ns, 0)
    duration_ns = min(duration_ns, LONGEST_NS)
    shift = duration_ns.bit_length() - SUB_BITS - 1
    return (shift << SUB_BITS) + (duration_ns >> shift)


def lower_bound(bucket: int) -> int:
    """Return the smallest duration that falls into a bucket."""
    if bucket < 2 * SUBDIVISIONS:
        return bucket
    shift = (bucket >> SUB_BITS) - 1
    return (SUBDIVISIONS + (bucket & (SUBDIVISIONS - 1))) << shift


def upper_bound(bucket: int) -> int:
    """Return the largest duration that falls into a bucket."""
    return lower_bound(bucket + 1) - 1


BUCKET_COUNT = bucket_of(LONGEST_NS) + 1


@frozen
class Histogram:
    """How many durations fell into each bucket; empty buckets are not stored."""

    counts: Mapping[int, int] = attrs.field(factory=dict)

    @classmethod
    def of(cls, durations_ns: Iterable[int]) -> Self:
        """Return the histogram of some durations."""
        counts: dict[int, int] = {}
        for duration in durations_ns:
            bucket = bucket_of(duration)
            counts[bucket] = counts.get(bucket, 0) + 1
        return cls(counts)

    @classmethod
    def sum_of(cls, histograms: Iterable["Histogram"]) -> Self:
        """Return the sum of histograms."""
        counts: dict[int, int] = {}
        for each in histograms:
            for bucket, count in each.counts.items():
                counts[bucket] = counts.get(bucket, 0) + count
        return cls(counts)

    def __add__(self, other: "Histogram") -> "Histogram":
        """Add two histograms; nothing is lost."""
        return Histogram(add_counts(self.counts, other.counts))

    @property
    def total(self) -> int:
        """The number of durations."""
        return sum(self.counts.values())

    def percentiles(self, wanted: tuple[float, ...], least: int, most: int) -> tuple[int, ...]:
        """
        Return the estimated durations at some fractions (0.5, 0.95, …).

        The estimate is the middle of the bucket that holds the exact value, clamped to
        [least, most], the exact extremes.
        """
        if not self.counts:
            return (0,) * len(wanted)
        buckets = sorted(self.counts)
        running = list(accumulate(self.counts[bucket] for bucket in buckets))
        return tuple(
            min(max(_middle(buckets[_rank_index(running, fraction)]), least), most)
            for fraction in wanted
        )

    def bars(self) -> tuple[tuple[int, int], ...]:
        """Return (largest duration of the bucket, count), in order of duration."""
        return tuple((upper_bound(bucket), self.counts[bucket]) for bucket in sorted(self.counts))


def _rank_index(running: list[int], fraction: float) -> int:
    """Return the index of the bucket that holds the value at a fraction of all."""
    total = running[-1]
    # Round first: 0.95 * 20 is 19.000000000000004 hundredths away from the exact rank.
    rank = min(max(-int(-round(fraction * total, 9) // 1), 1), total)
    return bisect_left(running, rank)


@cache
def _middle(bucket: int) -> int:
    return (lower_bound(bucket) + upper_bound(bucket)) // 2
