"""
How much tracing costs, beside strace, in the same run: medians of the ratios of each round.

    python bench/ptrace.py [--rounds N] [--only PART] [--soak SECONDS] [--tiny]

Absolute times mean little on a shared machine; each round runs every contender once, so that they
share what else the machine was doing.  Parts are dd, filter, compute and service; the last one
also says how the memory of both processes grows, for which it needs to be given some minutes.
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
from pathlib import Path

# The harness of the tests starts a tracer just as the service does.
sys.path.append(str(Path(__file__).resolve().parent.parent))

import attrs
import common

from syswatch.model.messages import RunCommand, TraceOptions
from tests.tracer.harness import run

ENDLESS = ("dd", "if=/dev/zero", "of=/dev/null", "bs=1", "status=none")
STRACE = ("strace", "-c", "-f", "-o", "/dev/null")
# Two processes that compute for some seconds on a CPU each, and make some hundred calls.  They say
# themselves how long they took: starting a tracer slows nobody down.
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
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@attrs.frozen
class Size:
    """How much is done."""

    rounds: int
    soak_s: float
    calls: int = 150_000
    turns: int = 600
    # Python has allocated what it is going to after so long.
    settling_s: float = 5

    def dd(self, times: int = 1) -> tuple[str, ...]:
        """Return a command that makes twice as many calls."""
        return (*ENDLESS, f"count={times * self.calls}")

    def compute(self) -> tuple[str, ...]:
        """Return the command that computes."""
        return (sys.executable, "-c", COMPUTE.format(turns=self.turns))


# Returns what the command has printed.
Contender = Callable[[], bytes]
Times = Mapping[str, Sequence[float]]


def plain(*command: str) -> Contender:
    """Run a command as it is."""
    return lambda: subprocess.run(command, check=True, capture_output=True).stdout


def traced(*command: str, trace: str = "all", colocate: bool = True) -> Contender:
    """Run a command under our tracer."""
    options = TraceOptions(trace=trace, colocate=colocate)
    return lambda: run(RunCommand(command, options=options)).output


def on_one_cpu(contender: Contender) -> Contender:
    """Bind a contender, and so all that it starts, to one CPU."""

    def bound() -> bytes:
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(before)})
        try:
            return contender()
        finally:
            os.sched_setaffinity(0, before)

    return bound


def measure(contenders: Mapping[str, Contender], rounds: int) -> Times:
    """Return the times of each contender, in seconds, as it says itself or as it seems."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            begun = time.perf_counter()
            said = contender()
            times[name].append(float(said or time.perf_counter() - begun))
    return times


def compare(title: str, times: Times, goals: Mapping[str, float]) -> None:
    """Print times, and the ratios of contenders to others beside what ours should be."""
    print(f"\n{title}")
    for name, seconds in times.items():
        print(f"  {name:36} {statistics.median(seconds) * 1000:9.0f} ms")
    for name, goal in goals.items():
        judge(f"syswatch / {name}", ratio(times, "syswatch", name), goal)


def ratio(times: Times, ours: str, theirs: str) -> float:
    """Return the median of the ratios of two who ran one after the other, in the same weather."""
    pairs = zip(times[ours], times[theirs], strict=True)
    return statistics.median(one / other for one, other in pairs)


def judge(what: str, value: float, goal: float) -> None:
    """Print a value beside what it should be at most."""
    verdict = "met" if value <= goal else "MISSED"
    print(f"  {what:36} {value:9.2f}    (goal {goal}: {verdict})")


def dd(size: Size) -> None:
    """Nothing but system calls."""
    command = size.dd()
    contenders = {
        "untraced": plain(*command),
        "syswatch": traced(*command),
        "syswatch without colocation": traced(*command, colocate=False),
    }
    goals = {}
    if common.has("strace", "dd under strace"):
        contenders["strace -c -f"] = plain(*STRACE, *command)
        contenders["strace -c -f on one CPU"] = on_one_cpu(plain(*STRACE, *command))
        goals = {"strace -c -f": 0.25, "strace -c -f on one CPU": 1.3}
    compare(f"dd, {2 * size.calls} calls", measure(contenders, size.rounds), goals)


def filtered(size: Size) -> None:
    """Calls that nobody asked for."""
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
    """Few calls."""
    command = size.compute()
    contenders = {"untraced": plain(*command), "syswatch": traced(*command)}
    has_strace = common.has("strace", "computing under strace")
    if has_strace:
        contenders["strace -c -f"] = plain(*STRACE, *command)
    times = measure(contenders, size.rounds)
    compare("two processes that compute", times, {"untraced": 1.05})
    if has_strace:
        print(f"  {'strace -c -f / untraced':36} {ratio(times, 'strace -c -f', 'untraced'):9.2f}")


def service(size: Size) -> None:
    """The process that serves, while its tracer is as busy as it can be."""
    with serving() as (server, port):
        time.sleep(size.settling_s)
        tracer = int(Path(f"/proc/{server}/task/{server}/children").read_text().split()[0])
        processes = {"server": server, "tracer": tracer}
        before = {name: resident(pid) for name, pid in processes.items()}
        begun, busy, calls = time.monotonic(), cpu_seconds(server), total(port)
        time.sleep(size.soak_s)
        span = time.monotonic() - begun
        rate = (total(port) - calls) / span
        share = 100 * (cpu_seconds(server) - busy) / span
        print(f"\nthe server, while the target makes {rate:.0f} calls a second")
        judge("% of one CPU", share, 5)
        for name, pid in processes.items():
            grown = resident(pid) - before[name]
            print(f"  memory of the {name:22} {resident(pid) / 1e6:9.1f} MB")
            print(f"  its growth in {span:4.0f} s {grown / 1e3:26.0f} kB")


@contextmanager
def serving() -> Iterator[tuple[int, int]]:
    """Serve dd, which never ends; yield the pid and the port of the server."""
    command = [sys.executable, "-m", "syswatch", "run", "--backend", "ptrace", "--serve", ":0"]
    with subprocess.Popen([*command, "--", *ENDLESS], stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        served = next(filter(None, (re.search(r":(\d+)/", line) for line in server.stderr)))
        try:
            yield server.pid, int(served[1])
        finally:
            server.send_signal(signal.SIGTERM)


def total(port: int) -> int:
    """Ask the server how many calls there were."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    return int(
        sum(map(float, re.findall(r"^syswatch_syscall_calls_total\S* (\S+)", text, re.MULTILINE)))
    )


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def resident(pid: int) -> int:
    """Return the memory of a process, in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE


PARTS = {"dd": dd, "filter": filtered, "compute": compute, "service": service}


def main() -> None:
    """Measure everything, or what is asked for."""
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
