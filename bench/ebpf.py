"""
Compare the cost of the eBPF backend with that of bpftrace, perf trace and strace.

    python bench/ebpf.py [--rounds N] [--tiny]

The time that each adds to a system call: dd measures itself, so that starting a tracer does not
count.  Each round runs every program once; medians and ratios of medians are printed.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
import common

# The harness of the tests starts a tracer just as the service does.
sys.path.append(str(Path(__file__).resolve().parent.parent))


from syswatch.model.messages import Attach, Detach, RunCommand, TraceOptions
from syswatch.tracer.ebpf.following import Following
from syswatch.tracer.ebpf.libbpf import EbpfError
from syswatch.tracer.ebpf.loading import load
from syswatch.tracer.ebpf.reader import Reader
from tests.tracer.harness import run, start

MANY, SOME, FEW = 1_000_000, 300_000, 15_000
# For each call of dd, one that reads and one that writes.
CALLS_A_BLOCK = 2
BPFTRACE = """
tracepoint:raw_syscalls:sys_enter /pid == cpid/ { @start[tid] = nsecs; }
tracepoint:raw_syscalls:sys_exit /@start[tid]/ {
    @count[args->id] = count();
    @time[args->id] = hist(nsecs - @start[tid]);
    delete(@start[tid]);
}
"""
# Sixty kinds of calls that do nothing, and 4000 paths, again and again.
VARIED = """
import ctypes, os, sys
call = ctypes.CDLL(None).syscall
print("ready", flush=True)
while True:
    for number in range(100, 160):
        call(-1 if number in {101, 112, 153} else number, -1, -1, -1, -1, -1, -1)
    for number in range(4000):
        try:
            os.open(f"/no-such-folder/{number}", os.O_RDONLY)
        except OSError:
            pass
"""

_COPIED = re.compile(rb"copied, ([\d.e-]+) s")


def dd(blocks: int) -> tuple[str, ...]:
    """Return a command that makes two calls a block."""
    return (shutil.which("dd") or "dd", "if=/dev/zero", "of=/dev/null", "bs=1", f"count={blocks}")


def seconds_of(errors: bytes) -> float:
    """Return how long dd took, as it reports itself."""
    match = _COPIED.search(errors)
    if match is None:
        raise SystemExit(f"dd did not report its time: {errors.decode()}")
    return float(match[1])


@attrs.frozen
class Contender:
    """A program that traces dd, and the number of blocks that dd copies."""

    run: Callable[[tuple[str, ...]], bytes]
    blocks: int

    def nanoseconds_a_call(self) -> float:
        """Return the time of a call."""
        return seconds_of(self.run(dd(self.blocks))) * 1e9 / (self.blocks * CALLS_A_BLOCK)


def beneath(*prefix: str) -> Callable[[tuple[str, ...]], bytes]:
    """Run dd as the command of another program."""
    return lambda command: (
        subprocess.run((*prefix, *command), capture_output=True, check=False).stderr
    )


def syswatch(**options: object) -> Callable[[tuple[str, ...]], bytes]:
    """Run dd under syswatch's tracer."""
    traced = TraceOptions(backend="ebpf", **options)  # type: ignore[arg-type]
    return lambda command: run(RunCommand(command, options=traced)).errors


def elsewhere(command: tuple[str, ...]) -> bytes:
    """Run dd, which is not traced, while syswatch's tracer observes another process."""
    with subprocess.Popen(("sleep", "infinity")) as other:
        tracer = start(Attach((other.pid,), options=TraceOptions(backend="ebpf")))
        tracer.await_start()
        errors = beneath()(command)
        tracer.send(Detach())
        tracer.finish()
        other.kill()
    return errors


def bpftrace(script: Path) -> Callable[[tuple[str, ...]], bytes]:
    """Run dd as the command of bpftrace, which passes its stderr on."""
    return lambda command: (
        subprocess.run(
            ("bpftrace", "-c", " ".join(command), str(script)), capture_output=True, check=False
        ).stderr
    )


def contenders(folder: Path, *, tiny: bool) -> Mapping[str, Contender]:
    """Return the programs that are installed."""
    many, some, few = (each // 100 if tiny else each for each in (MANY, SOME, FEW))
    script = folder / "count.bt"
    script.write_text(BPFTRACE)
    found = {
        "untraced": Contender(beneath(), many),
        "syswatch": Contender(syswatch(), many),
        "syswatch --mode counts": Contender(syswatch(mode="counts"), many),
        "syswatch --per-pid": Contender(syswatch(per_process=True), many),
        "syswatch, of another process": Contender(elsewhere, many),
    }
    others = {
        "bpftrace, count and histogram": ("bpftrace", Contender(bpftrace(script), some)),
        "perf trace -s": ("perf", Contender(beneath("perf", "trace", "-s", "-o", os.devnull), few)),
        "strace -c -f": (
            "strace",
            Contender(beneath("strace", "-c", "-f", "-o", os.devnull), few),
        ),
    }
    for name, (program, contender) in others.items():
        if common.has(program, name) and works(name, contender):
            found[name] = contender
    return found


def works(name: str, contender: Contender) -> bool:
    """Return whether a program can trace here; print what is left out if not."""
    errors = contender.run(dd(10))
    if _COPIED.search(errors):
        return True
    common.leave_out(name, (errors.decode().splitlines() or ["no message"])[0])
    return False


def compare_costs(rounds: int, *, tiny: bool) -> None:
    """Print what each adds to a call, and the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        times: dict[str, list[float]] = {}
        subjects = contenders(Path(folder), tiny=tiny)
        for _ in range(rounds):
            for name, contender in subjects.items():
                times.setdefault(name, []).append(contender.nanoseconds_a_call())
    medians = {name: statistics.median(each) for name, each in times.items()}
    plain = medians.pop("untraced")
    added = {name: median - plain for name, median in medians.items()}
    print(f"dd bs=1: {plain:.0f} ns a call untraced; added to each by")
    for name, cost in added.items():
        print(f"  {name:32} {cost:10.0f} ns")
    goals = {
        "bpftrace, count and histogram": 0.3,
        "perf trace -s": 1 / 50,
        "strace -c -f": 1 / 200,
    }
    for name, goal in goals.items():
        if name in added:
            common.judge(added["syswatch"] / added[name], f"times what {name} adds to a call", goal)


def time_loading(rounds: int) -> None:
    """Print how long it takes to load, attach and detach the program."""
    loads, starts, leaves = [], [], []
    target = subprocess.Popen((*dd(1 << 40)[:-1], "status=none"))
    try:
        for _ in range(rounds):
            begun = time.perf_counter()
            program = load(TraceOptions())
            program.attach()
            loads.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            program.detach()
            leaves.append(time.perf_counter() - begun)
            program.close()
            begun = time.perf_counter()
            tracer = start(Attach((target.pid,), options=TraceOptions(backend="ebpf")))
            tracer.await_calls("read")
            starts.append(time.perf_counter() - begun)
            tracer.send(Detach())
            tracer.finish()
    finally:
        target.kill()
        target.wait()
    print("\nloading and detaching")
    common.judge(statistics.median(loads) * 1000, "ms to load and attach", 150)
    common.judge(statistics.median(leaves) * 1000, "ms to detach", 20)
    print(
        f"         {statistics.median(starts) * 1000:.3g} ms from a new tracer to its first count"
    )


def time_reading(rounds: int) -> None:
    """Print the CPU time to read sixty kinds of calls and 4000 paths once a second."""
    options = TraceOptions(backend="ebpf", log_rate=0)
    following = Following(load(options))
    reader = Reader(following, options)
    with subprocess.Popen((sys.executable, "-c", VARIED), stdout=subprocess.PIPE) as target:
        try:
            following.take(target.pid, 0)
            following.begin()
            assert target.stdout is not None
            target.stdout.readline()
            time.sleep(1)
            delta, costs = reader.read(everything=True), []
            for _ in range(rounds + 5):
                time.sleep(0.2)
                begun = time.process_time()
                delta = reader.read(everything=True)
                costs.append(time.process_time() - begun)
        finally:
            target.kill()
    following.program.close()
    print(f"\nreading {len(delta.calls)} kinds of calls and {len(delta.paths)} paths")
    common.judge(statistics.median(costs) * 100, "% of a core to read them once a second", 1)


AT_A_TIME = """
import os, time
for _ in range({processes}):
    if not os.fork():
        time.sleep(600)
time.sleep(2)
os.killpg(0, 9)
"""


def measure_memory(at_a_time: int, in_turn: int) -> None:
    """Print the memory of the tracer for many processes, and how many were not followed."""
    print("\nthousands of processes")
    options = TraceOptions(backend="ebpf", log_rate=0)
    crowds = {
        f"{at_a_time} processes at a time": (
            sys.executable,
            "-c",
            AT_A_TIME.format(processes=at_a_time),
        ),
        f"{in_turn} one after another": ("sh", "-c", f"for i in $(seq {in_turn}); do (:); done"),
    }
    for what, command in crowds.items():
        tracer = start(RunCommand(("setsid", *command), options=options))
        peak = 0
        while tracer.receive():
            peak = max(peak, resident_kib(tracer.process.pid))
        ledger = tracer.finish().delta.ledger
        print(f"  {what:44} {peak / 1024:8.0f} MB, not followed: {ledger.unfollowed_processes}")


def resident_kib(pid: int) -> int:
    """Return the peak memory of a process; 0 if it has exited."""
    match = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(match[1]) if match else 0


def main() -> None:
    """Measure everything."""
    parser = common.parser("Measure what tracing with eBPF costs.")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    tiny = arguments.tiny
    rounds = 1 if tiny else arguments.rounds
    try:
        load(TraceOptions()).close()
    except EbpfError as error:
        common.leave_out("everything", str(error))
        return
    compare_costs(rounds, tiny=tiny)
    time_loading(rounds)
    time_reading(rounds)
    measure_memory(*((50, 100) if tiny else (5_000, 40_000)))


if __name__ == "__main__":
    main()
