"""Tests of the memory for processes."""

from hypothesis import given
from hypothesis.strategies import integers, lists
from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.known_processes import SeenProcesses


class SeenTests(SynchronousTestCase):
    """Each process is new once."""

    @given(lists(integers(0, 1 << 22)))
    def test_once(self, pids: list[int]) -> None:
        """Whatever the order, as many are new as there are different ones."""
        seen = SeenProcesses()
        self.assertEqual(len(set(pids)), sum(map(seen.meet, pids)))

    def test_nonsense(self) -> None:
        """A number that no process can have takes no memory."""
        seen = SeenProcesses()
        self.assertFalse(seen.meet(1 << 60))
        self.assertFalse(seen.meet(-1))
