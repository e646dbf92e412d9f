"""Tests of the words on how a watch is, which every view takes from here."""

from typing import Any

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Started
from syswatch.model.reading import Reading
from syswatch.model.snapshot import Snapshot
from syswatch.views.state import state


def _snapshot(source: Started | None, bytes_read: int = 0, **changes: Any) -> Snapshot:
    aggregator = Aggregator()
    if source:
        aggregator.started(source)
    if bytes_read:
        aggregator.add(Delta(reading=Reading(bytes=bytes_read, lines=1)))
    return attrs.evolve(aggregator.snapshot(), **changes)


_LIVE = Started("ptrace")
_LOG = Started("strace log", total_bytes=1000)
_PIPED_LOG = Started("strace log")


class StateTests(SynchronousTestCase):
    """One or two words."""

    def test_live(self) -> None:
        """Before the tracer has begun it is said to start; then it traces, whatever comes."""
        self.assertEqual("starting", state(_snapshot(None)))
        self.assertEqual("tracing", state(_snapshot(_LIVE)))

    def test_reading(self) -> None:
        """All of a log is read only when that is over; of a pipe nobody knows how much it is."""
        self.assertEqual("reading 0 %", state(_snapshot(_LOG)))
        self.assertEqual("reading 99 %", state(_snapshot(_LOG, 999)))
        self.assertEqual("reading", state(_snapshot(_PIPED_LOG, 999)))

    def test_ended(self) -> None:
        """How it ended is said where that is known; a log that is over tells of no end."""
        for source, end, words in (
            (_LIVE, Ended(exit_code=0), "exited with 0"),
            (_LIVE, Ended(exit_signal=11), "killed by SIGSEGV"),
            (_LIVE, Ended(exit_signal=42), "killed by signal 42"),
            (_LIVE, Ended(), "ended"),
            (_LOG, Ended(), "read to its end"),
        ):
            self.assertEqual(words, state(_snapshot(source, done=True, end=end)))

    def test_trouble(self) -> None:
        """A watch that broke off has not ended as it should."""
        snapshot = _snapshot(_LIVE, done=True, trouble="the tracer was killed")
        self.assertEqual("stopped early", state(snapshot))
