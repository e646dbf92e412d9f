"""Tests of the dashboards in deploy/grafana."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import yaml
from prometheus_client.parser import text_string_to_metric_families
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.model.activity import Sums
from syswatch.model.groups import GroupKey
from tests.made_trace import snapshot_of
from tests.system.servers import ROOT, need
from tests.web.served import Served

FILES = sorted((ROOT / "deploy" / "grafana").glob("*.json"))
# Labels that Prometheus adds, or that queries make.
_ADDED = {"job", "instance", "le"}


def queries() -> Iterator[str]:
    """Yield all queries of all dashboards."""
    for file in FILES:
        yield from _queries(json.loads(file.read_text()))


def _queries(part: Any) -> Iterator[str]:
    if isinstance(part, list):
        for each in part:
            yield from _queries(each)
    elif isinstance(part, dict):
        yield from (part[key] for key in ("expr", "query") if isinstance(part.get(key), str))
        for value in part.values():
            yield from _queries(value)


class DashboardTests(SynchronousTestCase):
    """What is checked in."""

    def setUp(self) -> None:
        """Serve a trace that has numbers of every kind."""
        served = Served()
        made = snapshot_of(20, done=False)
        groups = {GroupKey("docker:web", "read"): Sums(1)}
        served.session.snapshot = attrs.evolve(made, sums=attrs.evolve(made.sums, groups=groups))
        families = list(text_string_to_metric_families(served.get("/metrics").body.decode()))
        samples = [sample for family in families for sample in family.samples]
        # A native histogram has no suffix.
        self.names = {each.name for each in samples} | {each.name for each in families}
        self.labels = {label for each in samples for label in each.labels} | _ADDED

    def test_metrics(self) -> None:
        """Every metric and label of a query exists in /metrics."""
        found = list(queries())
        self.assertGreater(len(found), 20)
        for query in found:
            names = set(re.findall(r"\b(?:syswatch|process)_\w+", query))
            self.assertEqual(set(), names - self.names, query)
            [*groups] = re.findall(r"\bby \(([^)]*)\)", query)
            grouped = {label.strip() for each in groups for label in each.split(",")}
            matched = set(re.findall(r"(\w+)=~?\"", query))
            self.assertEqual(set(), (grouped | matched) - self.labels, query)

    def test_understood(self) -> None:
        """Promtool accepts every query."""
        need("promtool")
        given = [
            query for query in queries() if "label_values" not in query and "syswatch" in query
        ]
        rules = [
            {"record": f"query:{number}", "expr": self.expanded(query)}
            for number, query in enumerate(given)
        ]
        file = Path(self.mktemp())
        file.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}))
        result = subprocess.run(
            ["promtool", "check", "rules", file], capture_output=True, text=True, check=False
        )

        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn(f"{len(rules)} rules found", result.stdout)

    def test_current(self) -> None:
        """They are what `python -m tests.deploy.dashboards` writes."""
        try:
            from tests.deploy import dashboards
        except ImportError:
            raise SkipTest(
                "grafana-foundation-sdk is not installed (dependency group deploy)"
            ) from None
        self.assertEqual(dashboards.texts(), {file.name: file.read_text() for file in FILES})

    def expanded(self, query: str) -> str:
        """Return a query as Grafana sends it."""
        return re.sub(r"\$\w+", ".*", query.replace("$__rate_interval", "2m"))
