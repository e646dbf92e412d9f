"""Tests of how the tracer receives its job."""

import os
import signal
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.model.messages import Deliver, Ended, ReadLogs, RunCommand, TraceOptions
from syswatch.tracer import __main__ as child
from tests import samples
from tests.tracer.harness import start

# Sends a signal before the tracer is ready to handle it.
_TOO_EARLY = ("env", "--block-signal=INT,TERM", "sh", "-c", 'kill -$0 $$; exec "$@"')


class JobTests(SynchronousTestCase):
    """Receiving the job."""

    def test_reads_one_message(self) -> None:
        """Messages after the job are not read with it."""
        job, other = ReadLogs(("-",)), Deliver(15)
        out, into = os.pipe()
        self.addCleanup(os.close, out)
        os.write(into, encode(job) + encode(other))
        os.close(into)
        self.assertEqual(job, child.receive_job(out))
        self.assertEqual(encode(other), os.read(out, 100))

    def test_no_job(self) -> None:
        """If the service ends before it sends a job, there is none."""
        out, into = os.pipe()
        self.addCleanup(os.close, out)
        os.close(into)
        self.assertIsNone(child.receive_job(out))


class RecorderTests(SynchronousTestCase):
    """A recorder that loads its packages."""

    def test_awaited(self) -> None:
        """The tracer waits until the recorder is ready, or the service sends a message."""
        for waits_for_recorder in (True, False):
            ready_fd, recorder_fd = os.pipe()
            control_fd, service_fd = os.pipe()
            os.close(recorder_fd if waits_for_recorder else service_fd)
            child.await_recorder(ready_fd, control_fd)
            self.assertRaises(OSError, os.fstat, ready_fd)
            os.close(control_fd)
            os.close(service_fd if waits_for_recorder else recorder_fd)

    def test_not_awaited(self) -> None:
        """A log is read before the recorder is ready: its calls wait in the pipe."""
        ready_fd, recorder_fd = os.pipe()
        self.addCleanup(os.close, recorder_fd)
        log = str(samples.LOGS / "waits.log")
        tracer = start(ReadLogs((log,)), stdin=ready_fd, flags=("--recorder-ready=0",))
        os.close(ready_fd)
        self.assertEqual(Ended(), tracer.finish().ending)


class InterruptTests(SynchronousTestCase):
    """SIGINT or SIGTERM before the tracer is ready."""

    def test_before_ready(self) -> None:
        """It ends the command before its start, without further messages."""
        for name, number in (("INT", signal.SIGINT), ("TERM", signal.SIGTERM)):
            touched = Path(self.mktemp())
            tracer = start(
                RunCommand(("touch", str(touched))),
                prefix=(*_TOO_EARLY, name),
                flags=("--held-back=2", "--held-back=15"),
            )
            outcome = tracer.finish()
            self.assertEqual(Ended(exit_signal=number), outcome.ending)
            self.assertEqual(b"", outcome.errors)
            self.assertFalse(touched.exists())


class JobControlTests(SynchronousTestCase):
    """Ctrl+Z, and reading the terminal in the background."""

    def test_not_suspended(self) -> None:
        """A tracer is not suspended with the job; the command is."""
        show = "grep -h SigIgn /proc/$PPID/status /proc/self/status"
        for backend in ("ptrace", "ebpf"):
            options = TraceOptions(backend=backend)
            outcome = start(RunCommand(("sh", "-c", show), options=options)).finish()
            tracer, command = (int(line, 16) for line in outcome.output.split()[1::2])
            for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
                self.assertEqual((1, 0), (tracer >> number - 1 & 1, command >> number - 1 & 1))
