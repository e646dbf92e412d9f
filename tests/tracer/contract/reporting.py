"""Tests of reports on request."""

import os

from syswatch.model.delta import Delta
from syswatch.model.messages import Report, Reported, RunCommand
from tests.tracer.harness import Tracer, start
from tests.tracer.recorded import sums_of

from .case import BackendCase


class ReportContract(BackendCase):
    """What a tracer sends when it is asked."""

    def test_report(self) -> None:
        """A report has every call that has returned, and the trace continues."""
        read_end, write_end = os.pipe()
        job = RunCommand(("cat",), options=self.options())
        tracer = start(job, stdin=read_end, records=True)
        os.close(read_end)
        output = tracer.process.stdout
        assert output is not None
        # When the second text is there, the call that wrote the first one has returned.
        for text in (b"first", b"other"):
            os.write(write_end, text)
            self.assertEqual(text, output.read(len(text)))
        tracer.send(Report())
        self.assertLess(0, await_report(tracer).recorded_bytes)
        deltas = [each for each in tracer.messages if isinstance(each, Delta)]
        self.assertTrue(any("write" in each.calls for each in deltas))
        os.close(write_end)
        outcome = tracer.finish()
        self.assertEqual(2, outcome.delta.calls["write"].count)
        self.assertEqual(sums_of(outcome.delta.calls), outcome.recorded.sums)


def await_report(tracer: Tracer) -> Reported:
    """Wait until the tracer has sent a report."""
    while True:
        for message in tracer.messages:
            if isinstance(message, Reported):
                return message
        assert tracer.receive(), tracer.messages
