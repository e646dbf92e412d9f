"""Tests of the results of a run."""

import signal
from pathlib import Path

import attrs
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app import results
from syswatch.app.signals import SignalHandler
from syswatch.model.delta import Delta
from syswatch.model.snapshot import Snapshot
from syswatch.profiles import architectures
from syswatch.service.session import Outcome, Session
from syswatch.service.tracer_process import TracerProcess
from tests.options.parsing import config_of
from tests.profiles.samples import SERVER
from tests.views.snapshots import snapshot_of


class InterruptedTests(SynchronousTestCase):
    """SIGTERM to the whole process group, which also ends the tracer."""

    def test_before_tracing(self) -> None:
        """Before tracing has begun, the end of the tracer is no failure."""
        self.assertEqual(["interrupted before tracing started"], self.messages(signal.SIGTERM))

    def test_uninterrupted(self) -> None:
        """Without an interrupt, a tracer that was killed is a failure."""
        self.assertEqual(["the tracer process was killed"], self.messages(0))

    def messages(self, received: int) -> list[str]:
        """Return what is printed if the tracer is killed before tracing has begun."""
        config = config_of("attach", "--tui", "never", "1")
        clock = Clock()
        messages: list[str] = []
        self.patch(results, "announce", messages.append)
        session = Session(clock)
        tracer = TracerProcess(config.job, session, clock)
        signals = SignalHandler(config.job, tracer, lambda _: None)
        signals.received = received
        outcome = Outcome(None, "the tracer process was killed", 1)
        self.assertEqual(1, results.write_results(config, session.snapshot, outcome, signals))
        return messages


class ReportTests(SynchronousTestCase):
    """The report that is written to a file."""

    def written(self, snapshot: Snapshot, *words: str) -> str:
        """Return the report of a snapshot."""
        file = Path(self.mktemp())
        results.write_report(config_of(*words, "-"), snapshot, str(file), top_files=0)
        return file.read_text()

    def test_profile(self) -> None:
        """What the program needs is in it if evidence was counted, also in that of a range."""
        counted = snapshot_of(Delta(evidence=SERVER))
        part = attrs.evolve(snapshot_of(Delta()), part_of=counted)
        for snapshot in (counted, part):
            self.assertIn("8 system calls needed", self.written(snapshot, "stats"))
        empty = snapshot_of(Delta())
        self.assertIn("No call has been seen yet.", self.written(empty, "stats", "--profile"))
        self.assertNotIn("<h2>Profile</h2>", self.written(empty, "stats"))
        self.patch(architectures, "native", lambda: None)
        self.assertNotIn("<h2>Profile</h2>", self.written(counted, "stats"))
