#!/usr/bin/env python3
"""
Measure the sums of many control groups: whether they are exact, and what they cost.

    python bench/groups.py [--groups N] [--calls N] [--rounds N] [--tiny]

Three programs in each of many control groups make known numbers of calls, all at the same time and
at a given rate, while `syswatch attach --all --by cgroup` observes the machine.  No client looks at
its numbers, except for scrapes of /metrics in one of the modes.  Then the CPU time of calls of dd
is measured with `--all`, without groups and with them, in rounds that alternate.  Needs root and
control groups of version 2.
"""

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import common
from ebpf import CALLS_A_BLOCK, dd

# The harness of the tests starts a tracer just as the service does.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from syswatch.machine.groups import mount_point
from syswatch.model.messages import Attach, Detach, TraceOptions
from tests.tracer.harness import start

PROGRAMS = 3
# With so many calls, everything is read at least once meanwhile, although no client looks.
GROUPS, CALLS, BLOCKS, ROUNDS = 200, 60_000, 500_000, 9
# All programs together, in a second.
RATE = 2_000_000
# With everything that is shown of threads and objects, without, and as Prometheus scrapes it.
MODES = ((), ("--no-objects",), ("--serve", "127.0.0.1:0"))
SCRAPE_S = 15
# It joins its group and waits for the signal to start; getppid is not cached.  Without pauses the
# agent would get so little of the CPU that it could not do what it does elsewhere.
PROGRAM = """
my $go = 0;
$SIG{USR1} = sub { $go = 1 };
open(my $group, ">", "$ARGV[0]/cgroup.procs") or die;
print $group $$;
close($group) or die;
open(my $ready, ">", $ARGV[2]) or die;
select(undef, undef, undef, 0.05) until $go;
for (1 .. $ARGV[1]) {
    getppid;
    select(undef, undef, undef, $ARGV[3]) unless $_ % 1000;
}
"""
# How many calls a program makes between two pauses.
BATCH = 1000


def main() -> None:
    """Measure all of it."""
    parser = common.parser("Measure the sums of many control groups.")
    parser.add_argument("--groups", type=int, default=GROUPS, help="control groups")
    parser.add_argument("--calls", type=int, default=CALLS, help="calls of each program")
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help="rounds, of which the median counts"
    )
    arguments = parser.parse_args()
    root = mount_point()
    if os.geteuid() or root is None:
        common.leave_out("control groups", "needs root and control groups of version 2")
        return
    tiny = arguments.tiny
    with control_groups(root, 4 if tiny else arguments.groups) as folders:
        for options in MODES:
            check_sums(folders, 500 if tiny else arguments.calls, options)
    compare_costs(1 if tiny else arguments.rounds, BLOCKS // 50 if tiny else BLOCKS)


@contextmanager
def control_groups(root: Path, number: int) -> Iterator[list[Path]]:
    """Create control groups, and remove them."""
    folders = [root / f"syswatch-bench-{os.getpid()}-{at}" for at in range(number)]
    for folder in folders:
        folder.mkdir()
    try:
        yield folders
    finally:
        for folder in folders:
            with suppress(OSError):
                folder.rmdir()


def check_sums(folders: list[Path], calls: int, options: tuple[str, ...]) -> None:
    """Print whether the sums of all groups are exact, and what the agent needed."""
    expected = {f"/{folder.name}": PROGRAMS * (calls + at) for at, folder in enumerate(folders)}
    pause_s = BATCH * PROGRAMS * len(folders) / RATE
    with tempfile.TemporaryDirectory() as made:
        script, result, ready = (Path(made, name) for name in ("program.pl", "sums.json", "ready"))
        script.write_text(PROGRAM)
        ready.mkdir()
        programs = [
            subprocess.Popen(
                (
                    *("perl", str(script), str(folder), str(calls + at)),
                    *(str(ready / f"{at}.{turn}"), str(pause_s)),
                )
            )
            for at, folder in enumerate(folders)
            for turn in range(PROGRAMS)
        ]
        while len(list(ready.iterdir())) < len(programs):
            time.sleep(0.1)
            if any(program.poll() for program in programs):
                raise SystemExit("a program could not join its group")
        agent, port = start_agent(result, options)
        processes = [agent.pid, *common.descendants(agent.pid)]
        before, began = sum(map(common.cpu_s, processes)), time.monotonic()
        for program in programs:
            program.send_signal(signal.SIGUSR1)
        with scrape(port) if port else nullcontext():
            for program in programs:
                program.wait()
        lasted = time.monotonic() - began
        time.sleep(1.5)
        spent = sum(map(common.cpu_s, processes)) - before
        memory = sum(map(common.proportional_mb, processes))
        agent.send_signal(signal.SIGINT)
        agent.wait()
        groups = json.loads(result.read_text())["Groups"]
    sums = {group["Name"]: group["Count"] for group in groups["Groups"]}
    wrong = [name for name, count in expected.items() if sums.get(name) != count]
    missing = groups["Count"] - sum(sums.values())
    shown = " ".join(("--all --by cgroup", *options))
    print(
        f"{shown}: {len(folders)} groups of {PROGRAMS} programs, {sum(expected.values()):,} calls"
    )
    print(f"  {len(expected) - len(wrong)} sums are exact, {len(wrong)} are not")
    print(f"  {missing} of {groups['Count']:,} calls are in no group")
    if wrong or missing:
        raise SystemExit(f"the sums are not exact: {wrong[:9]}")
    print(f"  {sum(expected.values()) / lasted / 1e6:.2f} M calls a second for {lasted:.1f} s")
    common.judge(100 * spent / (lasted + 1.5), "% of a core for tracer and service", 2)
    common.judge(memory, "MB of memory of both", 120)


def start_agent(result: Path, more: tuple[str, ...]) -> "tuple[subprocess.Popen[bytes], int]":
    """Start to observe the machine; return once calls are counted, with the port of a server."""
    options = ("--all", "--by", "cgroup", "--trace", "getppid", "--format", "json", *more)
    agent = subprocess.Popen(
        (sys.executable, "-m", "syswatch", "attach", *options, "--output", str(result)),
        stderr=subprocess.PIPE,
    )
    assert agent.stderr is not None
    port = 0
    for line in agent.stderr:
        if found := re.search(rb"serving http://\S+:(\d+)/", line):
            port = int(found[1])
        if b"backend" in line:
            break
    # It is attached some time later, and the first readings cost more.
    time.sleep(3)
    return agent, port


@contextmanager
def scrape(port: int) -> Iterator[None]:
    """Request /metrics again and again, as Prometheus does."""
    done = threading.Event()

    def repeat() -> None:
        while not done.wait(SCRAPE_S / 2):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as response:
                response.read()
            done.wait(SCRAPE_S / 2)

    scraper = threading.Thread(target=repeat)
    scraper.start()
    try:
        yield
    finally:
        done.set()
        scraper.join()


def compare_costs(rounds: int, blocks: int) -> None:
    """Print what groups add to a call."""
    contenders = {
        "untraced": None,
        "--all": TraceOptions(backend="ebpf"),
        "--all --by cgroup": TraceOptions(backend="ebpf", group_by="cgroup"),
        "--all --by process-name": TraceOptions(backend="ebpf", group_by="process-name"),
    }
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, options in contenders.items():
            times[name].append(nanoseconds_a_call(options, blocks))
    print("dd bs=1")
    for name, each in times.items():
        print(f"  {name:28} {statistics.median(each):8.0f} ns a call")
    plain = times["--all"]
    for name in ("--all --by cgroup", "--all --by process-name"):
        added = [one - other for one, other in zip(times[name], plain, strict=True)]
        common.judge(statistics.median(added), f"ns more a call with {name}", 50, runs=added)


def nanoseconds_a_call(options: TraceOptions | None, blocks: int) -> float:
    """Return the CPU time of a call of dd while the machine is observed."""
    tracer = None
    if options is not None:
        tracer = start(Attach(everybody=True, options=options))
        tracer.await_start()
        # On an idle machine, it may take minutes until another program reads.
        reader = subprocess.Popen((*dd(1 << 40), "status=none"))
        try:
            tracer.await_calls("read")
        finally:
            reader.kill()
            reader.wait()
    # Its CPU time, because other programs may run: all of what observes a call is part of it.
    copy = subprocess.Popen(dd(blocks), stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(copy.pid, 0)
    copy.returncode = os.waitstatus_to_exitcode(status)
    if tracer is not None:
        tracer.send(Detach())
        tracer.finish()
    return (usage.ru_utime + usage.ru_stime) * 1e9 / (blocks * CALLS_A_BLOCK)


if __name__ == "__main__":
    main()
