"""Tests of the example alerts, with the rule tester of Prometheus."""

from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import yaml
from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import ROOT, need
from tests.system.shell import run

RULES = ROOT / "deploy" / "prometheus-alerts.yml"
CASES = Path(__file__).with_name("alerts.yml")


class AlertTests(SynchronousTestCase):
    """The alerts fire when they should, and only then."""

    def setUp(self) -> None:
        """Read rules and cases."""
        self.cases = yaml.safe_load(CASES.read_text())
        self.rules = yaml.safe_load(RULES.read_text())
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def test_complete(self) -> None:
        """In one case of each alert, it fires for one agent and not for another."""
        fired = {
            each["alertname"]: case
            for case in self.cases["tests"]
            for each in case["alert_rule_test"]
            if each["exp_alerts"]
        }
        self.assertEqual({rule["alert"] for rule in self.alerts()}, set(fired))
        for name, case in fired.items():
            given = " ".join(series["series"] for series in case["input_series"])
            for agent in ("bad", "good"):
                self.assertIn(f'instance="{agent}"', given, name)

    def test_fire(self) -> None:
        """Promtool agrees with all cases."""
        result = self.promtool()
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)

    def test_noticed(self) -> None:
        """The cases notice an alert that never fires, and one that always does."""
        for rule in self.alerts():
            right = rule["expr"]
            for wrong in (f"({right}) and on() vector(1) > 1", "syswatch_exact or vector(1)"):
                rule["expr"] = wrong
                result = self.promtool()
                self.assertEqual(1, result.returncode, f"{rule['alert']}: {wrong}")
                self.assertIn(rule["alert"], result.stdout + result.stderr)
            rule["expr"] = right

    def alerts(self) -> list[dict[str, Any]]:
        """Return all rules."""
        return [rule for group in self.rules["groups"] for rule in group["rules"]]

    def promtool(self) -> "CompletedProcess[str]":
        """Test the rules as they are now."""
        need("promtool")
        (self.folder / "rules.yml").write_text(yaml.safe_dump(self.rules))
        cases = {**self.cases, "rule_files": ["rules.yml"]}
        (self.folder / "cases.yml").write_text(yaml.safe_dump(cases))
        return run(["promtool", "test", "rules", str(self.folder / "cases.yml")])
