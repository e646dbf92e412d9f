"""Tests of the set of PIDs."""

from hypothesis import given
from hypothesis.strategies import integers, lists
from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.collector import PidSet


class PidSetTests(SynchronousTestCase):
    """Each PID is new once."""

    @given(lists(integers(0, 1 << 22)))
    def test_once(self, pids: list[int]) -> None:
        """In any order, as many PIDs are new as there are different ones."""
        known = PidSet()
        self.assertEqual(len(set(pids)), sum(map(known.add, pids)))

    def test_nonsense(self) -> None:
        """A number that no process can have uses no memory."""
        known = PidSet()
        self.assertFalse(known.add(1 << 60))
        self.assertFalse(known.add(-1))
