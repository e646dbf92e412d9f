"""Tests of looking at a server from elsewhere."""

from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app import top


class PatienceTests(SynchronousTestCase):
    """A server that takes its time."""

    def test_silent(self) -> None:
        """One that never answers is given up."""
        said: list[str] = []
        self.patch(top, "announce", said.append)
        clock = MemoryReactorClock()
        watched = top.Top(clock, "http://127.0.0.1:9/")  # type: ignore[arg-type]
        watched.startService()
        self.assertNoResult(watched.finished)

        clock.advance(5)

        self.assertEqual(1, self.successResultOf(watched.finished))
        self.assertEqual(["http://127.0.0.1:9/ does not answer within 5 s"], said)
