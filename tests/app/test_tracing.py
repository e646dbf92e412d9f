"""Tests of a run with a server: when it keeps serving, and what it tells users."""

from typing import Any, cast

from twisted.internet.interfaces import IProcessTransport
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app import results, serving, tracing
from syswatch.app.tracing import TracingService
from syswatch.codec.frames import Message, encode
from syswatch.model.messages import Ended, Started
from syswatch.service.tracer_process import TracerProcess
from tests.options.parsing import config_of
from tests.service.fake_tracer import FRAMES_FD, FakeTransport


class ServingTests(SynchronousTestCase):
    """A server of a process that was attached to."""

    def setUp(self) -> None:
        """Start the service, with a tracer that is not a process."""
        self.announced: list[str] = []
        for module in (tracing, results, serving):
            self.patch(module, "announce", self.announced.append)
        self.patch(TracerProcess, "spawn", lambda *_: None)
        self.patch(tracing, "raise_open_files_limit", lambda: None)
        self.reactor = MemoryReactorClock()
        config = config_of("attach", "--serve", "unix:x.sock", "1234")
        self.service = TracingService(cast("Any", self.reactor), config)
        self.service.startService()
        self.transport = FakeTransport(frames_fd=self.tracer._control_fd)
        self.tracer.makeConnection(cast("IProcessTransport", self.transport))
        self.announced.clear()

    @property
    def tracer(self) -> Any:
        """The tracer of the service."""
        return self.service._tracer

    def send(self, *messages: Message) -> None:
        """Send messages as the tracer."""
        self.tracer.childDataReceived(FRAMES_FD, b"".join(map(encode, messages)))

    def test_target_ended(self) -> None:
        """When the target has ended, the server continues and says so."""
        self.send(Started("test"), Ended())
        [told] = self.announced
        self.assertEqual("the target ended; still serving (Ctrl+C or SIGTERM to stop)", told)
        self.assertNoResult(self.service.finished)

    def test_stopped(self) -> None:
        """A service that is stopped while it traces has detached, and no longer serves."""
        self.send(Started("test"))
        stopped = self.service.stopService()
        self.send(Ended())
        self.tracer.childConnectionLost(FRAMES_FD)
        self.assertEqual(["detached; the target is still running"], self.announced)
        self.assertEqual(0, self.successResultOf(self.service.finished))
        self.assertIsNone(self.successResultOf(stopped))

    def test_quit(self) -> None:
        """If the UI was quit, the tracing of the target has stopped, and not the target."""
        self.send(Started("test"))
        self.service._signals.quit()
        self.send(Ended())
        self.assertEqual(
            [
                "detached; the target is still running",
                "tracing has stopped; still serving (Ctrl+C or SIGTERM to stop)",
            ],
            self.announced,
        )
