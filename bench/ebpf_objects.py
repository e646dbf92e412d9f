"""
Measure what objects, waits and threads cost with the eBPF backend.

    python bench/ebpf_objects.py [--rounds N] [--tiny]

dd runs with and without objects, and under bpftrace, in the same rounds; medians and ratios of
medians are printed.  The kernel also measures how long each of its programs runs.
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
import ebpf

sys.path.append(str(Path(__file__).resolve().parent.parent))


from syswatch.model.messages import TraceOptions
from syswatch.tracer.ebpf.calls import settings_of
from syswatch.tracer.ebpf.libbpf import EbpfError
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
_FIELD = re.compile(r"^(\w+):\s+(\d+)$", re.MULTILINE)


def compare(rounds: int, *, tiny: bool) -> None:
    """Print what tracing with and without objects, and bpftrace, add to each call of dd."""
    many, some = (each // 100 if tiny else each for each in (ebpf.MANY, ebpf.SOME))
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "count.bt")
        script.write_text(ebpf.BPFTRACE)
        subjects = {
            "untraced": ebpf.Contender(ebpf.beneath(), many),
            "without objects": ebpf.Contender(ebpf.syswatch(objects=False), many),
            "with objects": ebpf.Contender(ebpf.syswatch(), many),
        }
        name, contender = "bpftrace", ebpf.Contender(ebpf.bpftrace(script), some)
        if common.has(name, name) and ebpf.works(name, contender):
            subjects[name] = contender
        times: dict[str, list[float]] = {name: [] for name in subjects}
        for _ in range(rounds):
            for name, subject in subjects.items():
                times[name].append(subject.nanoseconds_a_call())
    medians = {name: statistics.median(each) for name, each in times.items()}
    plain = medians["untraced"]
    print(f"dd bs=1: {plain:.0f} ns a call untraced; added to each")
    for name, median in medians.items():
        print(f"  {name:20} {median - plain:8.0f} ns")
    more = medians["with objects"] - medians["without objects"]
    common.judge(more, "ns more with objects", MOST_ADDED_NS)
    if "bpftrace" in medians:
        share = (medians["with objects"] - plain) / (medians["bpftrace"] - plain)
        common.judge(share, "times what bpftrace adds to a call", SHARE_OF_BPFTRACE)


@attrs.define
class Loaded:
    """The program in this process, as it counts one command."""

    objects: bool
    program: Program = attrs.field(init=False)
    cpu_ms: float = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Load the program."""
        options = TraceOptions(backend="ebpf", objects=self.objects, log_rate=0)
        settings = settings_of(options, None)
        began = time.process_time()
        self.program = Program.load(settings)
        self.cpu_ms = (time.process_time() - began) * 1000
        self._reader = Reader(self.program, options)

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
            self.program.scan()
            record = self._reader.records.new(process.pid, 0, b"bench")
            self.program.follow(os.pidfd_open(process.pid), record, 0)
            self._reader.records.share()
            self.program.attach()
            self.program.scan()
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
        "two processes and a pipe": (
            sys.executable,
            "-c",
            _PING_PONG.format(count=count // 10),
        ),
    }
    for what, command in commands.items():
        print(f"\nns in each program, {what}")
        for objects in (False, True):
            runs = [timed(Loaded(objects=objects), command) for _ in range(rounds)]
            names = sorted(
                {name for run in runs for name in run} & {"on_enter", "on_exit", "on_switch"}
            )
            text = ", ".join(
                f"{name} {statistics.median(run[name] for run in runs if name in run):.0f}"
                for name in names
            )
            print(f"  {'with' if objects else 'without'} objects: {text}")


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
        Program.load(settings_of(TraceOptions(), None)).close()
    except EbpfError as error:
        common.leave_out("everything", str(error))
        return
    for step in steps:
        step()


if __name__ == "__main__":
    main()
