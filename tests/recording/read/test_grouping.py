"""Tests of sums of columns by groups of rows."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import TestCase

from syswatch.codec.recording import RecordingError
from syswatch.model.histogram import bucket_of
from syswatch.model.times import LONGEST_NS
from syswatch.recording.extra import load
from syswatch.recording.read.grouping import Groups, buckets_of


class GroupTests(TestCase):
    """Groups and their sums."""

    @given(st.lists(st.integers(0, LONGEST_NS)))
    def test_buckets(self, durations: list[int]) -> None:
        """The buckets are those of the histogram, whatever the duration."""
        found = buckets_of(load("numpy").array(durations, "i8")).tolist()
        self.assertEqual([bucket_of(duration) for duration in durations], found)

    def test_powers(self) -> None:
        """Numbers next to a power of two are not rounded into another bucket."""
        durations = [(1 << power) + step for power in range(1, 63) for step in (-1, 0, 1)]
        found = buckets_of(load("numpy").array(durations, "i8")).tolist()
        self.assertEqual([bucket_of(duration) for duration in durations], found)

    def test_sums(self) -> None:
        """Sums are exact, where floats are not, and refused where they do not fit."""
        numpy = load("numpy")
        groups = Groups.of(numpy.array([5, 3, 5]), numpy.array([1, 1, 1]))
        self.assertEqual([0, 1], groups.first.tolist())
        large = (1 << 61) + 1
        self.assertEqual([large + 1, 7], groups.sums(numpy.array([large, 7, 1])))
        self.assertEqual(([1, 7], [large, 7]), groups.extremes(numpy.array([large, 7, 1])))
        with self.assertRaises(RecordingError):
            groups.sums(numpy.array([LONGEST_NS, LONGEST_NS, 0]))
