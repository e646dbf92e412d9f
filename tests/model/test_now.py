"""Tests of what threads are doing: the newest report counts."""

from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.now import NOTHING_REPORTED, Doing, Now, ThreadNow
from tests.strategies import nows


class NowTests(SynchronousTestCase):
    """Reports on all threads."""

    @given(nows, nows, nows)
    def test_associative(self, one: Now, two: Now, three: Now) -> None:
        """It does not matter where reports are added."""
        self.assertEqual((one + two) + three, one + (two + three))

    @given(nows)
    def test_identity(self, now: Now) -> None:
        """No report changes nothing."""
        self.assertEqual(now, now + NOTHING_REPORTED)
        self.assertEqual(now, NOTHING_REPORTED + now)

    def test_newest(self) -> None:
        """A newer report replaces an older one as a whole, in whatever order they arrive."""
        old = Now(5, {1: ThreadNow(1, "a"), 2: ThreadNow(1, "a")})
        new = Now(6, {1: ThreadNow(1, "a", Doing.READY)})

        self.assertEqual(new, old + new)
        self.assertEqual(new, new + old)

    def test_end(self) -> None:
        """At the end of a trace there are no threads any more."""
        self.assertEqual({}, (Now(5, {1: ThreadNow(1)}) + Now(6)).threads)

    def test_redated(self) -> None:
        """The times of the report and of the calls move together; unknown ones stay unknown."""
        now = Now(50, {1: ThreadNow(1, since_ns=40), 2: ThreadNow(1)})

        moved = now.redated(lambda at_ns: at_ns + 7)

        self.assertEqual(Now(57, {1: ThreadNow(1, since_ns=47), 2: ThreadNow(1)}), moved)
        self.assertEqual(NOTHING_REPORTED, NOTHING_REPORTED.redated(lambda at_ns: at_ns + 7))
