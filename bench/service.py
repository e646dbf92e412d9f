"""
Measure how fast the service starts, answers, streams and stops while it traces a busy program.

Run it with nothing else running:

    python bench/service.py [--rounds N] [--backend ebpf] [--tiny] [start answers ...]

The stages are start, answers, stream, attacks and stop.

The server has one CPU; the load generator, the clients, the tracer and the traced program share
the others.  Its rate is compared with a bare Twisted resource of the same size, which is requested
in turn with it; the ratio of the medians counts.
"""

import json
import signal
import statistics
import time
from collections import defaultdict
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
    first_answer_s,
    load,
    syswatch,
)

CALLS_A_SECOND = 40_000
CONNECTIONS = 64


@attrs.frozen
class Size:
    """The amount of work."""

    rounds: int
    backend: str
    seconds: int = 5
    clients: int = 2_000
    most_clients: int = 5_000
    stalled: int = 50
    attackers: int = 1_000
    probes: int = 200


def main() -> None:
    """Measure all stages, or the given ones."""
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
        # So that everything can be run on a machine without eBPF.
        # Two seconds have a tick, even on a busy machine.
        size = Size(1, "auto", 2, clients=20, most_clients=40, stalled=2, attackers=20, probes=3)
    for stage in arguments.stages or stages:
        stages[stage](size)


def start(size: Size) -> None:
    """Measure the time from the command to its first answer."""
    seconds = [first_answer_s() for _ in range(2 * size.rounds + 1)]
    common.judge(statistics.median(seconds), "s from start to first answer", 0.6, runs=seconds)


def answers(size: Size) -> None:
    """Compare /api/stats with constant bytes of the same size, and with /healthz."""
    if not common.has("wrk", "how many answers a second"):
        return
    rates: dict[str, list[float]] = defaultdict(list)
    p99s: dict[str, list[float]] = defaultdict(list)
    with syswatch(CALLS_A_SECOND, size.backend) as server:
        time.sleep(2)
        body = server.get("api/stats")
        print(f"/api/stats: {len(body)} bytes, {len(json.loads(body))} system calls")
        with bare(len(body)) as plain:
            targets = {
                "bare": plain.url,
                "ours": f"{server.url}api/stats",
                "healthz": f"{server.url}healthz",
            }
            for _ in range(size.rounds):
                for name, url in targets.items():
                    rate, p99 = load(url, CONNECTIONS, size.seconds)
                    rates[name].append(rate)
                    p99s[name].append(p99)
                    print(
                        f"         {name}: {rate:.0f} answers/s, p99 {p99:.1f} ms, "
                        f"while {traced(server)} calls/s are traced"
                    )
        for path in ("metrics", "api/dashboard", "api/log", ""):
            server.get(path)
        common.judge(
            common.resident_mb(server.pid), "MB resident after one request of each kind", 75
        )
        tracer = common.descendants(server.pid)[0]
        print(f"  (the tracer child has {common.resident_mb(tracer):.0f} MB besides)")
    medians = {name: statistics.median(each) for name, each in rates.items()}
    common.judge(
        medians["ours"] / medians["bare"], "times the rate of bare Twisted", 0.7, least=True
    )
    common.judge(
        medians["healthz"] / medians["ours"], "times that rate for /healthz", 1, least=True
    )
    common.judge(statistics.median(p99s["ours"]), f"ms p99 with {CONNECTIONS} connections", 25)
    print(f"  (the bare resource: {statistics.median(p99s['bare']):.1f} ms)")


def stream(size: Size) -> None:
    """Measure the lag of many clients, and what they cost the server."""
    limit = ("--max-clients", str(size.most_clients))
    with syswatch(CALLS_A_SECOND, size.backend, *limit) as server:
        print(f"/stream: messages of {len(server.get('api/stats'))} bytes")
        note(common.resident_mb(server.pid), "MB resident without clients")
        for clients in (size.clients, size.most_clients):
            listeners = Listeners(server, clients)
            print(f"  {listeners.connected} of {clients} connected", flush=True)
            # Messages during the connecting do not count.
            listeners.ask("measure 3")
            figures = [measured(server, listeners, size.seconds) for _ in range(size.rounds)]
            names = tuple(figures[0])
            lag, share, answered = (
                statistics.median(figure[key] for figure in figures) for key in names
            )
            common.judge(lag, f"ms p99 lag with {clients} clients", 150)
            common.judge(share, f"% of a core with {clients} clients", 12)
            what = f"times the expected messages with {clients} clients"
            common.judge(answered, what, 1, least=True)
            note(common.resident_mb(server.pid), f"MB resident with {clients} clients")
            if clients == size.most_clients:
                status = listeners.ask("one-more")["status"]
                common.judge(
                    float(str(status)), "is the status for one more client", 503, least=True
                )
            listeners.end()
            while b"syswatch_ws_clients 0.0" not in server.get("metrics"):
                time.sleep(0.1)
        # It frees memory a second later.
        time.sleep(2)
        note(common.resident_mb(server.pid), "MB resident after they disconnected")


def measured(server: Server, listeners: Listeners, seconds: int) -> dict[str, float]:
    """Return the figures of some seconds."""
    before = server.cpu_s()
    received: dict[str, Any] = listeners.ask(f"measure {seconds}")
    share = 100 * (server.cpu_s() - before) / seconds
    complete = received["messages"] / (received["ticks"] * listeners.connected)
    print(
        f"         {received['ticks']} ticks, {received['messages']} messages, "
        f"{received['megabytes']} MB: "
        f"p99 lag {received['p99_ms']:.0f} ms ({received['taken_p99_ms']:.0f} until it is read), "
        f"{share:.1f} % of a core, "
        f"while {traced(server)} calls/s are traced"
    )
    return {"lag": received["p99_ms"], "share": share, "complete": complete}


def attacks(size: Size) -> None:
    """Measure the answers of a server under attack, and its memory afterwards."""
    averages = []
    with syswatch(CALLS_A_SECOND, size.backend, "--ws-token", TOKEN) as server:
        before = common.resident_mb(server.pid)
        for name in ATTACKS:
            with attacking(server, name, size.attackers):
                times_ms = [answer_ms(server) for _ in range(size.probes)]
            averages.append(statistics.mean(times_ms))
            common.judge(averages[-1], f"ms to answer /healthz on average, under {name}", 100)
            print(f"         ({max(times_ms):.0f} ms at worst)")
            while json.loads(server.get("debug/goroutines"))["readers"] > 20:
                time.sleep(0.1)
        time.sleep(2)
        note(before, "MB resident before all attacks")
        note(common.resident_mb(server.pid), "MB resident after all attacks")


def answer_ms(server: Server) -> float:
    """Return the time of a request on its own connection, as probes send it."""
    time.sleep(0.02)
    began = time.monotonic()
    if server.get("healthz") != b"ok":
        raise SystemExit("/healthz did not answer ok")
    return 1000 * (time.monotonic() - began)


def stop(size: Size) -> None:
    """Measure a SIGTERM to a daemon with many clients, some of which do not read."""
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
    common.judge(statistics.median(totals), what, 2, runs=totals)


def stopped(server: Server, target: int, listeners: Listeners) -> float:
    """Stop the server; return how long that took."""
    listeners.tell("await-end")
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    while "TracerPid:\t0" not in Path(f"/proc/{target}/status").read_text("ascii"):
        time.sleep(0.001)
    untraced = time.monotonic() - began
    server.process.wait()
    exited = time.monotonic() - began
    closed: dict[str, Any] = listeners.answer()
    print(
        f"         untraced after {untraced:.2f} s, "
        f"clients closed after {closed['at'] - began:.2f} s (codes {closed['codes']}), "
        f"exited after {exited:.2f} s"
    )
    return exited


def traced(server: Server) -> int:
    """Return the rate of calls that the server reports."""
    rate: float = json.loads(server.get("api/status"))["Rate"]
    return round(rate)


def note(value: float, what: str) -> None:
    """Print a number without a goal."""
    print(f"         {value:.3g} {what}")


if __name__ == "__main__":
    main()
