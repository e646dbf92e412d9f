"""
The timeline: the times of each thread by interval, for the history of where the time went.

A trace of less than ten seconds has intervals of 10 ms, a longer one of a second.
"""

from collections.abc import Callable, Mapping
from typing import Self

import attrs

from syswatch.base.classes import frozen

from .merging import merge
from .table import Table
from .threads import OTHER_THREADS, ThreadTimes
from .window import HISTORY_S

FINE_MS = 10
COARSE_MS = 1000
# A trace that is not longer than this has fine intervals.
FINE_S = 10
# How many threads an interval keeps apart.
_KEPT_THREADS = 100
_NS_IN_MS = 1_000_000

Interval = Mapping[int, ThreadTimes]
INTERVAL: Table[int, ThreadTimes] = Table(
    _KEPT_THREADS, ThreadTimes.__add__, lambda _: OTHER_THREADS, lambda times: times.wall_ns
)


@frozen
class Timeline:
    """Intervals of equal length by number; interval 0 begins in 1970."""

    bins: Mapping[int, Interval] = attrs.field(factory=dict)
    bin_ms: int = FINE_MS

    @classmethod
    def at(cls, time_ns: int, times: Interval, *, bin_ms: int) -> Self:
        """Return a timeline of one interval."""
        return cls({time_ns // (bin_ms * _NS_IN_MS): times}, bin_ms)

    def __add__(self, other: "Timeline") -> "Timeline":
        """Add interval by interval, in the coarser of the two lengths."""
        if not other.bins:
            return self
        if not self.bins:
            return other
        bin_ms = max(self.bin_ms, other.bin_ms)
        bins = merge(self.in_length(bin_ms), other.in_length(bin_ms), INTERVAL.sum)
        return _bounded(Timeline(bins, bin_ms))

    def renamed(self, objects: Mapping[int, int]) -> "Timeline":
        """Return the timeline with some objects replaced by others."""
        bins = {
            at: {tid: times.renamed(objects) for tid, times in threads.items()}
            for at, threads in self.bins.items()
        }
        return attrs.evolve(self, bins=bins)

    def redated(self, date: Callable[[int], int]) -> "Timeline":
        """Move each interval by a function of nanoseconds; what falls together is added."""
        bin_ns = self.bin_ms * _NS_IN_MS
        bins: dict[int, Interval] = {}
        for before, threads in self.bins.items():
            at = date(before * bin_ns) // bin_ns
            bins[at] = INTERVAL.sum(bins[at], threads) if at in bins else threads
        return attrs.evolve(self, bins=bins)

    def in_length(self, bin_ms: int) -> Mapping[int, Interval]:
        """Return the intervals in the same or a greater length."""
        if bin_ms == self.bin_ms:
            return self.bins
        factor = bin_ms // self.bin_ms
        bins: dict[int, Interval] = {}
        for at, threads in self.bins.items():
            place = at // factor
            bins[place] = INTERVAL.sum(bins[place], threads) if place in bins else threads
        return bins


def _bounded(timeline: Timeline) -> Timeline:
    """Return a timeline with coarse intervals if it is long, and without those that are old."""
    bins = timeline.bins
    if timeline.bin_ms < COARSE_MS:
        if max(bins) - min(bins) < FINE_S * COARSE_MS // FINE_MS:
            return timeline
        return _bounded(Timeline(timeline.in_length(COARSE_MS), COARSE_MS))
    oldest = max(bins) - HISTORY_S
    if min(bins) > oldest:
        return timeline
    return Timeline({at: each for at, each in bins.items() if at > oldest}, timeline.bin_ms)
