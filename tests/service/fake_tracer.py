"""A tracer process without a process."""

from typing import cast

import attrs
from twisted.internet.error import ProcessDone, ProcessExitedAlready
from twisted.internet.interfaces import IProcessTransport
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import Decoder, Message, encode
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.messages import ReadLogs
from syswatch.model.recording import RecordingState
from syswatch.service.inherited import Inherited
from syswatch.service.recorder_process import RecorderProcess
from syswatch.service.session import Session
from syswatch.service.tracer_process import TracerProcess

FRAMES_FD, CONTROL_FD = 3, 4
READS = Delta(calls={"read": CallTally(count=2)})


@attrs.define
class FakeTransport:
    """A transport that records what is sent to the child."""

    written: bytes = b""
    frames_fd: int = CONTROL_FD
    closed: list[int] = attrs.field(factory=list)
    signals: list[str] = attrs.field(factory=list)
    has_ended: bool = False
    pid: int = 0

    def writeToChild(self, childFD: int, data: bytes) -> None:
        """Record data for the child."""
        assert childFD == self.frames_fd
        self.written += data

    def closeChildFD(self, descriptor: int) -> None:
        """Record that a pipe is closed."""
        self.closed.append(descriptor)

    def signalProcess(self, name: str) -> None:
        """Record a signal."""
        if self.has_ended:
            raise ProcessExitedAlready
        self.signals.append(name)

    @property
    def messages(self) -> list[Message]:
        """The messages sent to the child."""
        decoder = Decoder()
        decoder.receive_data(self.written)
        return list(decoder.events())


class TracerCase(SynchronousTestCase):
    """A child that sends frames."""

    def setUp(self) -> None:
        """Create a child that has just started."""
        self.clock = Clock()
        self.session = Session(self.clock)
        self.job = ReadLogs(("a.log",))
        self.recorder = RecorderProcess(
            self.clock, ["--directory=x"], (RecordingState("x"),), self.session.receive_report
        )
        self.recorder_transport = FakeTransport(frames_fd=0)
        self.recorder.makeConnection(cast("IProcessTransport", self.recorder_transport))
        self.tracer = TracerProcess(
            self.job,
            self.session,
            self.clock,
            self.recorder,
            inherited=Inherited(),
        )
        self.transport = FakeTransport()
        self.tracer.makeConnection(cast("IProcessTransport", self.transport))

    def send(self, *messages: Message) -> None:
        """Send messages as the child."""
        self.tracer.childDataReceived(FRAMES_FD, b"".join(map(encode, messages)))

    def end(self, reason: Exception | None = None) -> None:
        """End the child."""
        self.transport.has_ended = True
        self.tracer.processEnded(Failure(reason or ProcessDone(0)))
