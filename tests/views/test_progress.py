"""Tests of the line that says how far the reading is."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.delta import Delta
from syswatch.model.messages import Started
from syswatch.model.reading import Reading
from syswatch.model.snapshot import Snapshot
from syswatch.views.progress import progress_line


def reading(done: int, total: int | None, lines: int = 0) -> Snapshot:
    """Return the picture of a log that is read so far."""
    aggregator = Aggregator()
    aggregator.started(Started("strace log", total_bytes=total))
    aggregator.add(Delta(reading=Reading(bytes=done, lines=lines)))
    return aggregator.snapshot()


class ProgressTests(SynchronousTestCase):
    """A bar, a rate, the time left."""

    def test_half(self) -> None:
        """Half of the bar is full, and the other half takes as long."""
        line = progress_line(reading(100 << 20, 200 << 20, 1_200_000), 10 << 20, 10.0, 120)

        bar, _, words = line.partition("  ")
        self.assertEqual(bar.count("█"), bar.count("░"))
        self.assertEqual("50 %  1.2 M lines  10 MiB/s  10s left", words)

    def test_unknown_size(self) -> None:
        """A pipe has no size, so there is no bar."""
        self.assertEqual("5 lines  100 B/s", progress_line(reading(200, None, 5), 100, None, 79))

    def test_file_that_grew(self) -> None:
        """More than everything is everything."""
        self.assertIn(" 100 % ", progress_line(reading(300, 200), 1, None, 79))

    def test_stalled(self) -> None:
        """Where nobody knows how much time is left, the line says nothing of it."""
        line = progress_line(reading(100 << 20, 200 << 20, 5), 0.0, None, 120)
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
        line = progress_line(reading(done, total), rate, left_s, width)

        self.assertLessEqual(len(line), max(width, 0))
