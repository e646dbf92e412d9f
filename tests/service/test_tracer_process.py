"""Tests of starting the tracer process, and of messages to and from it."""

import os
import signal
import subprocess
from typing import Any, cast

from twisted.internet.interfaces import IReactorProcess

from syswatch.codec.frames import encode
from syswatch.model.messages import Deliver, Detach, Ended, Started
from syswatch.service import tracer_process as tracer_module
from syswatch.service.inherited import Inherited
from syswatch.service.tracer_process import TracerProcess

from .fake_tracer import CONTROL_FD, FRAMES_FD, READS, TracerCase


class TracerProcessTests(TracerCase):
    """A child that sends frames."""

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
        self.tracer.recorder = None
        self.tracer.spawn(cast("IReactorProcess", Reactor()))

        self.assertEqual({0: 0, 1: 1, 2: 2, FRAMES_FD: "r", CONTROL_FD: "w"}, spawned["childFDs"])
        self.assertEqual({"HOME": "/root"}, spawned["env"])
        blocked = [f"--held-back={number}" for number in (1, 2, 3, 15)]
        words = ["-m", "syswatch.tracer", "3", "4", *blocked]
        self.assertEqual(words, spawned["arguments"][2][1:])

    def test_recorded(self) -> None:
        """With a recorder, the child gets two more pipes, of which no other end stays open here."""
        reading_fd, self.recorder.events_fd = os.pipe()
        self.recorder.ready_fd, ready_fd = os.pipe()
        self.addCleanup(os.close, reading_fd)
        self.addCleanup(os.close, ready_fd)
        spawned: dict[str, Any] = {}

        class Reactor:
            def spawnProcess(self, *arguments: Any, **options: Any) -> None:
                spawned.update(words=arguments[2], copy=os.dup(options["childFDs"][5]))

        self.tracer.spawn(cast("IReactorProcess", Reactor()))
        self.assertEqual(["--events=5", "--recorder-ready=6"], spawned["words"][-2:])
        os.write(spawned["copy"], b"x")
        os.close(spawned["copy"])
        self.assertEqual((b"x", b""), (os.read(reading_fd, 2), os.read(reading_fd, 2)))

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
        whole = encode(Started("test")) + encode(READS)
        for index in range(len(whole)):
            self.tracer.childDataReceived(FRAMES_FD, whole[index : index + 1])
        self.send(Ended())

        self.assertEqual(2, self.session.snapshot.total)
        self.assertTrue(self.session.snapshot.done)
        self.assertEqual(whole + encode(Ended()), self.recorder_transport.written)

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
