"""Tests of the tracer child, as the reactor sees it."""

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
    """Keeps what a child would have been told."""

    told: bytes = b""
    closed: list[int] = attrs.field(factory=list)
    signals: list[str] = attrs.field(factory=list)
    gone: bool = False
    pid: int = 0

    def writeToChild(self, childFD: int, data: bytes) -> None:
        """Take words for the child."""
        assert childFD == CONTROL_FD
        self.told += data

    def closeChildFD(self, descriptor: int) -> None:
        """Take note that a pipe is closed."""
        self.closed.append(descriptor)

    def signalProcess(self, name: str) -> None:
        """Take note of a signal."""
        if self.gone:
            raise ProcessExitedAlready
        self.signals.append(name)

    @property
    def words(self) -> list[Message]:
        """What the child was told."""
        decoder = Decoder()
        decoder.receive_data(self.told)
        return list(decoder.events())


class TracerProcessTests(SynchronousTestCase):
    """A child that says frames."""

    def setUp(self) -> None:
        """Have a child that has just begun."""
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

    def say(self, *messages: Message) -> None:
        """Let the child say something."""
        self.tracer.childDataReceived(FRAMES_FD, b"".join(map(encode, messages)))

    def die(self, reason: Exception | None = None) -> None:
        """Let the child be gone."""
        self.transport.gone = True
        self.tracer.processEnded(Failure(reason or ProcessDone(0)))

    def test_job(self) -> None:
        """The first word to the child is its job."""
        self.assertEqual([self.job], self.transport.words)

    def test_spawned(self) -> None:
        """The child is started with the user's own descriptors and two pipes."""
        spawned: dict[str, Any] = {}

        class Reactor:
            def spawnProcess(self, *arguments: Any, **options: Any) -> None:
                spawned.update(options, arguments=arguments)

        given = {"HOME": "/root", "NOTIFY_SOCKET": "/run/notify"}
        self.patch(tracer_module, "given_environment", lambda: given)
        self.tracer.spawn(cast("IReactorProcess", Reactor()))

        self.assertEqual({0: 0, 1: 1, 2: 2, FRAMES_FD: "r", CONTROL_FD: "w"}, spawned["childFDs"])
        self.assertEqual({"HOME": "/root"}, spawned["env"])
        held_back = ["--held-back=1", "--held-back=2", "--held-back=15"]
        words = ["-m", "syswatch.tracer", "3", "4", *held_back]
        self.assertEqual(words, spawned["arguments"][2][1:])

    def test_interrupts(self) -> None:
        """A child gets no Ctrl+C before it asks for it, unless nobody is to get one."""
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

    def test_inheritance(self) -> None:
        """What the user's shell handed down is handed on; the pipes are where nothing else is."""
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
        """What the child says reaches the session, however it is cut, and the recording."""
        whole = encode(Started("test")) + encode(_READS)
        for index in range(len(whole)):
            self.tracer.childDataReceived(FRAMES_FD, whole[index : index + 1])
        self.say(Ended())

        self.assertEqual(2, self.session.snapshot.total)
        self.assertTrue(self.session.snapshot.done)
        self.assertEqual(whole + encode(Ended()), self.recording.getvalue())

    def test_killed(self) -> None:
        """A killed tracer ends the session with status 1, and what was known stays."""
        self.say(Started("test"), _READS)
        self.die(ProcessTerminated(signal=signal.SIGKILL))

        assert self.session.outcome is not None
        self.assertEqual(1, self.session.outcome.exit_status)
        self.assertIn("killed by signal 9", self.session.outcome.trouble)
        self.assertEqual(2, self.session.snapshot.total)

    def test_recording_of_a_lost_tracer(self) -> None:
        """A recording ends with whole messages, and with what became of the tracer."""
        self.say(Started("test"))
        self.tracer.childDataReceived(FRAMES_FD, encode(_READS)[:-1])
        self.die(ProcessTerminated(signal=signal.SIGKILL))

        decoder = Decoder()
        decoder.receive_data(self.recording.getvalue())
        started, failed = decoder.events()
        self.assertEqual(Started("test"), started)
        assert isinstance(failed, Failed)
        self.assertIn("killed by signal 9", failed.message)

    def test_out_of_time(self) -> None:
        """Where a limit killed it, that is named."""
        self.die(ProcessTerminated(signal=signal.SIGXCPU))

        assert self.session.outcome is not None
        self.assertIn("the limit on CPU time, ulimit -t", self.session.outcome.trouble)

    def test_ended_early(self) -> None:
        """So does one that goes without a word, whatever its status."""
        for reason, words in (
            (ProcessDone(0), "exited unexpectedly"),
            (ProcessTerminated(7), "status 7"),
        ):
            self.setUp()
            self.die(reason)

            assert self.session.outcome is not None
            self.assertIn(words, self.session.outcome.trouble)

    def test_good_bye(self) -> None:
        """A tracer that has said good-bye may go with any status."""
        self.say(_READS, Ended())
        self.die(ProcessTerminated(1))

        assert self.session.outcome is not None
        self.assertEqual("", self.session.outcome.trouble)

    def test_not_understood(self) -> None:
        """A child that says nonsense is killed, once, and what it said before stays."""
        self.say(_READS)
        self.tracer.childDataReceived(FRAMES_FD, b"\xff" * 10)
        self.transport.gone = True
        self.tracer.childDataReceived(FRAMES_FD, b"\xff" * 10)

        self.assertEqual(["KILL"], self.transport.signals)
        assert self.session.outcome is not None
        self.assertIn("invalid message", self.session.outcome.trouble)
        self.assertEqual(2, self.session.snapshot.total)

    def test_detach(self) -> None:
        """A child that is told to detach, and does, is not killed."""
        gone: list[None] = []
        self.tracer.detach().addCallback(gone.append)
        self.tracer.detach().addCallback(gone.append)
        self.assertEqual([self.job, Detach()], self.transport.words)
        self.assertEqual([CONTROL_FD], self.transport.closed)
        self.assertEqual([], gone)

        self.say(Ended())
        self.die()
        self.clock.advance(2 * DETACH_S)

        self.assertEqual([None, None], gone)
        self.assertEqual([], self.transport.signals)
        self.assertEqual([], self.clock.getDelayedCalls())

    def test_detach_stays(self) -> None:
        """Nobody waits for a child that has said good-bye, and stays with a command."""
        gone: list[None] = []
        self.tracer.detach().addCallback(gone.append)
        self.say(Started("ptrace"), Ended())
        self.tracer.childConnectionLost(FRAMES_FD)
        self.assertEqual([None], gone)
        self.clock.advance(DETACH_S)
        self.assertEqual([], self.transport.signals)
        self.assertIsNone(self.successResultOf(self.tracer.detach()))

    def test_detach_takes_too_long(self) -> None:
        """One that does not is killed."""
        self.tracer.detach()
        self.clock.advance(DETACH_S + 0.1)

        self.assertEqual(["KILL"], self.transport.signals)

    def test_detach_when_gone(self) -> None:
        """There is nobody to wait for when it is gone already."""
        self.die()

        self.assertIsNone(self.successResultOf(self.tracer.detach()))
        self.assertEqual([self.job], self.transport.words)

    def test_deliver(self) -> None:
        """Signals are passed on, until it was told to detach."""
        self.tracer.deliver(signal.SIGTERM)
        self.tracer.detach()
        self.tracer.deliver(signal.SIGTERM)

        self.assertEqual([self.job, Deliver(signal.SIGTERM), Detach()], self.transport.words)

    def test_interrupt_group(self) -> None:
        """A child away from the terminal leads a group, and Ctrl+C is for all of it."""
        self.tracer.without_terminal = True
        with subprocess.Popen(["sleep", "60"], start_new_session=True) as leader:
            self.transport.pid = leader.pid
            self.tracer.deliver(signal.SIGINT)
            self.assertEqual(-signal.SIGINT, leader.wait())
        self.assertEqual([self.job], self.transport.words)

        # Nobody is led any more, or not yet: then the child passes it on.
        self.tracer.deliver(signal.SIGINT)
        self.assertEqual([self.job, Deliver(signal.SIGINT)], self.transport.words)

    def test_full_disk(self) -> None:
        """A recording that cannot go on ends; the watching does not."""

        class FullDisk(io.BytesIO):
            def write(self, _: Any) -> int:
                raise OSError(28, "No space left on device")

        said: list[str] = []
        self.patch(tracer_module, "announce", said.append)
        self.tracer.recording = RecordingWriter(FullDisk())
        self.say(_READS)
        self.say(_READS)

        self.assertEqual(2, self.session.snapshot.total)
        self.assertIsNone(self.tracer.recording)
        self.assertTrue(self.tracer.recording_failed)
        self.assertEqual(["the recording is incomplete: No space left on device"], said)

    def test_nearly_full_disk(self) -> None:
        """A recording is written in as many parts as it takes."""

        class NearlyFullDisk(io.BytesIO):
            def write(self, data: Any) -> int:
                return super().write(data[:3])

        recording = NearlyFullDisk()
        self.tracer.recording = RecordingWriter(recording)
        self.say(_READS)

        self.assertEqual(encode(_READS), recording.getvalue())
