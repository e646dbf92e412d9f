"""A tracer process without a process."""

import io
from typing import cast

import attrs
from twisted.internet.error import ProcessDone, ProcessExitedAlready
from twisted.internet.interfaces import IProcessTransport
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import Decoder, Message, encode
from syswatch.codec.recording import RecordingWriter
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.messages import ReadLogs
from syswatch.service.inherited import Inherited
from syswatch.service.session import Session
from syswatch.service.tracer_process import TracerProcess

FRAMES_FD, CONTROL_FD = 3, 4
READS = Delta(calls={"read": CallTally(count=2)})


@attrs.define
class FakeTransport:
    """A transport that records what is sent to the child."""

    written: bytes = b""
    closed: list[int] = attrs.field(factory=list)
    signals: list[str] = attrs.field(factory=list)
    has_ended: bool = False
    pid: int = 0

    def writeToChild(self, childFD: int, data: bytes) -> None:
        """Record data for the child."""
        assert childFD == CONTROL_FD
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
        self.recording = io.BytesIO()
        self.job = ReadLogs(("a.log",))
        self.tracer = TracerProcess(
            self.job,
            self.session,
            self.clock,
            RecordingWriter(self.recording),
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
