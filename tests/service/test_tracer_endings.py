"""Tests of how the tracer process ends."""

import signal

from twisted.internet.error import ProcessDone, ProcessTerminated

from syswatch.codec.frames import encode
from syswatch.machine.proc import Stat
from syswatch.model.messages import Detach, Ended, Failed, Started
from syswatch.service import tracer_process
from syswatch.service.tracer_process import DETACH_S

from .fake_tracer import CONTROL_FD, FRAMES_FD, READS, TracerCase


def _stat(ticks: int) -> Stat:
    """Return the state of a process that has used so much CPU time."""
    return Stat(b"python", ["S", *["0"] * 10, str(ticks), "0"])


class EndingTests(TracerCase):
    """A child that ends or is to detach."""

    def test_killed(self) -> None:
        """A killed tracer ends the session with status 1; the numbers stay."""
        self.send(Started("test"), READS)
        self.end(ProcessTerminated(signal=signal.SIGKILL))

        assert self.session.outcome is not None
        self.assertEqual(1, self.session.outcome.exit_status)
        self.assertIn("killed by signal 9", self.session.outcome.trouble)
        self.assertEqual(2, self.session.snapshot.total)

    def test_recording_of_a_lost_tracer(self) -> None:
        """A recording ends with complete messages and the end of the tracer."""
        self.send(Started("test"))
        self.tracer.childDataReceived(FRAMES_FD, encode(READS)[:-1])
        self.end(ProcessTerminated(signal=signal.SIGKILL))

        started, failed = self.recorder_transport.messages
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
        self.send(READS, Ended())
        self.end(ProcessTerminated(1))

        assert self.session.outcome is not None
        self.assertEqual("", self.session.outcome.trouble)

    def test_invalid_data(self) -> None:
        """A child that sends invalid data is killed once; earlier messages stay."""
        self.send(READS)
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

    def test_detach_of_much(self) -> None:
        """A child that works is given more time, but not for ever; one that hangs is not."""
        for cpu_ticks, killed_after in (((0, 1, 3, 3), 3), (range(100), 7)):
            self.setUp()
            used = iter(cpu_ticks)
            self.patch(tracer_process, "read_stat", lambda _, used=used: _stat(next(used)))
            self.send(Started("test"))
            self.tracer.detach()
            self.clock.pump([DETACH_S] * (killed_after - 1))
            self.assertEqual([], self.transport.signals)
            self.clock.advance(DETACH_S)
            self.assertEqual(["KILL"], self.transport.signals)
            self.end(ProcessTerminated(signal=signal.SIGKILL))

            assert self.session.outcome is not None
            seconds = f"{killed_after * DETACH_S:.1f}"
            self.assertIn(f"did not detach within {seconds} s", self.session.outcome.trouble)

    def test_killed_too_late(self) -> None:
        """Killed when it should have detached, it has failed only if tracing had begun."""
        for messages, trouble in (
            ((), ""),
            ((Started("test"),), "did not detach within 1.2 s and was killed"),
        ):
            self.setUp()
            self.send(*messages)
            self.tracer.detach()
            self.clock.advance(DETACH_S)
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
