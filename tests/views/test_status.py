"""Tests of the state of a trace as text."""

from typing import Any

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.ledger import Reading
from syswatch.model.messages import Ended, Started
from syswatch.model.snapshot import Snapshot
from syswatch.views.status import progress_line, state, verdict


def _snapshot(source: Started | None, bytes_read: int = 0, **changes: Any) -> Snapshot:
    aggregator = Aggregator()
    if source:
        aggregator.started(source)
    if bytes_read:
        aggregator.add(Delta(reading=Reading(bytes=bytes_read, lines=1)))
    return attrs.evolve(aggregator.snapshot(), **changes)


def _read(done: int, total: int | None, lines: int = 0) -> Snapshot:
    """Return the snapshot of a log that is partly read."""
    aggregator = Aggregator()
    aggregator.started(Started("strace log", total_bytes=total))
    aggregator.add(Delta(reading=Reading(bytes=done, lines=lines)))
    return aggregator.snapshot()


_LIVE = Started("ptrace")
_LOG = Started("strace log", total_bytes=1000)
_PIPED_LOG = Started("strace log")


class StateTests(SynchronousTestCase):
    """The state in a word or two."""

    def test_live(self) -> None:
        """A trace is starting until the tracer reports, then it is tracing."""
        self.assertEqual("starting", state(_snapshot(None)))
        self.assertEqual("tracing", state(_snapshot(_LIVE)))

    def test_reading(self) -> None:
        """Percentages are rounded down; a pipe has no size, and no percentage."""
        self.assertEqual("reading 0 %", state(_snapshot(_LOG)))
        self.assertEqual("reading 99 %", state(_snapshot(_LOG, 999)))
        self.assertEqual("reading", state(_snapshot(_PIPED_LOG, 999)))

    def test_ended(self) -> None:
        """The state after the end is how the program ended, where that is known."""
        for source, end, words in (
            (_LIVE, Ended(exit_code=0), "exited with 0"),
            (_LIVE, Ended(exit_signal=11), "killed by SIGSEGV"),
            (_LIVE, Ended(exit_signal=42), "killed by signal 42"),
            (_LIVE, Ended(), "ended"),
            (_LOG, Ended(), "log fully read"),
        ):
            self.assertEqual(words, state(_snapshot(source, done=True, end=end)))

    def test_trouble(self) -> None:
        """A trace that broke off is not shown as ended."""
        snapshot = _snapshot(_LIVE, done=True, trouble="the tracer was killed")
        self.assertEqual("stopped early", state(snapshot))


class VerdictTests(SynchronousTestCase):
    """How exact all numbers are, in a sentence."""

    def test_estimated(self) -> None:
        """Without objects, a log has estimated times and nothing in its ledger."""
        for source, duration_ns, expected in (
            (_LOG, 10**9, "✓ Every count is exact; where the time went is estimated."),
            (_LOG, 0, "✓ Every number is exact."),
            (_LIVE, 10**9, "✓ Every number is exact."),
        ):
            aggregator = Aggregator()
            aggregator.started(source)
            aggregator.add(Delta(calls={"read": CallTally(1, total_ns=duration_ns)}))
            self.assertEqual(expected, verdict(aggregator.snapshot()))


class ProgressTests(SynchronousTestCase):
    """A bar, a rate, the time left."""

    def test_half(self) -> None:
        """The line has a bar, the lines, the rate and the time left."""
        line = progress_line(_read(100 << 20, 200 << 20, 1_200_000), 10 << 20, 10.0, 120)

        bar, _, words = line.partition("  ")
        self.assertEqual(bar.count("█"), bar.count("░"))
        self.assertEqual("50 %  1.2 M lines  10 MiB/s  10s left", words)

    def test_unknown_size(self) -> None:
        """A pipe has no size, so there is no bar."""
        self.assertEqual("5 lines  100 B/s", progress_line(_read(200, None, 5), 100, None, 79))

    def test_file_that_grew(self) -> None:
        """A file that grew while being read is never more than fully read."""
        self.assertIn(" 100 % ", progress_line(_read(300, 200), 1, None, 79))

    def test_stalled(self) -> None:
        """The time left is omitted if it is unknown."""
        line = progress_line(_read(100 << 20, 200 << 20, 5), 0.0, None, 120)
        self.assertTrue(line.endswith("50 %  5 lines  0 B/s"), line)

    @given(
        st.integers(0, 1 << 50),
        st.integers(0, 1 << 50) | st.none(),
        st.integers(-1, 300),
        st.floats(0, 1e6),
        st.floats(0, 1e9) | st.none(),
    )
    def test_width(
        self, done: int, total: int | None, width: int, rate: float, left_s: float | None
    ) -> None:
        """The line is never wider than the terminal."""
        line = progress_line(_read(done, total), rate, left_s, width)

        self.assertLessEqual(len(line), max(width, 0))
