"""Tests of how a tracer child takes its job."""

import os
import signal
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.model.messages import Deliver, Ended, ReadLogs, RunCommand
from syswatch.tracer import __main__ as child
from tests.tracer.harness import start

# Makes a Ctrl+C come before what it starts can have got ready for one.
_TOO_EARLY = ("env", "--block-signal=INT,TERM", "sh", "-c", 'kill -$0 $$; exec "$@"')


class JobTests(SynchronousTestCase):
    """The first words of a service."""

    def test_leaves_the_rest(self) -> None:
        """What stands behind the job is left for whoever does the job."""
        job, word = ReadLogs(("-",)), Deliver(15)
        out, into = os.pipe()
        self.addCleanup(os.close, out)
        os.write(into, encode(job) + encode(word))
        os.close(into)
        self.assertEqual(job, child.receive_job(out))
        self.assertEqual(encode(word), os.read(out, 100))

    def test_nobody(self) -> None:
        """A service that is gone before it gave a job leaves nothing to do."""
        out, into = os.pipe()
        self.addCleanup(os.close, out)
        os.close(into)
        self.assertIsNone(child.receive_job(out))


class InterruptTests(SynchronousTestCase):
    """A Ctrl+C or a SIGTERM that comes before the tracer is ready for it."""

    def test_held_back(self) -> None:
        """It is the end of the command, which has not begun, and nothing else is said."""
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
