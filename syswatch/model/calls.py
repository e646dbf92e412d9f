"""The totals of one system call: counts, errors, times."""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add

import attrs

from syswatch.base.classes import frozen

from .histogram import Histogram
from .merging import merge_bounded
from .times import LONGEST_NS, add_ns
from .waits import NO_WAITS, WaitTally

# Linux has some 150; a file that is not a trace may have any number of words that begin with E.
TRACKED_ERRNOS = 256
OTHER_ERRNOS = "OTHER"


@frozen
class CallTally:
    """The exact sums over some calls of one name."""

    count: int = 0
    errors: int = 0
    total_ns: int = 0
    min_ns: int = 0
    max_ns: int = 0
    histogram: Histogram = attrs.field(factory=Histogram)
    errnos: Mapping[str, int] = attrs.field(factory=dict)
    waits: WaitTally = NO_WAITS

    def __add__(self, other: "CallTally") -> "CallTally":
        """Add two tallies; the extremes of a side without durations do not count."""
        if not self.histogram.counts:
            least, most = other.min_ns, other.max_ns
        elif not other.histogram.counts:
            least, most = self.min_ns, self.max_ns
        else:
            least = min(self.min_ns, other.min_ns)
            most = max(self.max_ns, other.max_ns)
        return CallTally(
            count=self.count + other.count,
            errors=self.errors + other.errors,
            total_ns=add_ns(self.total_ns, other.total_ns),
            min_ns=least,
            max_ns=most,
            histogram=self.histogram + other.histogram,
            errnos=_add_errnos(self.errnos, other.errnos),
            waits=self.waits + other.waits,
        )

    @property
    def timed(self) -> int:
        """The number of calls with a measured duration."""
        return self.histogram.total

    @property
    def working_ns(self) -> int:
        """The time on a CPU."""
        return max(self.total_ns - self.waits.waiting_ns - self.waits.ready_ns, 0)

    @property
    def average_ns(self) -> int:
        """The average of the measured durations, 0 if there are none."""
        timed = self.timed
        return round(self.total_ns / timed) if timed else 0

    @property
    def top_errno(self) -> str:
        """The commonest errno, or an empty text if no call failed."""
        if not self.errnos:
            return ""
        return min(self.errnos, key=lambda name: (-self.errnos[name], name))


def total_of(tallies: Sequence[CallTally]) -> CallTally:
    """Return the sum of tallies, of which there is at least one, without those in between."""
    if len(tallies) == 1:
        return tallies[0]
    timed = [each for each in tallies if each.histogram.counts]
    return CallTally(
        count=sum(each.count for each in tallies),
        errors=sum(each.errors for each in tallies),
        total_ns=min(sum(each.total_ns for each in tallies), LONGEST_NS),
        min_ns=min((each.min_ns for each in timed), default=0),
        max_ns=max((each.max_ns for each in timed), default=0),
        histogram=Histogram.sum_of(each.histogram for each in timed),
        errnos=reduce(_add_errnos, (each.errnos for each in tallies if each.errnos), {}),
        waits=reduce(add, (each.waits for each in tallies if each.waits is not NO_WAITS), NO_WAITS),
    )


def _add_errnos(left: Mapping[str, int], right: Mapping[str, int]) -> Mapping[str, int]:
    errnos, cut = merge_bounded(left, right, int.__add__, TRACKED_ERRNOS)
    if not cut:
        return errnos
    return {**errnos, OTHER_ERRNOS: errnos.get(OTHER_ERRNOS, 0) + sum(cut)}
