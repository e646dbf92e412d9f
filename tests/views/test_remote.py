"""Tests of the screen for another server."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.aggregator import Aggregator
from syswatch.model.messages import Started
from syswatch.views import shapes
from syswatch.views.ink import plain
from syswatch.views.remote import screen


class ScreenTests(SynchronousTestCase):
    """What stands above the table."""

    def test_only(self) -> None:
        """That calls are left out is said as the server says it."""
        aggregator = Aggregator()
        aggregator.started(Started("ptrace", only="-P /"))
        snapshot = aggregator.snapshot()

        headline = screen(shapes.status(snapshot), [], 24, plain)[0]

        self.assertIn("tracing · ptrace, only -P /", headline)

    def test_nothing_known(self) -> None:
        """Before the trace begins, there is no PID and no backend to show."""
        status = shapes.status(Aggregator().snapshot())

        self.assertEqual("a trace  starting · 0s", screen(status, [], 24, plain)[0])

    def test_cut_short(self) -> None:
        """Numbers that end early are called so, with the reason above."""
        aggregator = Aggregator()
        aggregator.started(Started("ptrace"))
        aggregator.failed("the tracer process was killed by signal 9; numbers end here")

        status = shapes.status(aggregator.snapshot())

        self.assertFalse(status.exact)
        trouble, note = screen(status, [], 24, plain)[2:4]
        self.assertEqual("the tracer process was killed by signal 9; numbers end here", trouble)
        self.assertEqual("cut short: see /api/fidelity", note)
