#!/usr/bin/env python3
"""
Measure how long commands take to start, what they import, and the memory of a server then.

    python bench/start.py [--runs N] [--modules N] [--tiny]

strace and perf trace are measured beside them.
CPU times are those of a command and its children.  The time to the execve of the target is from
the start of syswatch to what `date` prints; that to the first numbers is until /api/stats has a
count above 0, or the terminal UI shows the call of its target.  All are medians of rounds in which
every command is run once; modules are compiled, and files are in the cache.
"""

import argparse
import itertools
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import common
import first_numbers

MOST_CPU_S = 0.15
MOST_EXECVE_S = 0.25
MOST_FIRST_S = 0.35
MOST_RATIO = 2.5
MOST_RESIDENT_MB = {"service": 55, "tracer": 25}
_SETTLED_S = 2
_BACKENDS = ("ebpf", "ptrace")
_SYSWATCH = (sys.executable, "-m", "syswatch")
_SHORT = {
    "--version": ("--version",),
    "run --help": ("run", "--help"),
    "a usage error": ("run", "--no-such-option"),
    "doctor": ("doctor",),
    "discover": ("discover", "no-such-process"),
}
_RUN = ("run", "-c", "--", "true")
_SERVED = ("--serve", "127.0.0.1:0", "--exit-with-target")
_RUN_SERVED = ("run", *_SERVED, "--", "true")
_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+\d+ \| +(\S+)")


def main() -> None:
    """Measure and print."""
    options = common.parser("Measure how long commands take to start.")
    options.add_argument("--runs", type=int, default=7, metavar="N")
    options.add_argument("--modules", type=int, default=8, metavar="N", help="print the N slowest")
    chosen = options.parse_args()
    if chosen.tiny:
        chosen.runs = 1
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    _short_commands(chosen)
    # The first run of each compiles what it imports.
    backends = [backend for backend in _BACKENDS if _measured(_run(backend, "true"))[2] == 0]
    _whole_run(backends, chosen)
    for backend in backends:
        _execve(backend, chosen)
    _first_numbers(backends, chosen)
    for backend in backends:
        _resident(backend)
    _imports(chosen)


def _run(backend: str, *command: str, options: Sequence[str] = ("-c",)) -> Sequence[str]:
    return (*_SYSWATCH, "run", *options, "--backend", backend, "--", *command)


def _short_commands(options: argparse.Namespace) -> None:
    print("commands that trace nothing, CPU time")
    spent = _rounds({name: (*_SYSWATCH, *words) for name, words in _SHORT.items()}, options.runs)
    for name, runs in spent.items():
        each = [cpu for cpu, *_ in runs]
        common.judge(statistics.median(each), f"s of CPU for {name}", MOST_CPU_S, runs=each)


def _whole_run(backends: Sequence[str], options: argparse.Namespace) -> None:
    print("tracing `true`, from start to end")
    commands = {f"syswatch, {backend}": _run(backend, "true") for backend in backends}
    commands["python"] = _python()
    if common.has("strace", "strace"):
        commands["strace"] = ("strace", "-f", "-o", os.devnull, "true")
    if common.has("perf", "perf trace"):
        commands["perf trace"] = ("perf", "trace", "-s", "true")
    measured = _rounds(commands, options.runs)
    for name, runs in measured.items():
        cpu, wall, _ = (statistics.median(each) for each in zip(*runs, strict=True))
        print(f"  {name}: {wall:.3g} s, {cpu:.3g} s of CPU")
    if "perf trace" not in measured:
        return
    walls = {name: [wall for _, wall, _ in runs] for name, runs in measured.items()}
    for backend in backends:
        ratio = common.ratio(walls[f"syswatch, {backend}"], walls["perf trace"])
        common.judge(ratio, f"times as long as perf trace -s, {backend}", MOST_RATIO)


def _python() -> Sequence[str]:
    """Return what no program in Python can do without, twice, as it is two processes."""
    return ("sh", "-c", f"{sys.executable} -c pass & {sys.executable} -c pass; wait")


def _execve(backend: str, options: argparse.Namespace) -> None:
    print(f"from the start of syswatch to the execve of its target, {backend}")
    passed = []
    for _ in range(options.runs):
        began = time.time()
        done = subprocess.run(
            _run(backend, "date", "+%s.%N"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        passed.append(float(done.stdout) - began)
    common.judge(statistics.median(passed), "s to the execve", MOST_EXECVE_S, runs=passed)


def _first_numbers(backends: Sequence[str], options: argparse.Namespace) -> None:
    print("from the start of syswatch to the first numbers")
    passed: dict[str, list[float]] = defaultdict(list)
    with first_numbers.target() as pid:
        for _, backend in itertools.product(range(options.runs), backends):
            attach = (*_SYSWATCH, "attach", "--backend", backend)
            run = (*_SYSWATCH, "run", "--backend", backend)
            passed[f"attach, API, {backend}"].append(first_numbers.in_api(attach, str(pid)))
            passed[f"run, API, {backend}"].append(
                first_numbers.in_api((*run, "--exit-with-target"), "--", *first_numbers.TARGET)
            )
            passed[f"attach, terminal UI, {backend}"].append(
                first_numbers.on_screen((*attach, str(pid)))
            )
            passed[f"run, terminal UI, {backend}"].append(
                first_numbers.on_screen((*run, "--", *first_numbers.TARGET), first_numbers.STARTING)
            )
    for what, runs in passed.items():
        common.judge(statistics.median(runs), f"s, {what}", MOST_FIRST_S, runs=runs)


def _resident(backend: str) -> None:
    print(f"resident memory of a server without clients, {backend}")
    with subprocess.Popen(
        _run(backend, "sleep", "infinity", options=_SERVED),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as service:
        # It says that it serves, and has then made the first ticks.
        next(line for line in service.stderr or () if "http://" in line)
        time.sleep(_SETTLED_S)
        children = Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text("ascii")
        for name, pid in (("service", str(service.pid)), ("tracer", children.split()[0])):
            rss, pss = (_kilobytes(pid, field) / 1024 for field in ("Rss", "Pss"))
            what = f"MB for the {name}, {pss:.1f} if shared pages are divided"
            common.judge(rss, what, MOST_RESIDENT_MB[name])
        service.terminate()


def _kilobytes(pid: str, field: str) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def _imports(options: argparse.Namespace) -> None:
    print("imports, in wall time with -X importtime")
    commands = {"--version": ("--version",), "run": _RUN, "run --serve": _RUN_SERVED}
    for name, words in commands.items():
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "syswatch", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        found = {module: int(own) for own, module in _IMPORT.findall(done.stderr)}
        slowest = sorted(found.items(), key=lambda each: -each[1])[: options.modules]
        print(f"  {name}: {len(found)} modules in {sum(found.values()) / 1000:.0f} ms, most in")
        for module, own in slowest:
            print(f"    {own / 1000:6.1f} ms {module}")


def _rounds(
    commands: Mapping[str, Sequence[str]], count: int
) -> dict[str, list[tuple[float, float, int]]]:
    """Run every command once in each round; return what `_measured` does."""
    found: dict[str, list[tuple[float, float, int]]] = {name: [] for name in commands}
    for _ in range(count):
        for name, words in commands.items():
            found[name].append(_measured(words))
    return found


def _measured(words: Sequence[str]) -> tuple[float, float, int]:
    """Run a command; return its CPU time, its time, and its wait status."""
    null = os.open(os.devnull, os.O_RDWR)
    try:
        program = shutil.which(words[0]) or words[0]
        actions = [(os.POSIX_SPAWN_DUP2, null, number) for number in range(3)]
        began = time.monotonic()
        pid = os.posix_spawn(program, list(words), os.environ, file_actions=actions)
        _, status, used = os.wait4(pid, 0)
        return used.ru_utime + used.ru_stime, time.monotonic() - began, status
    finally:
        os.close(null)


if __name__ == "__main__":
    main()
