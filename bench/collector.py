#!/usr/bin/env python3
"""
Prove that a real OpenTelemetry Collector gets every number, also if it is restarted.

    python bench/collector.py [--collector FILE] [--minutes N] [--tiny]

`syswatch run --otlp` traces a program that knows which calls it makes, and pushes 360 times.  In
between, the collector is stopped for as long as 24 pushes take.  It writes what it accepts to
files, which must agree with the summary of the run and with the program.  The collector is built
with `builder --config bench/otelcol-builder.yaml`.
"""

import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import collected
import common

PUSHES = 360
MISSED_PUSHES = 24
SLOW_CALLS = 20
_TINY_S = 12
_LEAST_INTERVAL_S = 0.2
_PATIENCE_S = 30
_LONGEST_PAUSE = 1.5
# A busy machine may delay a push.
_LATE_S = 1
_CONFIGURATION = """
receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:{port}
exporters:
  file/metrics:
    path: {folder}/metrics.json
    append: true
  file/logs:
    path: {folder}/logs.json
    append: true
service:
  telemetry:
    metrics:
      level: none
  pipelines:
    metrics:
      receivers: [otlp]
      exporters: [file/metrics]
    logs:
      receivers: [otlp]
      exporters: [file/logs]
"""
# Makes slow calls at regular times: reads that last until the signal of a timer ends them.  Each is
# slower than those before, and so among the slowest that are kept.
_PROGRAM = """
import json, os, signal, sys, time
seconds, slow = float(sys.argv[1]), int(sys.argv[2])
signal.signal(signal.SIGALRM, lambda *_: None)
ours, woken = os.pipe()
os.set_blocking(woken, False)
signal.set_wakeup_fd(woken)
begin = time.monotonic()
steps = reads = 0
while (now := time.monotonic() - begin) < seconds:
    for _ in range(10):
        os.getppid()
    try:
        os.rmdir("/no/such/folder")
    except OSError:
        pass
    steps += 1
    if reads < slow and now >= reads * seconds / slow:
        reads += 1
        signal.setitimer(signal.ITIMER_REAL, 0.2 + 0.02 * reads)
        os.read(ours, 1)
    time.sleep(0.02)
print(json.dumps({"getppid": 10 * steps, "rmdir": steps, "slow": reads}))
"""


@attrs.frozen
class Plan:
    """How long everything takes, in seconds."""

    run_s: float

    @property
    def interval_s(self) -> float:
        """The time between pushes."""
        return max(self.run_s / PUSHES, _LEAST_INTERVAL_S)

    @property
    def outage_s(self) -> float:
        """How long there is no collector."""
        return min(MISSED_PUSHES * self.interval_s, self.run_s / 4)


@attrs.frozen
class Result:
    """What the run and its program said."""

    summary: Mapping[str, dict[str, Any]]
    made: Mapping[str, int]
    errors: str


def main() -> None:
    """Push to a collector, restart it, and check what it has got."""
    parser = common.parser("Prove that a collector gets every number.")
    parser.add_argument("--collector", default="otelcol", help="the program (default: otelcol)")
    parser.add_argument("--minutes", type=float, default=30, help="how long to push")
    arguments = parser.parse_args()
    program = shutil.which(arguments.collector)
    if program is None:
        common.leave_out("pushing to a collector", f"{arguments.collector} is not installed")
        return
    plan = Plan(_TINY_S if arguments.tiny else 60 * arguments.minutes)
    print(
        f"{plan.run_s:g} s, a push every {plan.interval_s:g} s, no collector for"
        f" {plan.outage_s:g} s",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check(folder, push(folder, program, plan), plan)


def push(folder: Path, program: str, plan: Plan) -> Result:
    """Run the program and the collector."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "collector.yaml").write_text(_CONFIGURATION.format(port=port, folder=folder))
    with collector(folder, program, port), tracing(folder, port, plan) as traced:
        time.sleep(plan.run_s * 0.4)
    print("  the collector is stopped", flush=True)
    time.sleep(plan.outage_s)
    with collector(folder, program, port):
        print("  the collector is started again", flush=True)
        output, errors = traced.communicate()
    rows = json.loads((folder / "summary.json").read_text("utf-8"))["Stats"]
    return Result({row["Name"]: row for row in rows}, json.loads(output), errors)


@contextmanager
def tracing(folder: Path, port: int, plan: Plan) -> Iterator[subprocess.Popen[str]]:
    """Start the run, which goes on after the block."""
    yield subprocess.Popen(
        [
            *(sys.executable, "-m", "syswatch", "run", "--otlp", f"127.0.0.1:{port}"),
            *("--format", "json", "--output", str(folder / "summary.json"), "--"),
            *(sys.executable, "-c", _PROGRAM, str(plan.run_s), str(SLOW_CALLS)),
        ],
        env={**os.environ, "OTEL_METRIC_EXPORT_INTERVAL": f"{1000 * plan.interval_s:.0f}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextmanager
def collector(folder: Path, program: str, port: int) -> Iterator[None]:
    """Run the collector during the block."""
    with (folder / "collector.log").open("a") as log:
        process = subprocess.Popen(
            [program, "--config", str(folder / "collector.yaml")],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        until = time.monotonic() + _PATIENCE_S
        while not answers(port):
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit((folder / "collector.log").read_text())
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


def answers(port: int) -> bool:
    """Return whether the collector answers."""
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/metrics")
    except urllib.error.HTTPError:
        return True  # It wants a POST.
    except OSError:
        return False
    return True


def check(folder: Path, result: Result, plan: Plan) -> None:
    """Print what the collector has got, and whether it should have."""
    found = collected.pushes(folder / "metrics.json")
    size = sum(path.stat().st_size for path in folder.glob("*.json")) / 1e6
    print(f"  {len(found)} pushes accepted, {size:.1f} MB as JSON")
    for line in result.errors.splitlines():
        print(f"  syswatch: {line}")
    common.judge(collected.decreases(found), "values have decreased", 0)
    times = [each.time_ns for each in found]
    common.judge(len(times) - len(set(times)), "pushes arrived twice", 0)
    pauses = [after - before for before, after in itertools.pairwise(times)]
    # The push after a lost one is two intervals later, and its count of pushes before is too high.
    late = 1e9 * (_LONGEST_PAUSE * plan.interval_s + _LATE_S)
    common.judge(sum(pause > late for pause in pauses), "gaps between pushes", 0)
    accepted = found[-1].of(collected.REQUESTS, "signal", "outcome")["metrics", "accepted"]
    common.judge(max(accepted + 1 - len(found), 0), "accepted pushes are not in the file", 0)
    common.judge(sum(pause < 0 for pause in pauses), "pushes out of order", 0)
    starts = frozenset[int]().union(*(each.starts_ns for each in found))
    common.judge(len(starts), "starts of the series", 1)
    last = found[-1]
    unwanted = {
        key: count
        for key, count in last.of(collected.REQUESTS, "signal", "outcome").items()
        if key[1] != "accepted"
    }
    common.judge(sum(unwanted.values()), "requests rejected or dropped", 0)
    common.judge(differences(last, result), "totals that differ from the summary", 0)
    made = {name: result.made[name] for name in ("getppid", "rmdir")}
    calls = last.of(collected.CALLS, "syscall")
    print(f"  {sum(calls.values()):,.0f} calls, {len(calls)} different ones")
    # The interpreter makes neither of them.
    wrong = sum(calls[name] != count for name, count in made.items())
    common.judge(wrong, f"totals that differ from the program ({made})", 0)
    check_records(folder, result)


def differences(last: collected.Push, result: Result) -> int:
    """Return in how many numbers the last push and the summary of the run differ."""
    summary = result.summary
    calls = {name: row["Count"] for name, row in summary.items()}
    errors = {
        (name, errno): count
        for name, row in summary.items()
        for errno, count in row.get("ErrorBreakdown", {}).items()
    }
    times = {name: (row["Count"], row["TotalTime"]) for name, row in summary.items()}
    pairs: list[tuple[Mapping[Any, Any], Mapping[Any, Any]]] = [
        (calls, last.of(collected.CALLS, "syscall")),
        (errors, last.of(collected.ERRORS, "syscall", "error.type")),
        (times, last.times),
    ]
    return sum(
        ours.get(key) != theirs.get(key) for ours, theirs in pairs for key in {*ours, *theirs}
    )


def check_records(folder: Path, result: Result) -> None:
    """Print how many of the slow calls have arrived."""
    found = list(collected.records(folder / "logs.json"))
    ids = {each["log.record.uid"] for each in found}
    common.judge(len(found) - len(ids), "log records arrived twice", 0)
    slow = [each for each in found if each.get("syscall") == "read"]
    made = result.made["slow"]
    common.judge(made - len(slow), f"of {made} slow calls were lost", 0)


if __name__ == "__main__":
    main()
