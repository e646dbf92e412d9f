"""
How much tracing costs, beside strace, in the same run: ratios of medians of interleaved rounds.

    python bench/ptrace.py [ROUNDS]

Absolute times mean little on a shared machine; each round runs every contender once, so that they
share what else the machine was doing.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

# The harness of the tests starts a tracer just as the service does.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from syswatch.model.messages import RunCommand, TraceOptions
from tests.tracer.harness import run

CALLS = 150_000
DD = ("dd", "if=/dev/zero", "of=/dev/null", "bs=1", f"count={CALLS}", "status=none")
STRACE = ("strace", "-c", "-f", "-o", "/dev/null")
# Two processes that compute for some seconds on a CPU each, and make few calls.
COMPUTE = (
    sys.executable,
    "-c",
    """
import os
child = os.fork()
for i in range(1000):
    os.getppid()
    sum(range(200_000))
if child:
    os.wait()
""",
)

Contender = Callable[[], None]


def plain(*command: str) -> Contender:
    """Run a command as it is."""
    return lambda: void(subprocess.run(command, check=True, stderr=subprocess.DEVNULL))


def traced(*command: str, trace: str = "all", colocate: bool = True) -> Contender:
    """Run a command under our tracer."""
    options = TraceOptions(trace=trace, colocate=colocate)
    return lambda: void(run(RunCommand(command, options=options)))


def void(_: object) -> None:
    """Forget a result."""


def on_one_cpu(contender: Contender) -> Contender:
    """Bind a contender, and so all that it starts, to one CPU."""

    def bound() -> None:
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(before)})
        try:
            contender()
        finally:
            os.sched_setaffinity(0, before)

    return bound


def measure(contenders: Mapping[str, Contender], rounds: int) -> dict[str, float]:
    """Return the median time of each contender, in seconds."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            begun = time.perf_counter()
            contender()
            times[name].append(time.perf_counter() - begun)
    return {name: statistics.median(values) for name, values in times.items()}


def compare(title: str, times: Mapping[str, float], goals: Mapping[str, float]) -> None:
    """Print times, and the ratio of ours to others beside what it should be."""
    print(f"\n{title}")
    for name, seconds in times.items():
        print(f"  {name:36} {seconds * 1000:9.0f} ms")
    for name, goal in goals.items():
        ratio = times["syswatch"] / times[name]
        verdict = "met" if ratio <= goal else "MISSED"
        print(f"  syswatch / {name:25} {ratio:9.2f}    (goal {goal}: {verdict})")


def main() -> None:
    """Measure everything."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    compare(
        f"dd, {2 * CALLS} calls",
        measure(
            {
                "untraced": plain(*DD),
                "strace -c -f": plain(*STRACE, *DD),
                "strace -c -f on one CPU": on_one_cpu(plain(*STRACE, *DD)),
                "syswatch": traced(*DD),
                "syswatch without colocation": traced(*DD, colocate=False),
            },
            rounds,
        ),
        {"strace -c -f": 0.25, "strace -c -f on one CPU": 1.3},
    )
    long_dd = tuple(word.replace(f"count={CALLS}", f"count={100 * CALLS}") for word in DD)
    compare(
        f"dd, {200 * CALLS} calls, of which only openat is traced",
        measure(
            {"untraced": plain(*long_dd), "syswatch": traced(*long_dd, trace="openat")}, rounds
        ),
        {"untraced": 1.3},
    )
    compare(
        "two processes that compute",
        measure({"untraced": plain(*COMPUTE), "syswatch": traced(*COMPUTE)}, rounds),
        {"untraced": 1.05},
    )


if __name__ == "__main__":
    main()
