"""Tests of counters that never decrease."""

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from twisted.trial.unittest import SynchronousTestCase

from syswatch.views.rising import Rising


def _families(**values: float) -> list[Metric]:
    counter = CounterMetricFamily("spent", "Spent.", labels=("state",))
    gauge = GaugeMetricFamily("open", "Open.", labels=("state",))
    for state, value in values.items():
        counter.add_metric((state,), value)
        gauge.add_metric((state,), value)
    return [counter, gauge]


class RisingTests(SynchronousTestCase):
    """Values that are corrected."""

    def test_corrected(self) -> None:
        """A counter stays until it is reached again; other counters and gauges go on."""
        rising = Rising()
        seen = [
            {
                (sample.name, sample.labels["state"]): sample.value
                for family in rising.families(_families(**values))
                for sample in family.samples
            }
            for values in ({"user": 5}, {"user": 3, "ready": 2}, {"user": 8, "ready": 1})
        ]
        self.assertEqual([5, 5, 8], [each["spent_total", "user"] for each in seen])
        self.assertEqual([2, 2], [each["spent_total", "ready"] for each in seen[1:]])
        self.assertEqual([5, 3, 8], [each["open", "user"] for each in seen])
        self.assertEqual(1, seen[-1]["open", "ready"])

    def test_others(self) -> None:
        """What stands for all others is not the same in each form; everything else is."""
        rising = Rising()
        for form, values in (("text", {"other": 9, "user": 5}), ("protobuf", {"other": 4})):
            [counter, _] = rising.families(_families(**values), form)
            self.assertEqual(values["other"], counter.samples[0].value)
        for form, expected in (("text", [9, 5]), ("protobuf", [4, 5])):
            [counter, _] = rising.families(_families(other=1, user=1), form)
            self.assertEqual(expected, [sample.value for sample in counter.samples])
