"""
Compare the stressors of stress-ng untraced and under each tracer.

    python bench/stress.py [--tiny] [--jobs FILE] [NAME...]

Each stressor runs alone, for a second at most, in a folder of its own: untraced, with eBPF, with
strace and with ptrace.  eBPF watches the last two as well, so that two tracers count the very same
calls: their counts must be equal, although two runs of a stressor differ.  Also compared are
the exit status, whether the run ends, and what it leaves behind: processes, shared memory,
files.  The differences come first.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import common

_SYSWATCH = (sys.executable, "-m", "syswatch")
_PATIENCE_S = 60
_OPERATIONS = 200
_MARK = "SYSWATCH_STRESS"
_SHOWN = 6
_TRIES = 5
_HARMFUL: Mapping[str, str] = {
    **dict.fromkeys(("reboot", "softlockup", "watchdog", "smi", "opcode"), "may stop the machine"),
    **dict.fromkeys(("cpu-online", "memhotplug"), "removes processors or memory"),
    **dict.fromkeys(("clock", "rtc"), "sets clocks"),
    **dict.fromkeys(
        ("bind-mount", "binderfs", "loop", "ramfs", "swap", "umount", "unshare"), "mounts"
    ),
    **dict.fromkeys(("bigheap", "oom-pipe", "brk", "physpage", "resources"), "exhausts memory"),
    **dict.fromkeys(("dev", "ioport", "pci", "efivar", "kvm", "gpu", "rawdev"), "drives devices"),
    **dict.fromkeys(
        ("klog", "sysinval", "sysfs", "procfs", "uprobe", "idle-page"),
        "writes to kernel interfaces",
    ),
    **dict.fromkeys(("netdev", "tun", "quota", "apparmor"), "configures the machine"),
    "cap": "reads the rights of all processes, which takes minutes",
}


@attrs.frozen
class Result:
    """The result of a run."""

    status: str
    left: tuple[str, ...] = ()
    # By how much two tracers of the same calls differ.
    differences: Mapping[str, str] = attrs.field(factory=dict)
    calls: int = 0


@attrs.frozen
class Way:
    """A way to run a command; `inner` is the tracer that runs under eBPF."""

    name: str
    inner: str = ""
    traced: bool = True

    def command(self, stressor: Sequence[str], folder: Path) -> list[str]:
        """Return the command to execute."""
        if not self.traced:
            return list(stressor)
        ebpf = _syswatch("ebpf", folder / "outer", "--per-pid", "--log-rate", "0")
        inner = {
            "": (),
            "strace": ("strace", "-f", "-c", "-qq", "-o", str(folder / "inner")),
            "ptrace": _syswatch("ptrace", folder / "inner", "--log-rate", "0"),
        }[self.inner]
        return [*ebpf, *inner, *stressor]

    def counted(self, folder: Path) -> tuple[Counter[str], Counter[str]]:
        """Return the calls of the stressor as eBPF counted them, and as the other tracer did."""
        outer = json.loads((folder / "outer").read_text())
        by_ebpf = _counts(outer["Stats"])
        if not self.inner:
            return by_ebpf, by_ebpf
        for row in _tracers(outer["Processes"]):
            by_ebpf -= _counts(row.get("Calls", ()))
        if self.inner == "strace":
            return by_ebpf, _strace_counts((folder / "inner").read_text())
        return by_ebpf, _counts(json.loads((folder / "inner").read_text())["Stats"])


_WAYS = (
    Way("untraced", traced=False),
    Way("ebpf"),
    Way("strace", "strace"),
    Way("ptrace", "ptrace"),
)


def main() -> None:
    """Run what was asked for, and print the table."""
    options = common.parser("Compare stressors of stress-ng untraced and under each tracer.")
    options.add_argument("names", nargs="*", metavar="NAME", help="stressors (all that do no harm)")
    options.add_argument("--jobs", type=Path, help="append each result to this file, as JSON")
    arguments = options.parse_args()
    if not common.has("stress-ng", "the stressors"):
        return
    if arguments.tiny:
        arguments.names = ["getrandom"]
    before = {way: [_before(way) for _ in range(_TRIES)] for way in _WAYS}
    results = {}
    for name in arguments.names or _harmless():
        results[name] = {way.name: _run(way, _stressor(name), before[way]) for way in _WAYS}
        print(_line(name, results[name]), file=sys.stderr, flush=True)
        if arguments.jobs:
            _keep(arguments.jobs, name, results[name])
    for name in sorted(results, key=lambda name: (not _differs(results[name]), name)):
        print(_line(name, results[name]))
    different = sum(map(_differs, results.values()))
    print(f"{len(results)} stressors, {different} of them with differences")
    for name, why in sorted(_HARMFUL.items()):
        print(f"not run: {name}: {why}")


def _harmless() -> list[str]:
    names = subprocess.run(
        ["stress-ng", "--stressors"], capture_output=True, text=True, check=True
    ).stdout.split()
    return [name for name in names if name not in _HARMFUL]


def _stressor(name: str) -> list[str]:
    small = ("--vm-bytes", "16m", "--hdd-bytes", "4m", "--fallocate-bytes", "4m")
    few = (f"--{name}", "1", f"--{name}-ops", str(_OPERATIONS), "--timeout", "1s")
    return ["stress-ng", "--quiet", "--no-rand-seed", *small, *few]


def _before(way: Way) -> Counter[str]:
    """
    Return how many calls eBPF sees of `true` that the other tracer does not.

    A tracer's child makes them before it executes the command; their number varies slightly.
    """
    with tempfile.TemporaryDirectory() as folder:
        if not way.inner:
            return Counter()
        _execute(way.command(["true"], Path(folder)), folder, {})
        by_ebpf, by_other = way.counted(Path(folder))
        by_ebpf.subtract(by_other)
        return by_ebpf


def _run(way: Way, stressor: Sequence[str], before: Sequence[Counter[str]]) -> Result:
    mark = f"{os.getpid()}-{way.name}"
    memory = _shared_memory()
    with tempfile.TemporaryDirectory() as outputs, tempfile.TemporaryDirectory() as scratch:
        command = way.command([*stressor, "--temp-path", scratch], Path(outputs))
        status = _execute(command, scratch, {_MARK: mark})
        left = (
            *(f"process {name}" for name in _end_all(mark)),
            *(f"memory {name}" for name in sorted(_shared_memory() - memory)),
            *(f"file {path.name}" for path in sorted(Path(scratch).iterdir())),
        )
        if not way.traced or status == "hangs":
            return Result(status, left)
        try:
            by_ebpf, by_other = way.counted(Path(outputs))
        except (OSError, ValueError) as error:
            return Result(status, left, {"summary": str(error)})
    return Result(status, left, _differences(by_ebpf, by_other, before), by_other.total())


def _execute(command: Sequence[str], folder: str, environment: Mapping[str, str]) -> str:
    """Run a command; return its status, or "hangs"."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
        cwd=folder,
        start_new_session=True,
    ) as process:
        try:
            return str(process.wait(_PATIENCE_S))
        except subprocess.TimeoutExpired:
            _end_all(environment.get(_MARK, ""))
            process.kill()
            return "hangs"


def _end_all(mark: str) -> list[str]:
    """Kill the processes that a run left, found by their environment; return their names."""
    entry = f"{_MARK}={mark}".encode()
    names = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdecimal() and entry in (folder / "environ").read_bytes().split(b"\0"):
                names.append((folder / "comm").read_text().strip())
                os.kill(int(folder.name), signal.SIGKILL)
    return names


def _shared_memory() -> set[str]:
    """Return the names of System V and POSIX shared memory, semaphores and queues."""
    found = {str(path) for path in Path("/dev/shm").iterdir()}  # noqa: S108
    for kind in ("shm", "sem", "msg"):
        rows = Path("/proc/sysvipc", kind).read_text().splitlines()[1:]
        found |= {f"{kind} {row.split()[1]}" for row in rows}
    return found


def _syswatch(backend: str, summary: Path, *flags: str) -> tuple[str, ...]:
    output = ("--format", "json", "--output", str(summary))
    return (*_SYSWATCH, "run", "--backend", backend, *output, *flags, "--")


def _tracers(rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of the tracer and its helpers, which do not descend from the stressor."""
    first, *others = rows
    tracers = {first["PID"]}
    yield first
    for row in others:
        is_target = str(row["Comm"]).startswith("stress-ng") or row["Comm"] == "true"
        if row["Parent"] in tracers and not is_target:
            tracers.add(row["PID"])
            yield row


def _counts(rows: Sequence[Mapping[str, Any]]) -> Counter[str]:
    return Counter({str(row["Name"]): int(str(row["Count"])) for row in rows})


def _strace_counts(text: str) -> Counter[str]:
    """Return the counts of a summary; programs of 32 bits have a table of their own."""
    counts: Counter[str] = Counter()
    mark = ""
    for line in text.splitlines():
        mark = "@i386" if "32 bit mode" in line else mark
        words = line.split()
        if len(words) > 4 and words[3].isdecimal() and words[-1] not in ("syscall", "total"):
            counts[words[-1] + mark] += int(words[3])
    return counts


def _differences(
    by_ebpf: Counter[str], by_other: Counter[str], before: Sequence[Counter[str]]
) -> Mapping[str, str]:
    found = {}
    for name in sorted(by_ebpf.keys() | by_other.keys()):
        more = [counts[name] for counts in before]
        if not min(more) <= by_ebpf[name] - by_other[name] <= max(more):
            found[name] = f"{by_ebpf[name] - max(more)}:{by_other[name]}"
    return found


def _differs(runs: Mapping[str, Result]) -> bool:
    plain = runs["untraced"]
    return any(
        (run.status, run.left) != (plain.status, plain.left) or run.differences
        for run in runs.values()
    )


def _line(name: str, runs: Mapping[str, Result]) -> str:
    plain = runs["untraced"]
    parts = [f"{name:16}", "differs" if _differs(runs) else "same   "]
    parts.append(" ".join(f"{way}={run.status}" for way, run in runs.items()))
    parts.append(f"{runs['ebpf'].calls} calls")
    for way, run in runs.items():
        if run.left != plain.left or (run.left and run is plain):
            parts.append(f"{way} leaves {', '.join(run.left) or 'nothing'}")
        if run.differences:
            shown = list(run.differences.items())[:_SHOWN]
            parts.append(f"ebpf:{way} " + " ".join(f"{call} {both}" for call, both in shown))
    return "  ".join(parts)


def _keep(file: Path, name: str, runs: Mapping[str, Result]) -> None:
    with file.open("a") as out:
        out.write(json.dumps({name: {way: attrs.asdict(run) for way, run in runs.items()}}) + "\n")


if __name__ == "__main__":
    if not shutil.which("stress-ng"):
        sys.exit("stress-ng is not installed")
    main()
