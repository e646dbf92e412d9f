"""
Compare the cost of the ptrace backend with that of strace and of no tracer.

    python bench/ptrace.py [--rounds N] [--only PART] [--soak SECONDS] [--tiny]

Absolute times mean little on a shared machine: each round runs every program once, and the medians
of the ratios within a round are printed.  Parts are dd, objects, filter, compute and service; the
last one also prints how the memory of both processes grows, which takes some minutes to mean much.
"""

import os
import re
import signal
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

# The harness of the tests starts a tracer just as the service does.
sys.path.append(str(Path(__file__).resolve().parent.parent))

import attrs
import common

from syswatch.model.messages import RunCommand, TraceOptions
from tests.tracer.harness import run

ENDLESS = ("dd", "if=/dev/zero", "of=/dev/null", "bs=1", "status=none")
STRACE = ("strace", "-c", "-f", "-o", "/dev/null")
# Two processes that compute for some seconds on a CPU each, and make a few hundred calls.  They
# measure themselves, so that starting a tracer does not count.
COMPUTE = """
import os, time
begun = time.perf_counter()
child = os.fork()
for i in range({turns}):
    os.getppid()
    sum(range(1_000_000))
if child:
    os.wait()
    print(time.perf_counter() - begun)
"""


@attrs.frozen
class Size:
    """The amount of work."""

    rounds: int
    soak_s: float
    calls: int = 150_000
    turns: int = 600
    # After this time Python has allocated its memory.
    settling_s: float = 5

    def dd(self, times: int = 1) -> tuple[str, ...]:
        """Return a command that makes twice as many calls."""
        return (*ENDLESS, f"count={times * self.calls}")

    def calls_of(self, contender: "Callable[..., Contender]") -> "Contender":
        """Return what measures how much longer dd takes than without these calls."""

        def difference() -> bytes:
            return str(seconds(contender(*self.dd())) - seconds(contender(*self.dd(0)))).encode()

        return difference

    def compute(self) -> tuple[str, ...]:
        """Return the command that computes."""
        return (sys.executable, "-c", COMPUTE.format(turns=self.turns))


# Runs a command and returns its output.
Contender = Callable[[], bytes]
Times = Mapping[str, Sequence[float]]


def seconds(contender: Contender) -> float:
    """Run a command and return how long that took."""
    begun = time.perf_counter()
    contender()
    return time.perf_counter() - begun


def plain(*command: str) -> Contender:
    """Run a command untraced."""
    return lambda: subprocess.run(command, check=True, capture_output=True).stdout


def traced(*command: str, **values: object) -> Contender:
    """Run a command under syswatch's tracer."""
    options = TraceOptions(**values)  # type: ignore[arg-type]
    return lambda: run(RunCommand(command, options=options)).output


def on_one_cpu(contender: Contender) -> Contender:
    """Bind a command and its children to one CPU."""

    def bound() -> bytes:
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(before)})
        try:
            return contender()
        finally:
            os.sched_setaffinity(0, before)

    return bound


def measure(contenders: Mapping[str, Contender], rounds: int) -> Times:
    """Return the times of each command in seconds, as it reports itself or as measured."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            begun = time.perf_counter()
            reported = contender()
            times[name].append(float(reported or time.perf_counter() - begun))
    return times


def compare(title: str, times: Times, goals: Mapping[str, float]) -> None:
    """Print times, and the ratios of syswatch to the others with their goals."""
    print(f"\n{title}")
    for name, seconds in times.items():
        print(f"  {name:36} {statistics.median(seconds) * 1000:9.0f} ms")
    for name, goal in goals.items():
        common.judge(common.ratio(times["syswatch"], times[name]), f"times as long as {name}", goal)


def dd(size: Size) -> None:
    """Compare the calls of a program that makes nothing else, without the start of each tracer."""
    contenders = {
        "untraced": size.calls_of(plain),
        "syswatch": size.calls_of(traced),
        "syswatch without objects": size.calls_of(partial(traced, objects=False)),
        "syswatch without colocation": size.calls_of(partial(traced, colocate=False)),
    }
    goals = {"syswatch without objects": 1.05}
    if common.has("strace", "dd under strace"):
        strace = size.calls_of(partial(plain, *STRACE))
        contenders |= {"strace -c -f": strace, "strace -c -f on one CPU": on_one_cpu(strace)}
        goals |= {"strace -c -f": 0.15, "strace -c -f on one CPU": 1.0}
    compare(f"dd, {2 * size.calls} calls", measure(contenders, size.rounds), goals)


def objects(size: Size) -> None:
    """Compare programs that open files and wait for each other, with and without objects."""
    commands = {
        "files": ("find", "/usr/lib/python3", "-newer", "/etc/passwd"),
        "pipes": ("sh", "-c", "for i in $(seq 30); do cat /etc/passwd | wc -l; done > /dev/null"),
    }
    for title, command in commands.items():
        contenders = {
            "syswatch": traced(*command),
            "syswatch without objects": traced(*command, objects=False),
        }
        compare(title, measure_silently(contenders, size.rounds), {"syswatch without objects": 1.5})


def measure_silently(contenders: Mapping[str, Contender], rounds: int) -> Times:
    """Return the times of commands whose output is not a time."""

    def silent(contender: Contender) -> Contender:
        return lambda: contender()[:0]

    return measure({name: silent(each) for name, each in contenders.items()}, rounds)


def filtered(size: Size) -> None:
    """Compare a program whose calls are filtered out."""
    command = size.dd(100)
    compare(
        f"dd, {200 * size.calls} calls, of which only openat is traced",
        measure(
            {"untraced": plain(*command), "syswatch": traced(*command, trace="openat")},
            size.rounds,
        ),
        {"untraced": 1.3},
    )


def compute(size: Size) -> None:
    """Compare a program that makes few calls."""
    command = size.compute()
    contenders = {"untraced": plain(*command), "syswatch": traced(*command)}
    has_strace = common.has("strace", "computing under strace")
    if has_strace:
        contenders["strace -c -f"] = plain(*STRACE, *command)
    times = measure(contenders, size.rounds)
    compare("two processes that compute", times, {"untraced": 1.05})
    if has_strace:
        share = common.ratio(times["strace -c -f"], times["untraced"])
        print(f"         {share:.3g} times as long as untraced: strace -c -f")


def service(size: Size) -> None:
    """Measure the server process while its tracer is as busy as possible."""
    with serving() as (server, port):
        time.sleep(size.settling_s)
        tracer = int(Path(f"/proc/{server}/task/{server}/children").read_text().split()[0])
        processes = {"server": server, "tracer": tracer}
        before = {name: common.resident_mb(pid) for name, pid in processes.items()}
        begun, busy, calls = time.monotonic(), common.cpu_s(server), total(port)
        time.sleep(size.soak_s)
        span = time.monotonic() - begun
        rate = (total(port) - calls) / span
        share = 100 * (common.cpu_s(server) - busy) / span
        print(f"\nthe server, while the target makes {rate:.0f} calls a second")
        common.judge(share, "% of a core for the server", 5)
        for name, pid in processes.items():
            grown = common.resident_mb(pid) - before[name]
            print(f"  memory of the {name:22} {common.resident_mb(pid):9.1f} MB")
            print(f"  its growth in {span:4.0f} s {grown * 1e3:26.0f} kB")


@contextmanager
def serving() -> Iterator[tuple[int, int]]:
    """Serve an endless dd; yield the PID and the port of the server."""
    command = [sys.executable, "-m", "syswatch", "run", "--backend", "ptrace", "--serve", ":0"]
    with subprocess.Popen([*command, "--", *ENDLESS], stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        served = next(filter(None, (re.search(r":(\d+)/", line) for line in server.stderr)))
        try:
            yield server.pid, int(served[1])
        finally:
            server.send_signal(signal.SIGTERM)


def total(port: int) -> int:
    """Return the number of calls that the server has counted."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    return int(
        sum(map(float, re.findall(r"^syswatch_syscall_calls_total\S* (\S+)", text, re.MULTILINE)))
    )


PARTS = {"dd": dd, "objects": objects, "filter": filtered, "compute": compute, "service": service}


def main() -> None:
    """Measure all parts, or the given ones."""
    parser = common.parser("Measure what tracing with ptrace costs.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--soak", type=float, default=15, metavar="SECONDS")
    arguments = parser.parse_args()
    size = Size(arguments.rounds, arguments.soak)
    if arguments.tiny:
        size = Size(rounds=1, soak_s=1, calls=1_000, turns=20, settling_s=0.5)
    for name in arguments.only or PARTS:
        PARTS[name](size)


if __name__ == "__main__":
    main()
