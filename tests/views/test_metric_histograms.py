"""Tests of the two forms of histograms."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.histogram import BUCKET_COUNT, Histogram, lower_bound, upper_bound
from syswatch.settings.metric_limits import BUCKETS
from syswatch.views.metric_histograms import classic, edges_ns, native

GOOD = 0.05
durations = st.lists(st.integers(0, 1 << 62), max_size=50)


def bounds_of(index: int) -> tuple[float, float]:
    """Return the bounds of a native bucket, in nanoseconds, as its definition has them."""
    base: float = 2 ** (2**-8)
    return base ** (index - 1) * 1e9, base**index * 1e9


def native_counts(durations_ns: list[int]) -> dict[int, int]:
    """Return the count of each native bucket."""
    found = native(Histogram.of(durations_ns), sum(durations_ns))
    counts, index, count = {}, 0, 0
    deltas = iter(found.pos_deltas or ())
    for span in found.pos_spans or ():
        index += span.offset
        for _ in range(span.length):
            count += next(deltas)
            counts[index] = count
            index += 1
    assert not list(deltas)
    return counts


class ClassicTests(SynchronousTestCase):
    """Classic histograms."""

    def test_edges(self) -> None:
        """Each number of buckets cuts a factor of two evenly, and keeps the coarser edges."""
        for coarse, fine in pairwise(BUCKETS[1:]):
            self.assertLess(set(edges_ns(coarse)), set(edges_ns(fine)))
        self.assertEqual((), edges_ns(0))
        self.assertEqual((128, 256, 512), edges_ns(1)[:3])
        self.assertEqual(1 << 37, edges_ns(16)[-1])
        self.assertLess(edges_ns(16)[1] / edges_ns(16)[0], 1.07)

    @given(durations, st.sampled_from(BUCKETS))
    def test_exact(self, durations_ns: list[int], buckets: int) -> None:
        """The count at each edge is that of the durations that are not longer."""
        found = classic(Histogram.of(durations_ns), edges_ns(buckets))

        self.assertEqual(("+Inf", len(durations_ns)), found.pop())
        for edge_ns, (label, count) in zip(edges_ns(buckets), found, strict=True):
            self.assertEqual((edge_ns - 1) / 1e9, float(label))
            self.assertEqual(sum(each < edge_ns for each in durations_ns), count)


class NativeTests(SynchronousTestCase):
    """Native histograms."""

    def test_accuracy(self) -> None:
        """Whatever is interpolated within a native bucket is within 5 % of each duration in it."""
        for bucket in range(1, BUCKET_COUNT):
            shortest, longest = lower_bound(bucket), upper_bound(bucket)
            [index] = native_counts([shortest])
            low, high = bounds_of(index)

            self.assertLess(high / shortest - 1, GOOD, bucket)
            self.assertGreater(low / longest - 1, -GOOD, bucket)

    def test_distinct(self) -> None:
        """No two of our buckets share a native one, and their order is kept."""
        indexes = [next(iter(native_counts([lower_bound(at)]))) for at in range(1, BUCKET_COUNT)]

        self.assertEqual(sorted(set(indexes)), indexes)

    @given(durations)
    def test_counts(self, durations_ns: list[int]) -> None:
        """Every duration is counted once: those of 0 ns in the bucket of zero."""
        found = native(Histogram.of(durations_ns), sum(durations_ns))
        counts = native_counts(durations_ns)

        self.assertEqual(len(durations_ns), found.count_value)
        self.assertEqual(durations_ns.count(0), found.zero_count)
        self.assertEqual(len(durations_ns), found.zero_count + sum(counts.values()))
        self.assertEqual(sum(durations_ns) / 1e9, found.sum_value)
