"""Tests of the children of clones that have not returned."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.stracelog import clones_in_progress
from syswatch.tracer.stracelog.clones_in_progress import ClonesInProgress
from syswatch.tracer.stracelog.logged_arguments import LoggedArguments


def clone(pid: int) -> LoggedArguments:
    """Return the first half of a clone."""
    return LoggedArguments("clone", pid, "", b"flags=SIGCHLD", 0)


class ClonesInProgressTests(SynchronousTestCase):
    """Clones that have begun."""

    def setUp(self) -> None:
        """Begin two clones."""
        self.clones = ClonesInProgress()
        self.clones.begin(clone(1))
        self.clones.begin(clone(2))

    def test_forgotten(self) -> None:
        """Without a clone in progress, no child is kept."""
        self.clones.meet(10)
        self.clones.end(1)
        self.clones.complete(2, -1)

        self.assertEqual({}, self.clones.children)
        self.assertIsNone(self.clones.meet(11))

    def test_number_of_children_is_bounded(self) -> None:
        """The oldest children are forgotten, as in a damaged log."""
        self.patch(clones_in_progress, "_MOST_CHILDREN", 2)
        for pid in (10, 11, 12):
            self.clones.meet(pid)

        self.assertEqual([11, 12], list(self.clones.children))

    def test_number_of_effects_is_bounded(self) -> None:
        """A child that does too much keeps its own descriptors only."""
        self.patch(clones_in_progress, "_MOST_EFFECTS", 2)
        self.clones.meet(10)
        for _ in range(4):
            self.clones.note(10, self.clones.children.clear)
        child = self.clones.complete(1, 10)

        assert child is not None
        self.assertEqual((True, []), (child.has_inherited, child.effects))

    def test_parts(self) -> None:
        """A child in one part of a log is known when its clone returns in the next one."""
        self.clones.meet(10)
        whole = ClonesInProgress()
        whole.add_part(self.clones.calls, frozenset(self.clones.children))
        child = whole.complete(1, 10)

        assert child is not None
        self.assertTrue(child.has_inherited)
        self.assertIsNone(whole.complete(2, 20))
