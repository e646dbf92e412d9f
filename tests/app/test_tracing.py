"""Tests of a run with a server: readiness, when it keeps serving, and what it announces."""

from typing import Any, cast

from twisted.internet.interfaces import IProcessTransport
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app import results, serving, tracing
from syswatch.app.tracing import TracingService
from syswatch.codec.frames import Message, encode
from syswatch.model.messages import Ended, Failed, Started
from syswatch.service import systemd
from syswatch.service.tracer_process import TracerProcess
from tests.options.parsing import config_of
from tests.service.fake_tracer import FRAMES_FD, FakeTransport


class ServingCase(SynchronousTestCase):
    """A server of a process that was attached to."""

    target: tuple[str, ...] = ("1234",)

    def setUp(self) -> None:
        """Start the service, with a tracer that is not a process."""
        self.announced: list[str] = []
        for module in (tracing, results, serving):
            self.patch(module, "announce", self.announced.append)
        self.patch(TracerProcess, "spawn", lambda *_: None)
        self.notified: list[str] = []
        for module in (tracing, systemd):
            self.patch(module, "notify_systemd", self.notified.append)
        self.patch(tracing, "raise_open_files_limit", lambda: None)
        self.reactor = MemoryReactorClock()
        config = config_of("attach", "--serve", "unix:x.sock", *self.target)
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


class EndTests(ServingCase):
    """When the server keeps serving, and what it announces."""

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


class ReadinessTests(ServingCase):
    """When the service manager learns that the service has started."""

    def test_started(self) -> None:
        """It is notified once, when the tracer has started."""
        self.assertEqual([], self.notified)
        self.send(Started("test"))
        self.assertEqual(["READY=1"], self.notified)
        self.service.session.publish()
        self.assertEqual(["READY=1"], self.notified)

    def test_failed(self) -> None:
        """It is not notified if the tracer cannot start."""
        self.send(Failed("cannot attach"))
        self.assertEqual([], self.notified)


class WaitingTests(ServingCase):
    """A service that waits for its target."""

    target = ("--wait", "nginx")

    def test_waiting(self) -> None:
        """The service manager need not wait for the target."""
        self.assertEqual(["READY=1"], self.notified)
        self.send(Started("test"))
        self.assertEqual(["READY=1"], self.notified)
