"""Tests of what happens when many clients have gone."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.web.departures import MANY, Tide


class TideTests(SynchronousTestCase):
    """Memory is given back once, after many have gone."""

    def setUp(self) -> None:
        """Have a clock, and count."""
        self.clock = Clock()
        self.ebbs = 0
        self.tide = Tide(self.clock, self._ebb)

    def _ebb(self) -> None:
        self.ebbs += 1

    def fall(self, first: int, last: int) -> None:
        """Have clients go one by one."""
        for clients in range(first, last - 1, -1):
            self.tide.see(clients)
        self.clock.advance(60)

    def test_many(self) -> None:
        """When many go at once, it is done once."""
        self.fall(5 * MANY, 0)

        self.assertEqual(1, self.ebbs)

    def test_few(self) -> None:
        """For a few that come and go it is not done at all, however often they do."""
        for _ in range(5):
            self.fall(3 * MANY, 2 * MANY + 1)

        self.assertEqual(0, self.ebbs)

    def test_slowly(self) -> None:
        """Those who go one after the other are many in the end, and then it begins anew."""
        self.fall(3 * MANY, 2 * MANY + 1)
        self.fall(2 * MANY, 2 * MANY)
        self.assertEqual(1, self.ebbs)

        self.fall(2 * MANY - 1, MANY + 1)
        self.assertEqual(1, self.ebbs)
        self.fall(MANY, MANY)
        self.assertEqual(2, self.ebbs)
