"""Tests of comparing what only grows."""

from itertools import accumulate

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.ebpf.news import Surplus


class SurplusTests(SynchronousTestCase):
    """Calls are counted before their durations are read."""

    def test_ahead_for_a_moment(self) -> None:
        """Durations of calls that come between the two are no calls without one."""
        surplus = Surplus()
        told = [surplus.growth(more) for more in (-2, 2, 0, -4, 1, 3)]
        self.assertEqual([0] * 6, told)

    def test_really_more(self) -> None:
        """What has really no duration is told, at the latest when the other stands still."""
        surplus = Surplus()
        told = accumulate(surplus.growth(more) for more in (3, -2, -3, 4, 0))
        self.assertEqual([3, 1, 0, 2, 2], list(told))
