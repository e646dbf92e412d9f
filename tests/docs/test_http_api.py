"""Tests of the pages about the HTTP API and the metrics."""

import re

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.pushes import PushState
from syswatch.settings.metric_limits import BUCKETS, MetricLimits
from syswatch.views.push_metrics import push_metrics
from tests.docs.pages import page
from tests.web.served import Served


class AnswerTests(SynchronousTestCase):
    """The answers that docs/http-api.rst describes."""

    def test_keys(self) -> None:
        """The page explains every key of every answer; those of comparisons have their own page."""
        schemas = Served().get("/api/openapi.json").json["components"]["schemas"]
        keys = {key for schema in schemas.values() for key in schema.get("properties", {})}
        words = set(re.findall(r"\w+", page("http-api") + page("comparing")))

        self.assertGreater(len(keys), 50)
        self.assertEqual(set(), keys - words)

    def test_errors(self) -> None:
        """The page lists the codes of errors that clients get."""
        served = Served()
        paths = (
            "/nowhere",
            "/api?page=x",
            "/api/syscall/opne",
            "/api/syscall/mount",
            "/debug/pprof",
        )
        codes = [served.get(path).json["error"] for path in paths]

        self.assertEqual(len(paths), len(set(codes)))
        for code in codes:
            self.assertIn(f"`{code}`", page("http-api"))

    def test_examples(self) -> None:
        """The examples of the page are answers of the server."""
        served = Served()
        error = served.get("/api/syscall/opne").body.decode()
        total = served.get("/api").json["total"]

        self.assertIn(error.replace('":"', '": "').replace('","', '", "'), page("http-api"))
        self.assertIn(f'"total": {total}, "page": 1, "per_page": 20,', page("http-api"))


class MetricTests(SynchronousTestCase):
    """The metrics of docs/service.rst, and of docs/opentelemetry.rst."""

    def test_pushes(self) -> None:
        """The page of OTLP lists the metrics about itself, and no others."""
        suffixes = {"counter": "_total", "gauge": ""}
        names = {each.name + suffixes[each.type] for each in push_metrics((PushState("logs"),))}
        found = re.findall(r"^   \* - `(syswatch_\w+)`$", page("opentelemetry"), re.MULTILINE)
        self.assertEqual(names, set(found))

    def test_complete(self) -> None:
        """The page lists the metrics that are exported, and no others."""
        exported = Served().get("/metrics").body.decode()
        names = set(re.findall(r"^# TYPE (syswatch_\w+) ", exported, re.MULTILINE))
        documented = set(re.findall(r"^   \* - `(syswatch_\w+)`$", page("service"), re.MULTILINE))

        self.assertEqual(names, documented)

    def test_histograms(self) -> None:
        """The page has the number of series of each form, and how many calls have their own."""
        rows = re.findall(
            r"^   \* - .*--metrics-buckets (\d+)`.*\n     - (\d+)\n.*\n     - (\w+)$",
            page("service"),
            re.MULTILINE,
        )
        expected = []
        for buckets in BUCKETS:
            each = MetricLimits(buckets=buckets).histogram_series
            own = MetricLimits(buckets=buckets).rows(each)[1] - 1
            expected.append((str(buckets), str(each), str(own or "none")))

        self.assertEqual(sorted(expected), sorted(rows))
