"""Tests of how a tracer child takes its job."""

import os

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import Deliver, ReadLogs
from syswatch.tracer import __main__ as child
from syswatch.wire import encode


class JobTests(SynchronousTestCase):
    """The first words of a service."""

    def test_leaves_the_rest(self) -> None:
        """What stands behind the job is left for whoever does the job."""
        job, signal = ReadLogs(("-",)), Deliver(15)
        out, into = os.pipe()
        self.addCleanup(os.close, out)
        os.write(into, encode(job) + encode(signal))
        os.close(into)
        self.assertEqual(job, child.receive_job(out))
        self.assertEqual(encode(signal), os.read(out, 100))

    def test_nobody(self) -> None:
        """A service that is gone before it gave a job leaves nothing to do."""
        out, into = os.pipe()
        self.addCleanup(os.close, out)
        os.close(into)
        self.assertIsNone(child.receive_job(out))
