"""Tests of the screen for another server."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.messages import Started
from syswatch.model.process import ProcessInfo
from syswatch.views import record_builders
from syswatch.views.text_table import plain
from syswatch.views.top import screen


class ScreenTests(SynchronousTestCase):
    """The lines above the table."""

    def test_only(self) -> None:
        """The filters of the server are shown."""
        aggregator = Aggregator()
        aggregator.started(Started("ptrace", only="-P /"))
        snapshot = aggregator.snapshot()

        headline = screen(record_builders.status(snapshot), [], plain, width=None, height=24)[0]

        self.assertIn("tracing · ptrace, only -P /", headline)

    def test_nothing_known(self) -> None:
        """Before the trace begins, there is no PID and no backend to show."""
        status = record_builders.status(Aggregator().snapshot())

        self.assertEqual(
            "a trace  starting · 0s", screen(status, [], plain, width=None, height=24)[0]
        )

    def test_narrow(self) -> None:
        """No line is wider than the terminal: a command line is cut, and columns are left out."""
        aggregator = Aggregator()
        aggregator.started(Started("ptrace", ProcessInfo(pid=7, cmdline="python3 " + "x" * 200)))
        aggregator.add(Delta(calls={"clock_nanosleep": CallTally(count=3, errors=3)}))
        aggregator.failed("the tracer process was killed by signal 9; the results are incomplete")
        snapshot = aggregator.snapshot()

        for width in (200, 80, 60, 40):
            lines = screen(
                record_builders.status(snapshot),
                record_builders.stats(snapshot),
                plain,
                width=width,
                height=24,
            )
            self.assertLessEqual(max(map(len, lines)), width)
            self.assertTrue(lines[0].startswith("python3"))
            self.assertIn("  PID 7  stopped", lines[0])
            self.assertIn("clock_nanosleep", lines[-1])

    def test_cut_short(self) -> None:
        """A trace that was cut short is marked, with the reason."""
        aggregator = Aggregator()
        aggregator.started(Started("ptrace"))
        aggregator.failed("the tracer process was killed by signal 9; the results are incomplete")

        status = record_builders.status(aggregator.snapshot())

        self.assertFalse(status.exact)
        trouble, note = screen(status, [], plain, width=None, height=24)[2:4]
        self.assertEqual(
            "the tracer process was killed by signal 9; the results are incomplete", trouble
        )
        self.assertEqual("cut short: see /api/fidelity", note)
