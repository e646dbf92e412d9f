"""
How fast the service answers, streams, starts and stops, while it watches a busy program.

Run it with nothing else running:

    python bench/service.py [--rounds N] [--backend ebpf] [--tiny] [start answers ...]

The stages are start, answers, stream, attacks and stop.

The server has one CPU; the load generator, the clients, the tracer and the watched program share
the others.  The bare Twisted resource is asked in turn with ours, under the same load on the
machine, and the ratio of the medians counts.
"""

import json
import signal
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import common
from attacks import ATTACKS, TOKEN
from servers import (
    Listeners,
    Server,
    attacking,
    bare,
    daemon,
    descendants,
    first_answer_s,
    load,
    resident_mb,
    syswatch,
)

CALLS_A_SECOND = 40_000
CONNECTIONS = 64


@attrs.frozen
class Size:
    """How much is done."""

    rounds: int
    backend: str
    seconds: int = 5
    clients: int = 2_000
    most_clients: int = 5_000
    stalled: int = 50
    attackers: int = 1_000
    probes: int = 200


def main() -> None:
    """Measure what is asked for and print it."""
    stages: dict[str, Callable[[Size], None]] = {
        "start": start,
        "answers": answers,
        "stream": stream,
        "attacks": attacks,
        "stop": stop,
    }
    parser = common.parser("Measure the service.")
    parser.add_argument("stages", nargs="*", choices=[[], *stages], help="what to measure: all")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which the median counts")
    parser.add_argument("--backend", default="ebpf", help="how the busy program is traced")
    arguments = parser.parse_args()
    size = Size(arguments.rounds, arguments.backend)
    if arguments.tiny:
        # A machine that does not allow eBPF can see at least that everything works.
        size = Size(1, "auto", 1, clients=20, most_clients=40, stalled=2, attackers=20, probes=3)
    for stage in arguments.stages or stages:
        stages[stage](size)


def start(size: Size) -> None:
    """Measure the time from the command to its first answer."""
    seconds = [first_answer_s() for _ in range(2 * size.rounds + 1)]
    judge(statistics.median(seconds), 0.6, "s from start to first answer", seconds)


def answers(size: Size) -> None:
    """Compare /api/stats with constant bytes of the same size."""
    if not common.has("wrk", "how many answers a second"):
        return
    rates: dict[str, list[float]] = {"bare": [], "ours": []}
    p99s: dict[str, list[float]] = {"bare": [], "ours": []}
    with syswatch(CALLS_A_SECOND, size.backend) as server:
        time.sleep(2)
        body = server.get("api/stats")
        print(f"/api/stats: {len(body)} bytes, {len(json.loads(body))} system calls")
        with bare(len(body)) as plain:
            targets = {"bare": plain.url, "ours": f"{server.url}api/stats"}
            for _ in range(size.rounds):
                for name, url in targets.items():
                    rate, p99 = load(url, CONNECTIONS, size.seconds)
                    rates[name].append(rate)
                    p99s[name].append(p99)
                    said = f"{rate:8.0f} answers/s, p99 {p99:5.1f} ms"
                    print(f"  {name} {said}, while {traced(server)} calls/s are traced")
        for path in ("metrics", "api/dashboard", "api/log", ""):
            server.get(path)
        judge(resident_mb(server.pid), 75, "MB resident with everything asked for once")
        tracer = descendants(server.pid)[0]
        print(f"  (the tracer child has {resident_mb(tracer):.0f} MB besides)")
    medians = {name: statistics.median(each) for name, each in rates.items()}
    judge(medians["ours"] / medians["bare"], 0.7, "of the bare resource's rate", least=True)
    judge(statistics.median(p99s["ours"]), 25, f"ms p99 with {CONNECTIONS} connections")
    print(f"  (the bare resource: {statistics.median(p99s['bare']):.1f} ms)")


def stream(size: Size) -> None:
    """Let many listen; see how late the last hears, and what that costs the server."""
    limit = ("--max-clients", str(size.most_clients))
    with syswatch(CALLS_A_SECOND, size.backend, *limit) as server:
        print(f"/stream: messages of {len(server.get('api/stats'))} bytes")
        judge(resident_mb(server.pid), 0, "MB resident before anybody listens")
        for clients in (size.clients, size.most_clients):
            listeners = Listeners(server, clients)
            print(f"  {listeners.connected} of {clients} connected", flush=True)
            # What came while they connected is no measure of anything.
            listeners.ask("measure 3")
            figures = [measured(server, listeners, size.seconds) for _ in range(size.rounds)]
            said = tuple(figures[0])
            lag, share, answered = (
                statistics.median(figure[key] for figure in figures) for key in said
            )
            most = clients == size.most_clients
            judge(lag, 0 if most else 150, f"ms p99 lag with {clients} clients")
            judge(share, 0 if most else 12, f"% of a core with {clients} clients")
            judge(answered, 1, f"of the messages came, with {clients} clients", least=True)
            judge(resident_mb(server.pid), 0, f"MB resident with {clients} clients")
            if most:
                status = listeners.ask("one-more")["status"]
                judge(float(str(status)), 503, "is the answer to one client more", least=True)
            listeners.end()
            while b"syswatch_ws_clients 0.0" not in server.get("metrics"):
                time.sleep(0.1)
        # It gives memory back a second later.
        time.sleep(2)
        judge(resident_mb(server.pid), 0, "MB resident when they have gone")


def measured(server: Server, listeners: Listeners, seconds: int) -> dict[str, float]:
    """Listen for some seconds."""
    before = server.cpu_s()
    seen: dict[str, Any] = listeners.ask(f"measure {seconds}")
    share = 100 * (server.cpu_s() - before) / seconds
    complete = seen["messages"] / (seen["ticks"] * listeners.connected)
    print(
        f"    {seen['ticks']} ticks, {seen['messages']} messages, {seen['megabytes']} MB: "
        f"p99 lag {seen['p99_ms']:.0f} ms, {share:.1f} % of a core, "
        f"while {traced(server)} calls/s are traced"
    )
    return {"lag": seen["p99_ms"], "share": share, "complete": complete}


def attacks(size: Size) -> None:
    """Ask whether the server is alive while it is attacked; see what memory that leaves behind."""
    averages = []
    with syswatch(CALLS_A_SECOND, size.backend, "--ws-token", TOKEN) as server:
        before = resident_mb(server.pid)
        for name in ATTACKS:
            with attacking(server, name, size.attackers):
                times_ms = [answer_ms(server) for _ in range(size.probes)]
            averages.append(statistics.mean(times_ms))
            judge(averages[-1], 100, f"ms to answer /healthz on average, under {name}")
            print(f"         ({max(times_ms):.0f} ms at worst)")
            while json.loads(server.get("debug/goroutines"))["readers"] > 20:
                time.sleep(0.1)
        time.sleep(2)
        print(f"         {before:.0f} MB resident before all of them")
        judge(resident_mb(server.pid), 0, "MB resident after them")


def answer_ms(server: Server) -> float:
    """Ask once, on a connection of its own, as probes do."""
    time.sleep(0.02)
    began = time.monotonic()
    if server.get("healthz") != b"ok":
        raise SystemExit("the server says that it is not well")
    return 1000 * (time.monotonic() - began)


def stop(size: Size) -> None:
    """Send SIGTERM to a daemon while many listen and some do not read; see what happens when."""
    totals = []
    for _ in range(size.rounds):
        with daemon(CALLS_A_SECOND) as (server, target):
            listeners = Listeners(server, size.clients, size.stalled)
            listeners.ask("measure 2")
            totals.append(stopped(server, target, listeners))
            listeners.end()
    what = (
        f"s from SIGTERM to exit, with {size.clients} clients and {size.stalled} that do not read"
    )
    judge(statistics.median(totals), 2, what, totals)


def stopped(server: Server, target: int, listeners: Listeners) -> float:
    """Stop it; return how long that took."""
    listeners.tell("await-end")
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    while "TracerPid:\t0" not in Path(f"/proc/{target}/status").read_text("ascii"):
        time.sleep(0.001)
    untraced = time.monotonic() - began
    server.process.wait()
    exited = time.monotonic() - began
    told: dict[str, Any] = listeners.answer()
    print(
        f"  untraced after {untraced:.2f} s, clients told after {told['at'] - began:.2f} s "
        f"(codes {told['codes']}), gone after {exited:.2f} s"
    )
    return exited


def traced(server: Server) -> int:
    """Return how many calls a second the server sees."""
    return round(json.loads(server.get("api/status"))["Rate"])


def judge(
    value: float,
    goal: float,
    what: str,
    runs: list[float] | None = None,
    *,
    least: bool = False,
) -> None:
    """Print a median with the goal that it has, if any."""
    spread = f", {min(runs):.2f} to {max(runs):.2f}" if runs else ""
    if not goal:
        print(f"         {value:.4g} {what}")
        return
    holds = value >= goal if least else value <= goal
    kind = "at least" if least else "at most"
    print(f"  {'ok    ' if holds else 'MISSED'} {value:.4g} {what}{spread} (goal: {kind} {goal})")


if __name__ == "__main__":
    main()
