"""Tests of the protobuf format of metrics, decoded by protobuf's own library."""

from typing import Any

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.samples import BucketSpan, NativeHistogram
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.codec.metrics_protobuf import encode_metrics


def decoded(*metrics: Metric) -> list[Any]:
    """Return metrics, encoded and decoded again."""
    try:
        from tests.codec.prometheus_messages import families
    except ImportError:
        raise SkipTest("protobuf is not installed (it comes with the extra 'record')") from None
    return list(families(encode_metrics(metrics)))


class EncodingTests(SynchronousTestCase):
    """The families."""

    def test_counter(self) -> None:
        """A counter has the name that it has as text, its labels and its value."""
        counter = CounterMetricFamily("a_calls", "Calls, 2 µs.", labels=("one", "two"))
        counter.add_metric(("x" * 200, "ü"), 1.5)
        counter.add_metric(("", '"'), 2**40)
        [family] = decoded(counter)

        self.assertEqual(("a_calls_total", "Calls, 2 µs.", 0), _head(family))
        self.assertEqual(
            [
                ([("one", "x" * 200), ("two", "ü")], 1.5),
                ([("one", ""), ("two", '"')], 2**40),
            ],
            [(_labels(metric), metric.counter.value) for metric in family.metric],
        )

    def test_gauge(self) -> None:
        """A gauge has its value, and the version is a gauge of 1, as text has it."""
        gauge, info = decoded(
            GaugeMetricFamily("a_gauge", "A gauge.", value=-0.5),
            InfoMetricFamily("a_build", "The version.", {"version": "1"}),
        )

        self.assertEqual(("a_gauge", "A gauge.", 1), _head(gauge))
        self.assertEqual(-0.5, gauge.metric[0].gauge.value)
        self.assertEqual(("a_build_info", "The version.", 1), _head(info))
        self.assertEqual([("version", "1")], _labels(info.metric[0]))
        self.assertEqual(1, info.metric[0].gauge.value)

    def test_histogram(self) -> None:
        """A native histogram has all that it was given."""
        spans = [BucketSpan(-5000, 1), BucketSpan(3, 2), BucketSpan(0, 1)]
        deltas = [2**40, -(2**40) + 1, 0, 300]
        family = HistogramMetricFamily("a_seconds", "Seconds.", labels=("call",))
        given = NativeHistogram(2**41, 0.1, 8, 5e-10, 7, spans, None, deltas)
        family.add_sample("a_seconds", {"call": "read"}, 0, native_histogram=given)
        [found] = decoded(family)
        histogram = found.metric[0].histogram

        self.assertEqual(("a_seconds", "Seconds.", 4), _head(found))
        self.assertEqual([("call", "read")], _labels(found.metric[0]))
        self.assertEqual((2**41, 0.1), (histogram.sample_count, histogram.sample_sum))
        self.assertEqual(8, histogram.schema)
        self.assertEqual((5e-10, 7), (histogram.zero_threshold, histogram.zero_count))
        self.assertEqual(spans, [(each.offset, each.length) for each in histogram.positive_span])
        self.assertEqual(deltas, list(histogram.positive_delta))

    def test_empty(self) -> None:
        """A family without samples is left out, because Prometheus refuses it."""
        self.assertEqual([], decoded(CounterMetricFamily("a", "A.", labels=("b",))))

    def test_classic(self) -> None:
        """A classic histogram is an error: it would look like an empty one."""
        family = HistogramMetricFamily("a", "A.", buckets=[("+Inf", 1)], sum_value=1)

        with self.assertRaisesRegex(ValueError, "not a native histogram"):
            encode_metrics([family])


def _head(family: Any) -> tuple[str, str, int]:
    return family.name, family.help, family.type


def _labels(metric: Any) -> list[tuple[str, str]]:
    return [(label.name, label.value) for label in metric.label]
