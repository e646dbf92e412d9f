"""Tests of the tracer process."""

import io
import signal
import subprocess
from typing import Any, cast

import attrs
from twisted.internet.error import ProcessDone, ProcessExitedAlready, ProcessTerminated
from twisted.internet.interfaces import IProcessTransport, IReactorProcess
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import Decoder, Message, encode
from syswatch.codec.recording import RecordingWriter
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.messages import Deliver, Detach, Ended, Failed, ReadLogs, Started
from syswatch.service import tracer_process as tracer_module
from syswatch.service.inherited import Inherited
from syswatch.service.session import Session
from syswatch.service.tracer_process import DETACH_S, TracerProcess

FRAMES_FD, CONTROL_FD = 3, 4
_READS = Delta(calls={"read": CallTally(count=2)})


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


class TracerProcessTests(SynchronousTestCase):
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

    def test_job(self) -> None:
        """The first message to the child is its job."""
        self.assertEqual([self.job], self.transport.messages)

    def test_spawned(self) -> None:
        """The child gets the standard streams and two pipes."""
        spawned: dict[str, Any] = {}

        class Reactor:
            def spawnProcess(self, *arguments: Any, **options: Any) -> None:
                spawned.update(options, arguments=arguments)

        given = {"HOME": "/root", "NOTIFY_SOCKET": "/run/notify"}
        self.patch(tracer_module, "given_environment", lambda: given)
        self.tracer.spawn(cast("IReactorProcess", Reactor()))

        self.assertEqual({0: 0, 1: 1, 2: 2, FRAMES_FD: "r", CONTROL_FD: "w"}, spawned["childFDs"])
        self.assertEqual({"HOME": "/root"}, spawned["env"])
        blocked = ["--held-back=1", "--held-back=2", "--held-back=15"]
        words = ["-m", "syswatch.tracer", "3", "4", *blocked]
        self.assertEqual(words, spawned["arguments"][2][1:])

    def test_interrupts(self) -> None:
        """The child starts with SIGINT blocked, and unblocks it unless it was blocked before."""
        seen: list[tuple[bool, bool]] = []

        class Reactor:
            def spawnProcess(self, *arguments: Any, **_: Any) -> None:
                blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
                seen.append((signal.SIGINT in blocked, "--held-back=2" in arguments[2]))

        before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self.addCleanup(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        for mask in (before, {*before, signal.SIGINT}):
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            self.tracer.spawn(cast("IReactorProcess", Reactor()))
            self.assertEqual(mask, signal.pthread_sigmask(signal.SIG_BLOCK, ()))
        self.assertEqual([(True, True), (True, False)], seen)

    def test_inherited(self) -> None:
        """Inherited attributes are passed on; the pipes use free descriptors."""
        spawned: dict[str, Any] = {}

        class Reactor:
            def spawnProcess(self, *arguments: Any, **options: Any) -> None:
                spawned.update(options, arguments=arguments)

        given = Inherited(ignored=(1, 2), descriptors=(3, 5, 63))
        tracer = TracerProcess(self.job, self.session, self.clock, inherited=given)
        tracer.spawn(cast("IReactorProcess", Reactor()))

        handed_on = {0: 0, 1: 1, 2: 2, 3: 3, 5: 5, 63: 63}
        self.assertEqual({**handed_on, 4: "r", 6: "w"}, spawned["childFDs"])
        self.assertEqual(["4", "6", "1", "2"], spawned["arguments"][2][3:7])

    def test_frames(self) -> None:
        """Messages reach the session and the recording, however the frames are split."""
        whole = encode(Started("test")) + encode(_READS)
        for index in range(len(whole)):
            self.tracer.childDataReceived(FRAMES_FD, whole[index : index + 1])
        self.send(Ended())

        self.assertEqual(2, self.session.snapshot.total)
        self.assertTrue(self.session.snapshot.done)
        self.assertEqual(whole + encode(Ended()), self.recording.getvalue())

    def test_killed(self) -> None:
        """A killed tracer ends the session with status 1; the numbers stay."""
        self.send(Started("test"), _READS)
        self.end(ProcessTerminated(signal=signal.SIGKILL))

        assert self.session.outcome is not None
        self.assertEqual(1, self.session.outcome.exit_status)
        self.assertIn("killed by signal 9", self.session.outcome.trouble)
        self.assertEqual(2, self.session.snapshot.total)

    def test_recording_of_a_lost_tracer(self) -> None:
        """A recording ends with complete messages and the end of the tracer."""
        self.send(Started("test"))
        self.tracer.childDataReceived(FRAMES_FD, encode(_READS)[:-1])
        self.end(ProcessTerminated(signal=signal.SIGKILL))

        decoder = Decoder()
        decoder.receive_data(self.recording.getvalue())
        started, failed = decoder.events()
        self.assertEqual(Started("test"), started)
        assert isinstance(failed, Failed)
        self.assertIn("killed by signal 9", failed.message)

    def test_out_of_time(self) -> None:
        """The limit on CPU time is named."""
        self.end(ProcessTerminated(signal=signal.SIGXCPU))

        assert self.session.outcome is not None
        self.assertIn("the limit on CPU time, ulimit -t", self.session.outcome.trouble)

    def test_ended_early(self) -> None:
        """A tracer without a final message ends the session, whatever its status."""
        for reason, words in (
            (ProcessDone(0), "exited unexpectedly"),
            (ProcessTerminated(7), "status 7"),
        ):
            self.setUp()
            self.end(reason)

            assert self.session.outcome is not None
            self.assertIn(words, self.session.outcome.trouble)

    def test_final_message(self) -> None:
        """After its final message the tracer may end with any status."""
        self.send(_READS, Ended())
        self.end(ProcessTerminated(1))

        assert self.session.outcome is not None
        self.assertEqual("", self.session.outcome.trouble)

    def test_invalid_data(self) -> None:
        """A child that sends invalid data is killed once; earlier messages stay."""
        self.send(_READS)
        self.tracer.childDataReceived(FRAMES_FD, b"\xff" * 10)
        self.transport.has_ended = True
        self.tracer.childDataReceived(FRAMES_FD, b"\xff" * 10)

        self.assertEqual(["KILL"], self.transport.signals)
        assert self.session.outcome is not None
        self.assertIn("invalid message", self.session.outcome.trouble)
        self.assertEqual(2, self.session.snapshot.total)

    def test_detach(self) -> None:
        """A child that detaches in time is not killed."""
        gone: list[None] = []
        self.tracer.detach().addCallback(gone.append)
        self.tracer.detach().addCallback(gone.append)
        self.assertEqual([self.job, Detach()], self.transport.messages)
        self.assertEqual([CONTROL_FD], self.transport.closed)
        self.assertEqual([], gone)

        self.send(Ended())
        self.end()
        self.clock.advance(2 * DETACH_S)

        self.assertEqual([None, None], gone)
        self.assertEqual([], self.transport.signals)
        self.assertEqual([], self.clock.getDelayedCalls())

    def test_detach_stays(self) -> None:
        """A child that stays with its command after the final message is not waited for."""
        gone: list[None] = []
        self.tracer.detach().addCallback(gone.append)
        self.send(Started("ptrace"), Ended())
        self.tracer.childConnectionLost(FRAMES_FD)
        self.assertEqual([None], gone)
        self.clock.advance(DETACH_S)
        self.assertEqual([], self.transport.signals)
        self.assertIsNone(self.successResultOf(self.tracer.detach()))

    def test_detach_takes_too_long(self) -> None:
        """A child that does not detach in time is killed."""
        self.tracer.detach()
        self.clock.advance(DETACH_S + 0.1)

        self.assertEqual(["KILL"], self.transport.signals)

    def test_killed_too_late(self) -> None:
        """Killed when it should have detached, it has failed only if tracing had begun."""
        for messages, trouble in (
            ((), ""),
            ((Started("test"),), "did not detach within 1.2 s and was killed"),
        ):
            self.setUp()
            self.send(*messages)
            self.tracer.detach()
            self.clock.advance(DETACH_S + 0.1)
            self.end(ProcessTerminated(signal=signal.SIGKILL))

            assert self.session.outcome is not None
            self.assertEqual(int(bool(trouble)), self.session.outcome.exit_status)
            self.assertIn(trouble, self.session.outcome.trouble)
            self.assertEqual(bool(trouble), bool(self.session.outcome.trouble))

    def test_detach_when_gone(self) -> None:
        """A child that has ended need not detach."""
        self.end()

        self.assertIsNone(self.successResultOf(self.tracer.detach()))
        self.assertEqual([self.job], self.transport.messages)

    def test_deliver(self) -> None:
        """Signals are passed on until the child is written to detach."""
        self.tracer.deliver(signal.SIGTERM)
        self.tracer.detach()
        self.tracer.deliver(signal.SIGTERM)

        self.assertEqual([self.job, Deliver(signal.SIGTERM), Detach()], self.transport.messages)

    def test_interrupt_group(self) -> None:
        """SIGINT reaches the process group of a child without a terminal."""
        self.tracer.without_terminal = True
        with subprocess.Popen(["sleep", "60"], start_new_session=True) as leader:
            self.transport.pid = leader.pid
            self.tracer.deliver(signal.SIGINT)
            self.assertEqual(-signal.SIGINT, leader.wait())
        self.assertEqual([self.job], self.transport.messages)

        # Without a group, the child passes the signal on.
        self.tracer.deliver(signal.SIGINT)
        self.assertEqual([self.job, Deliver(signal.SIGINT)], self.transport.messages)

    def test_full_disk(self) -> None:
        """A recording that cannot be written ends; the session continues."""

        class FullDisk(io.BytesIO):
            def write(self, _: Any) -> int:
                raise OSError(28, "No space left on device")

        notices: list[str] = []
        self.patch(tracer_module, "announce", notices.append)
        self.tracer.recording = RecordingWriter(FullDisk())
        self.send(_READS)
        self.send(_READS)

        self.assertEqual(2, self.session.snapshot.total)
        self.assertIsNone(self.tracer.recording)
        self.assertTrue(self.tracer.recording_failed)
        self.assertEqual(["the recording is incomplete: No space left on device"], notices)

    def test_nearly_full_disk(self) -> None:
        """A recording is written in as many parts as needed."""

        class NearlyFullDisk(io.BytesIO):
            def write(self, data: Any) -> int:
                return super().write(data[:3])

        recording = NearlyFullDisk()
        self.tracer.recording = RecordingWriter(recording)
        self.send(_READS)

        self.assertEqual(encode(_READS), recording.getvalue())
