"""Tests with Prometheus, configured by deploy/prometheus.yml."""

import json
import subprocess
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S, ROOT, free_port, need, serving, wait_for

CONFIGURATION = ROOT / "deploy" / "prometheus.yml"


class ScrapeTests(SynchronousTestCase):
    """The scrape job in deploy/."""

    def test_configuration(self) -> None:
        """Promtool accepts the configuration."""
        need("promtool")
        result = subprocess.run(
            ["promtool", "check", "config", CONFIGURATION], capture_output=True, check=False
        )

        self.assertEqual(0, result.returncode, result.stderr)

    def test_scraped(self) -> None:
        """Prometheus scrapes a server and then has its numbers."""
        need("prometheus")
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        with serving() as server:
            text = CONFIGURATION.read_text()
            for ours, here in (("127.0.0.1:8080", f"127.0.0.1:{server.port}"), ("15s", "1s")):
                self.assertIn(ours, text)
                text = text.replace(ours, here)
            (folder / "prometheus.yml").write_text(text)
            self.url = f"http://127.0.0.1:{(port := free_port())}/api/v1/query?query="
            options = (
                f"--config.file={folder}/prometheus.yml",
                f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address=127.0.0.1:{port}",
            )
            scraper = subprocess.Popen(["prometheus", *options], stderr=subprocess.DEVNULL)
            self.addCleanup(scraper.wait)
            self.addCleanup(scraper.terminate)
            wait_for(lambda: self.values('up{job="syswatch"}') == ["1"])

            for call in server.json("/api/stats")[:5]:
                name, count = call["Name"], call["Count"]
                counted = wait_for(
                    lambda name=name: self.values(
                        f'syswatch_syscall_calls_total{{syscall="{name}"}}'
                    )
                )
                self.assertEqual([str(count)], counted)
            quantile = (
                "histogram_quantile(0.9, sum by (le) (syswatch_syscall_latency_seconds_bucket))"
            )
            self.assertGreater(float(self.values(quantile)[0]), 0)

    def values(self, query: str) -> list[str]:
        """Query Prometheus; return nothing until it answers."""
        try:
            with urllib.request.urlopen(
                self.url + urllib.parse.quote(query), timeout=PATIENCE_S
            ) as answer:
                found: Any = json.load(answer)
        except OSError:
            return []
        return [item["value"][1] for item in found["data"]["result"]]
