"""Tests of the protobuf form of the metrics, which has native histograms."""

from typing import Any

from prometheus_client.parser import text_string_to_metric_families as parse_text
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.ledger import Ledger
from tests.web.served import DURATIONS_NS, EXAMPLE, FakeSession, Served, snapshot_of
from tests.web.test_metric_rows import calls
from tests.web.test_metrics import BUSY, OPEN, PROTOBUF

NAME = "application/vnd.google.protobuf"
DELIMITED = f"{NAME};proto=io.prometheus.client.MetricFamily;encoding=delimited"


def scraped(served: Served) -> dict[str, Any]:
    """Return the families of the protobuf format by name."""
    try:
        from tests.codec.prometheus_messages import families
    except ImportError:
        raise SkipTest("protobuf is not installed (it comes with the extra 'record')") from None
    body = served.get("/metrics", {"Accept": PROTOBUF}).body
    return {family.name: family for family in families(body)}


class ChoiceTests(SynchronousTestCase):
    """Which format is sent."""

    def is_protobuf(self, accepted: str) -> bool:
        """Return whether protobuf is sent to a client."""
        response = Served().get("/metrics", {"Accept": accepted})
        self.assertEqual(200, response.status)
        return response.headers["content-type"].startswith(NAME)

    def test_asked(self) -> None:
        """Protobuf is sent to clients that prefer it."""
        for accepted in (
            PROTOBUF,
            DELIMITED,
            DELIMITED.replace(";", " ; "),
            f"text/plain;q=0.5,{DELIMITED};q=0.7",
        ):
            self.assertTrue(self.is_protobuf(accepted), accepted)

    def test_corrected(self) -> None:
        """A sum that is corrected does not decrease for who changes from text to protobuf."""
        session = FakeSession.of(Delta(ledger=Ledger(sampled_entries=5)))
        served = Served(session=session)
        served.get("/metrics")
        session.snapshot = snapshot_of(Delta(ledger=Ledger(sampled_entries=3)))
        ledger = scraped(served)["syswatch_ledger_total"]
        values = {each.label[0].value: each.counter.value for each in ledger.metric}
        self.assertEqual(5, values["sampled_entries"])

    def test_not_asked(self) -> None:
        """It is not sent to others, nor in a form that is not delimited."""
        for accepted in (
            "",
            "*/*",
            OPEN,
            NAME,
            f"{DELIMITED};q=0",
            f"{DELIMITED};q=x",
            f"{DELIMITED};q=0.5,{OPEN}",
            DELIMITED.replace("delimited", "text"),
            DELIMITED.replace("MetricFamily", "Metric"),
            f"{NAME};;=;encoding",
        ):
            self.assertFalse(self.is_protobuf(accepted), accepted)


class ValueTests(SynchronousTestCase):
    """The values."""

    def test_same(self) -> None:
        """Counters and gauges are those of the text format."""
        served = Served(session=FakeSession.of(EXAMPLE + BUSY))
        text = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in parse_text(served.get("/metrics").body.decode())
            for sample in family.samples
            if sample.name.startswith("syswatch") and family.type != "histogram"
        }
        found = {
            (name, frozenset((label.name, label.value) for label in metric.label)): (
                metric.counter.value if metric.HasField("counter") else metric.gauge.value
            )
            for name, family in scraped(served).items()
            for metric in family.metric
            if name.startswith("syswatch") and not metric.HasField("histogram")
        }

        self.assertEqual(text, found)

    def test_histogram(self) -> None:
        """A histogram has the count and the sum of the call, and one for calls without times."""
        family = scraped(Served())["syswatch_syscall_latency_seconds"]
        found = {metric.label[0].value: metric.histogram for metric in family.metric}

        self.assertEqual({"read", "close"}, set(found))
        self.assertEqual(3, found["read"].sample_count)
        self.assertEqual(sum(DURATIONS_NS) / 1e9, found["read"].sample_sum)
        self.assertEqual(3, len(found["read"].positive_span))
        self.assertEqual(0, found["close"].sample_count)
        # Without it, Prometheus would take an empty histogram for a classic one.
        self.assertGreater(found["close"].zero_threshold, 0)

    def test_rows(self) -> None:
        """More calls have a histogram than in the text format, and the others one for all."""
        found = scraped(Served(session=FakeSession.of(calls(*range(400)))))
        series = sum(len(family.metric) for family in found.values())
        latency = found["syswatch_syscall_latency_seconds"].metric
        names = [metric.label[0].value for metric in latency]

        self.assertLess(series, 1000)
        self.assertGreater(len(names), 280)
        self.assertEqual(400, sum(metric.histogram.sample_count for metric in latency))
        self.assertEqual("other", names[-1])
