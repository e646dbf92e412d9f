#!/usr/bin/env python3
"""
Measure what Prometheus needs to scrape a fleet of agents.

    python bench/scrape_fleet.py [--agents N] [--scrapes N] [--interval S] [--tiny]

What one agent that observes this machine answers at each second is recorded, as text and as
protobuf.  A small server replays it as the answers of many agents to one Prometheus: each path is
an agent, which is at another second than its neighbors, so counters grow with every scrape.
Needs root and Prometheus.
"""

import asyncio
import http.client
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import attrs
import common

# The harness of the tests starts servers just as users do.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from tests.system.prometheus import Prometheus, has_native_flag, prometheus_in
from tests.system.servers import SYSWATCH, Server, free_port, running, wait_for

AGENTS, SCRAPES, INTERVAL_S = 1000, 8, 15
# By so many seconds the agents differ.
SPREAD = 10
# A quantile of the whole fleet, as the dashboard has it.
QUANTILE = (
    "histogram_quantile(0.99, sum by (syscall{}) (rate(syswatch_syscall_latency_seconds{}[2m])))"
)
PROTOBUF = (
    "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
)
OPEN_METRICS = "application/openmetrics-text;version=1.0.0"
MOST_S, MOST_MB = 1, 10


@attrs.frozen
class Format:
    """A format of `/metrics`, and how a quantile is asked for in it."""

    name: str
    accept: str
    quantile: str
    most_ms: float


FORMATS = (
    Format("text, classic histograms", OPEN_METRICS, QUANTILE.format(", le", "_bucket"), 10),
    Format("protobuf, native histograms", PROTOBUF, QUANTILE.format("", ""), 30),
)


@attrs.define
class Replay:
    """Answers as many agents, each of which is some seconds ahead of others."""

    bodies: Sequence[bytes]
    _scrapes: Counter[bytes] = attrs.field(factory=Counter, init=False)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer all requests of a connection."""
        try:
            while True:
                path = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1]
                writer.write(self.answer(path))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def answer(self, path: bytes) -> bytes:
        """Return what an agent answers to its next scrape."""
        at = self._scrapes[path] + int(path[1:]) % SPREAD
        self._scrapes[path] += 1
        # What follows the last one would be counters that start again.
        return self.bodies[min(at, len(self.bodies) - 1)]


def main() -> None:
    """Measure each format."""
    parser = common.parser("Measure what Prometheus needs to scrape a fleet of agents.")
    parser.add_argument("--agents", type=int, default=AGENTS, help="how many agents answer")
    parser.add_argument("--scrapes", type=int, default=SCRAPES, help="scrapes that are measured")
    parser.add_argument("--interval", type=int, default=INTERVAL_S, help="seconds between scrapes")
    arguments = parser.parse_args()
    if not common.has("prometheus", "scrapes of a fleet"):
        return
    if os.geteuid():
        common.leave_out("scrapes of a fleet", "needs root, to observe this machine")
        return
    agents, scrapes, interval_s = arguments.agents, arguments.scrapes, arguments.interval
    if arguments.tiny:
        agents, scrapes, interval_s = 5, 2, 1
    recorded = record(SPREAD + 2 * scrapes + 5)
    for form, bodies in zip(FORMATS, recorded, strict=True):
        with replayed(bodies) as port, tempfile.TemporaryDirectory() as folder:
            configure(Path(folder), port, agents, interval_s)
            with prometheus_in(Path(folder), native=form.accept == PROTOBUF) as prometheus:
                measure(prometheus, form, agents, scrapes, interval_s)


def record(seconds: int) -> list[list[bytes]]:
    """Return what an agent answers at each second, in each format."""
    recorded: list[list[bytes]] = [[] for _ in FORMATS]
    options = ("--all", "--by", "process-name", "--serve", ":0")
    with running([*SYSWATCH, "attach", *options]) as agent:
        wait_for(lambda: agent.json("/api/status")["Total"])
        time.sleep(2)
        for _ in range(seconds):
            for form, bodies in zip(FORMATS, recorded, strict=True):
                bodies.append(answer_of(agent, form))
            time.sleep(1)
    return recorded


def answer_of(agent: Server, form: Format) -> bytes:
    """Return the answer to a scrape as it was sent, compressed."""
    with closing(http.client.HTTPConnection("127.0.0.1", agent.port)) as client:
        headers = {"Accept": form.accept, "Accept-Encoding": "gzip"}
        client.request("GET", "/metrics", headers=headers)
        answer = client.getresponse()
        body = answer.read()
    kept = ("Content-Type", "Content-Encoding", "Content-Length")
    lines = [f"{name}: {answer.headers[name]}" for name in kept if name in answer.headers]
    return "\r\n".join(("HTTP/1.1 200 OK", *lines, "", "")).encode() + body


@contextmanager
def replayed(bodies: Sequence[bytes]) -> Iterator[int]:
    """Replay answers until the end of the block; yield the port."""
    port = free_port()
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(
        asyncio.start_server(Replay(bodies).serve, "127.0.0.1", port, backlog=1024)
    )
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield port
    finally:
        server.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def configure(folder: Path, port: int, agents: int, interval_s: int) -> None:
    """Write the configuration of Prometheus: each path is a target with a name of its own."""
    targets = [
        {
            "targets": [f"127.0.0.1:{port}"],
            "labels": {"__metrics_path__": f"/{number}", "instance": f"agent-{number}"},
        }
        for number in range(agents)
    ]
    job: dict[str, object] = {"job_name": "syswatch", "static_configs": targets}
    if not has_native_flag():
        job["scrape_native_histograms"] = True
    every = {"scrape_interval": f"{interval_s}s", "scrape_timeout": f"{min(interval_s, 10)}s"}
    # All JSON is YAML.
    text = json.dumps({"global": every, "scrape_configs": [job]})
    (folder / "prometheus.yml").write_text(text)


def measure(
    prometheus: Prometheus, form: Format, agents: int, scrapes: int, interval_s: int
) -> None:
    """Print what Prometheus needs once every agent has its series."""
    seconds = scrapes * interval_s
    wait_for(lambda: prometheus.values("count(count_over_time(up[1h]) >= 2)") == [str(agents)])
    began, cpu_s = time.monotonic(), common.cpu_s(prometheus.pid)
    time.sleep(seconds)
    cpu_s = common.cpu_s(prometheus.pid) - cpu_s
    share = cpu_s / (time.monotonic() - began)
    memory_mb = common.resident_mb(prometheus.pid)
    if prometheus.value("sum(min_over_time(up[1h]))") != agents:
        raise SystemExit("not all scrapes succeeded")
    series = prometheus.value('count({job="syswatch"})')
    print(f"{form.name}: {agents} agents, {series:,.0f} series, a scrape every {interval_s} s")
    print(f"  {memory_mb:,.0f} MB, {100 * share:.3g} % of a core")
    duration_s = prometheus.value("quantile(0.9, scrape_duration_seconds)")
    common.judge(duration_s, "s for nine of ten scrapes", MOST_S)
    thousands = series / 1000
    common.judge(
        1000 * cpu_s / scrapes / thousands, "ms of CPU to scrape 1000 series", form.most_ms
    )
    common.judge(memory_mb / thousands, "MB of memory for 1000 series", MOST_MB)
    began = time.monotonic()
    calls = len(prometheus.values(form.quantile))
    lasted = time.monotonic() - began
    print(f"  {lasted:.2f} s for a quantile of each of {calls} calls, over the fleet", flush=True)


if __name__ == "__main__":
    main()
