"""A running Prometheus that scrapes one server."""

import json
import re
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from tests.system.servers import PATIENCE_S, ROOT, free_port, need, wait_for

CONFIGURATION = ROOT / "deploy" / "prometheus.yml"
_TARGET = "127.0.0.1:8080"
_INTERVAL = "scrape_interval: 15s"
# The first version that reads native histograms without a feature flag.
_WITHOUT_FLAG = 3


@attrs.frozen
class Prometheus:
    """A running Prometheus."""

    port: int
    pid: int

    def values(self, query: str) -> list[str]:
        """Return the values of a query; nothing until Prometheus answers."""
        url = f"http://127.0.0.1:{self.port}/api/v1/query?query={urllib.parse.quote(query)}"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
                found: Any = json.load(answer)
        except OSError:
            return []
        return [item["value"][1] for item in found["data"]["result"]]

    def value(self, query: str) -> float:
        """Wait until a query has a single value."""
        [value] = wait_for(lambda: self.values(query))
        return float(value)


def has_native_flag() -> bool:
    """Return whether Prometheus needs a feature flag for native histograms."""
    version = subprocess.run(
        ["prometheus", "--version"], capture_output=True, text=True, check=True
    )
    found = re.search(r"version (\d+)", version.stdout + version.stderr)
    # One that was built from source may not know its version.
    return found is not None and int(found[1]) < _WITHOUT_FLAG


@contextmanager
def prometheus_in(folder: Path, *, native: bool = False) -> Iterator[Prometheus]:
    """Run Prometheus with the configuration in a folder until the end of the block."""
    port = free_port()
    options = [
        f"--config.file={folder}/prometheus.yml",
        f"--storage.tsdb.path={folder}/data",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    if native and has_native_flag():
        options.append("--enable-feature=native-histograms")
    process = subprocess.Popen(["prometheus", *options], stderr=subprocess.DEVNULL)
    try:
        yield Prometheus(port, process.pid)
    finally:
        process.terminate()
        process.wait()


@contextmanager
def scraping(server_port: int, folder: Path, *, native: bool = False) -> Iterator[Prometheus]:
    """Run Prometheus, configured by deploy/prometheus.yml, until the end of the block."""
    need("prometheus")
    text = CONFIGURATION.read_text()
    interval = "scrape_interval: 1s"
    if native and not has_native_flag():
        interval += "\n  scrape_native_histograms: true"
    for ours, here in ((_TARGET, f"127.0.0.1:{server_port}"), (_INTERVAL, interval)):
        if ours not in text:
            raise AssertionError(f"{CONFIGURATION} has no '{ours}'")
        text = text.replace(ours, here)
    folder.mkdir()
    (folder / "prometheus.yml").write_text(text)
    with prometheus_in(folder, native=native) as prometheus:
        wait_for(lambda: prometheus.values('up{job="syswatch"}') == ["1"])
        yield prometheus
