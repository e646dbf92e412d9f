"""Tests of `syswatch top`."""

from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase
from twisted.web.client import Agent

from syswatch.app import top
from syswatch.settings.address import TLS_MISSING


class UnreachableTests(SynchronousTestCase):
    """A server that cannot be asked."""

    def test_silent(self) -> None:
        """A server that does not answer is given up after some seconds."""
        said: list[str] = []
        self.patch(top, "announce", said.append)
        clock = MemoryReactorClock()
        watched = top.Top(clock, "http://127.0.0.1:9/")  # type: ignore[arg-type]
        watched.startService()
        self.assertNoResult(watched.finished)

        clock.advance(5)

        self.assertEqual(1, self.successResultOf(watched.finished))
        self.assertEqual(["no answer from http://127.0.0.1:9/ within 5 s"], said)

    def test_without_tls(self) -> None:
        """A URL with https names the package that is missing."""
        announced: list[str] = []
        self.patch(top, "announce", announced.append)

        def request(*_: object) -> None:
            raise NotImplementedError("SSL support unavailable")

        self.patch(Agent, "request", request)
        watched = top.Top(MemoryReactorClock(), "https://127.0.0.1:9/")  # type: ignore[arg-type]
        watched.startService()

        self.assertEqual(1, self.successResultOf(watched.finished))
        self.assertEqual([f"cannot connect to https://127.0.0.1:9/: {TLS_MISSING}"], announced)
