"""Waits: the part of a call's duration in which its thread was not running."""

import attrs

from syswatch.base.classes import frozen

from .histogram import Histogram
from .times import add_ns


@frozen
class WaitTally:
    """
    The exact sums over the calls that waited.

    The duration of a call is the time it worked on a CPU, the time it waited for something, and
    the time it was ready but no CPU was free.
    """

    count: int = 0
    waiting_ns: int = 0
    # Of all calls: a call that never waits may be preempted.
    ready_ns: int = 0
    histogram: Histogram = attrs.field(factory=Histogram)

    def __add__(self, other: "WaitTally") -> "WaitTally":
        """Add two tallies."""
        if other == NO_WAITS:
            return self
        return WaitTally(
            self.count + other.count,
            add_ns(self.waiting_ns, other.waiting_ns),
            add_ns(self.ready_ns, other.ready_ns),
            self.histogram + other.histogram,
        )


NO_WAITS = WaitTally()
