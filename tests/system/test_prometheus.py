"""Tests with Prometheus, configured by deploy/prometheus.yml."""

import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from math import ceil
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.system.prometheus import CONFIGURATION, Prometheus, scraping
from tests.system.servers import SYSWATCH, need, running, serving, wait_for

SAMPLES = 1999
GOOD = 0.05
# The width of the widest of the narrowest classic buckets.
WIDEST = 1 / 16
ALIKE = "close"
# Between those at which all calls together jump from one kind of duration to the next.
QUANTILES = (0.05, 0.2, 0.45, 0.55, 0.7, 0.9, 0.95, 0.99)
LATENCY = "syswatch_syscall_latency_seconds"
# No metric but those of Prometheus itself.
SERIES = 'count({job="syswatch", __name__!~"up|scrape_.*"})'


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
        """Prometheus scrapes a server and then has its numbers, in at most 1000 series."""
        need("prometheus")
        folder = Path(self.mktemp()).absolute()
        with serving() as server, scraping(server.port, folder) as prometheus:
            for call in server.json("/api/stats")[:5]:
                counted = prometheus.value(
                    f'syswatch_syscall_calls_total{{syscall="{call["Name"]}"}}'
                )
                self.assertEqual(call["Count"], counted)
            self.assertLessEqual(prometheus.value(SERIES), 1000)
            quantile = f"histogram_quantile(0.9, sum by (le) ({LATENCY}_bucket))"
            self.assertGreater(prometheus.value(quantile), 0)


class QuantileTests(SynchronousTestCase):
    """The quantiles that Prometheus computes, compared with exact ones."""

    def setUp(self) -> None:
        """Write a log of calls with known durations, in microseconds."""
        need("prometheus")
        generator = random.Random(17)  # noqa: S311  not a secret
        self.known = {
            name: sorted(round(generator.lognormvariate(mu, sigma)) + 20 for _ in range(SAMPLES))
            for name, mu, sigma in (("read", 6, 1), ("fsync", 10, 0.5), ("connect", 13, 0.2))
        }
        # The worst case: all are alike, and the lower edge of a bucket of 1/16.
        self.known[ALIKE] = [1049] * SAMPLES
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        self.log, self.folder = folder / "known.log", folder / "prometheus"
        self.log.write_text(
            "".join(
                f"1 {1_700_000_000 + at}.000000 {name}(3) = 0 <{us // 10**6}.{us % 10**6:06}>\n"
                for name, durations in self.known.items()
                for at, us in enumerate(durations)
            )
        )

    def test_native(self) -> None:
        """They are within 5 % for native histograms, which are one series for each call."""
        with self.scraped(native=True) as prometheus:
            for name, durations in self.known.items():
                self.compare(prometheus, f'{LATENCY}{{syscall="{name}"}}', durations, GOOD)
            self.compare(prometheus, f"sum({LATENCY})", self.together(), GOOD)
            self.assertEqual(len(self.known), prometheus.value(f"count({LATENCY})"))
            self.assertEqual([], prometheus.values(f"{LATENCY}_bucket"))

    def test_classic(self) -> None:
        """They are within the width of a bucket for classic ones, and nearer if durations vary."""
        limits = ("--metrics-buckets", "16", "--metrics-series", "4000")
        with self.scraped(*limits) as prometheus:
            for name, durations in self.known.items():
                most = WIDEST if name == ALIKE else GOOD
                self.compare(prometheus, f'{LATENCY}_bucket{{syscall="{name}"}}', durations, most)
            self.compare(prometheus, f"sum by (le) ({LATENCY}_bucket)", self.together(), WIDEST)
            self.assertLessEqual(prometheus.value(SERIES), 4000)

    @contextmanager
    def scraped(self, *options: str, native: bool = False) -> Iterator[Prometheus]:
        """Serve the log and let Prometheus scrape it when it has been read."""
        command = [*SYSWATCH, "stats", "--serve", ":0", *options, str(self.log)]
        with running(command) as server:
            wait_for(lambda: server.json("/api/status")["Done"])
            with scraping(server.port, self.folder, native=native) as prometheus:
                yield prometheus

    def together(self) -> list[int]:
        """Return the durations of all calls."""
        return sorted(chain.from_iterable(self.known.values()))

    def compare(
        self, prometheus: Prometheus, selector: str, durations: list[int], most: float
    ) -> None:
        """Compare the quantiles of a selector with those of some durations."""
        for quantile in QUANTILES:
            exact_s = durations[ceil(quantile * len(durations)) - 1] / 1e6
            found_s = prometheus.value(f"histogram_quantile({quantile}, {selector})")
            self.assertLess(abs(found_s / exact_s - 1), most, (selector, quantile))
