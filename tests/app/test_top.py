"""Tests of `syswatch top`."""

from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app import top


class TimeoutTests(SynchronousTestCase):
    """A server that does not answer."""

    def test_silent(self) -> None:
        """It is given up after some seconds."""
        said: list[str] = []
        self.patch(top, "announce", said.append)
        clock = MemoryReactorClock()
        watched = top.Top(clock, "http://127.0.0.1:9/")  # type: ignore[arg-type]
        watched.startService()
        self.assertNoResult(watched.finished)

        clock.advance(5)

        self.assertEqual(1, self.successResultOf(watched.finished))
        self.assertEqual(["no answer from http://127.0.0.1:9/ within 5 s"], said)
