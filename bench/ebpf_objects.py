"""
Measure what objects, waits and threads cost with the eBPF backend.

    python bench/ebpf_objects.py [--rounds N] [--tiny]

dd runs with and without objects, and under bpftrace, in the same rounds.  Medians of the
differences and ratios in each round are printed, so that slow changes of the machine's speed do not
matter.  Then the same with a program that measures its CPU time, and the time of each program in
the kernel, both of which other work on the machine changes less.
"""

import itertools
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs
import common
import ebpf

sys.path.append(str(Path(__file__).resolve().parent.parent))


from syswatch.model.messages import TraceOptions
from syswatch.tracer.ebpf.following import Following
from syswatch.tracer.ebpf.libbpf import EbpfError
from syswatch.tracer.ebpf.loading import load
from syswatch.tracer.ebpf.program import Program
from syswatch.tracer.ebpf.reader import Reader

MOST_ADDED_NS = 100
SHARE_OF_BPFTRACE = 0.3
_RUN_TIME = 0  # BPF_STATS_RUN_TIME
_PING_PONG = """
import os
a, b, c, d = *os.pipe(), *os.pipe()
if os.fork():
    for _ in range({count}):
        os.write(b, b"x")
        os.read(c, 1)
else:
    for _ in range({count}):
        os.read(a, 1)
        os.write(d, b"x")
"""
# Like dd with `bs=1`, but it reports CPU time, which is less affected by other work on the machine.
_COPY = """
import os, sys, time
source, sink = os.open("/dev/zero", os.O_RDONLY), os.open("/dev/null", os.O_WRONLY)
began_ns = time.process_time_ns()
for _ in range(int(sys.argv[1])):
    os.write(sink, os.read(source, 1))
spent_ns = time.process_time_ns() - began_ns
print("copied,", spent_ns / 1e9, "s", file=sys.stderr)
"""
_EIGHT = """
import os
files = [os.open("/dev/zero", os.O_RDONLY) for _ in range(8)]
for _ in range({count}):
    for file in files:
        os.pread(file, 1, 0)
"""
_OPENED = """
import os
for _ in range({count}):
    file = os.open("/etc/hosts", os.O_RDONLY)
    os.read(file, 10)
    os.close(file)
    os.stat("/etc/hosts")
"""
_FIELD = re.compile(r"^(\w+):\s+(\d+)$", re.MULTILINE)


def compare(rounds: int, *, tiny: bool) -> None:
    """Print what tracing with and without objects, and bpftrace, add to each call."""
    with tempfile.TemporaryDirectory() as folder:
        copies, subjects = copies_in(Path(folder)), contenders(Path(folder), tiny=tiny)
        order = list(subjects)
        times: dict[str, dict[str, list[float]]] = {
            what: {name: [] for name in subjects} for what in copies
        }
        for _ in range(rounds):
            for name, (what, copy) in itertools.product(order, copies.items()):
                subject = subjects[name]
                seconds = ebpf.seconds_of(subject.run(copy(subject.blocks)))
                calls = subject.blocks * ebpf.CALLS_A_BLOCK
                times[what][name].append(seconds * 1e9 / calls)
            # What runs first in a round may find the machine in another state.
            order.reverse()
    for what, found in times.items():
        print_costs(what, found)


def copies_in(folder: Path) -> Mapping[str, Callable[[int], tuple[str, ...]]]:
    """Return the commands that make two calls a block and report how long that took."""
    script = folder / "copy.py"
    script.write_text(_COPY)
    return {
        "dd bs=1": ebpf.dd,
        "the same calls, CPU time": lambda blocks: (sys.executable, str(script), str(blocks)),
    }


def contenders(folder: Path, *, tiny: bool) -> Mapping[str, ebpf.Contender]:
    """Return what traces a copy, and how many blocks it copies."""
    many, some = (each // 100 if tiny else each for each in (ebpf.MANY, ebpf.SOME))
    script = folder / "count.bt"
    script.write_text(ebpf.BPFTRACE)
    found = {
        "untraced": ebpf.Contender(ebpf.beneath(), many),
        "without objects": ebpf.Contender(ebpf.syswatch(objects=False), many),
        "with objects": ebpf.Contender(ebpf.syswatch(), many),
    }
    name, contender = "bpftrace", ebpf.Contender(ebpf.bpftrace(script), some)
    if common.has(name, name) and ebpf.works(name, contender):
        found[name] = contender
    return found


def print_costs(what: str, times: Mapping[str, Sequence[float]]) -> None:
    """Print the cost of a call with each contender, and compare those that have goals."""
    plain = times["untraced"]
    added = {name: differences(each, plain) for name, each in times.items() if each is not plain}
    print(f"\n{what}: {statistics.median(plain):.0f} ns a call untraced; added to each")
    for name, costs in added.items():
        print(f"  {name:20} {statistics.median(costs):8.0f} ns")
    more = differences(added["with objects"], added["without objects"])
    common.judge(statistics.median(more), "ns more with objects", MOST_ADDED_NS, runs=more)
    if "bpftrace" in added:
        share = common.ratio(added["with objects"], added["bpftrace"])
        common.judge(share, "times what bpftrace adds to a call", SHARE_OF_BPFTRACE)


def differences(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Return the differences of runs that followed each other."""
    return [one - other for one, other in zip(ours, theirs, strict=True)]


@attrs.define
class Loaded:
    """The program in this process, as it counts one command."""

    objects: bool
    program: Program = attrs.field(init=False)
    cpu_ms: float = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Load the program."""
        options = TraceOptions(backend="ebpf", objects=self.objects, log_rate=0)
        began = time.process_time()
        self.program = load(options)
        self.cpu_ms = (time.process_time() - began) * 1000
        self._following = Following(self.program)
        self._reader = Reader(self._following, options)

    _following: Following = attrs.field(init=False)
    _reader: Reader = attrs.field(init=False)

    def follow(self, command: tuple[str, ...]) -> None:
        """Run a command and count its calls."""
        script = 'read _; exec "$@" < /dev/null'
        with subprocess.Popen(
            ("/bin/sh", "-c", script, "sh", *command),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdin is not None
            self._following.take(process.pid, 0)
            self._following.begin()
            process.stdin.write(b"\n")
            process.stdin.close()

    def nanoseconds(self) -> Mapping[str, float]:
        """Return how long each program ran, on average."""
        return {name: spent / count for name, spent, count in run_times() if count}


def run_times() -> list[tuple[str, int, int]]:
    """Return name, time and number of runs of each program that this process has loaded."""
    found = []
    for each in Path("/proc/self/fdinfo").iterdir():
        try:
            fields = dict(_FIELD.findall(each.read_text("ascii")))
        except OSError:
            continue
        if "run_time_ns" in fields:
            name = name_of(fields["prog_id"])
            found.append((name, int(fields["run_time_ns"]), int(fields["run_cnt"])))
    return found


def name_of(number: str) -> str:
    """Return the name of a loaded program."""
    shown = subprocess.run(
        ("bpftool", "prog", "show", "id", number), capture_output=True, text=True, check=True
    )
    match = re.search(r" name (\w+)", shown.stdout)
    return match[1] if match else number


def measure_programs(rounds: int, *, tiny: bool) -> None:
    """Print how long the programs of the kernel run."""
    if not shutil.which("bpftool"):
        common.leave_out("the time of each program", "bpftool is not installed")
        return
    count = 1000 if tiny else 100_000
    commands: Mapping[str, tuple[str, ...]] = {
        "dd bs=1": ebpf.dd(count),
        "two processes and a pipe": python(_PING_PONG, count // 10),
        "eight descriptors in turn": python(_EIGHT, count // 10),
        "opened files": python(_OPENED, count // 10),
    }
    for what, command in commands.items():
        runs: dict[bool, list[Mapping[str, float]]] = {False: [], True: []}
        for _ in range(rounds):
            for objects, each in runs.items():
                each.append(timed(Loaded(objects=objects), command))
        print(f"\nns in each program, {what}")
        for objects, each in runs.items():
            shown = ", ".join(f"{name} {time:.0f}" for name, time in medians(each).items())
            print(f"  {'with' if objects else 'without'} objects: {shown}")


def python(script: str, count: int) -> tuple[str, ...]:
    """Return a command that runs a script with a number of turns."""
    return sys.executable, "-c", script.format(count=count)


def medians(runs: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """Return the median time of each program that every call, or every switch, runs."""
    return {
        name: statistics.median(run[name] for run in runs if name in run)
        for name in ("on_enter", "on_exit", "on_switch")
        if any(name in run for run in runs)
    }


def timed(loaded: Loaded, command: tuple[str, ...]) -> Mapping[str, float]:
    """Return how long each program runs on average while a command is counted."""
    statistics_fd = loaded.program.libbpf.bpf_enable_stats(_RUN_TIME)
    try:
        loaded.follow(command)
        return loaded.nanoseconds()
    finally:
        loaded.program.close()
        os.close(statistics_fd)


def measure_loading(rounds: int) -> None:
    """Print the CPU time to load the program."""
    print("\nloading")
    for objects in (False, True):
        costs = []
        for _ in range(rounds):
            loaded = Loaded(objects=objects)
            costs.append(loaded.cpu_ms)
            loaded.program.close()
        print(
            f"  {'with' if objects else 'without'} objects:"
            f" {statistics.median(costs):.0f} ms of CPU time"
        )


def main() -> None:
    """Measure everything."""
    parser = common.parser("Measure what objects, waits and threads cost with eBPF.")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    rounds = 1 if arguments.tiny else arguments.rounds
    steps: tuple[Callable[[], None], ...] = (
        lambda: compare(rounds, tiny=arguments.tiny),
        lambda: measure_programs(rounds, tiny=arguments.tiny),
        lambda: measure_loading(rounds),
    )
    try:
        load(TraceOptions()).close()
    except EbpfError as error:
        common.leave_out("everything", str(error))
        return
    for step in steps:
        step()


if __name__ == "__main__":
    main()
