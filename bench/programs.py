"""
How much longer everyday programs take under each tracer: git status, an import, and a build.

    python bench/programs.py [--rounds N] [--only PROGRAM] [--tiny]

The programs measure themselves, so the start of a tracer does not count.  Each round runs every
program once under each tracer; the medians of the ratios to the untraced run of the round are
printed.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
import common

# The harness of the tests starts a tracer just as the service does.
sys.path.append(str(Path(__file__).resolve().parent.parent))

from syswatch.model.messages import RunCommand, TraceOptions
from tests.tracer.harness import run

MEASURED = """
import subprocess, sys, time
begun = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(time.perf_counter() - begun)
"""
IMPORTED = "import asyncio, email.message, http.client, sqlite3, xml.dom.minidom"
MAKEFILE = "all: $(patsubst %.c,%.o,$(wildcard *.c))\n%.o: %.c\n\tcc -O1 -c -o $@ $<\n"


@attrs.frozen
class Size:
    """The amount of work."""

    rounds: int
    files: int = 4000
    sources: int = 100


@contextmanager
def repository(size: Size) -> Iterator[Sequence[str]]:
    """Make a repository; yield the command that looks at all of its files."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(size.files):
            path = Path(folder, f"{number // 100:02}", f"{number}.txt")
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"{number}\n")
        git = ("git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b.c")
        for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "files")):
            subprocess.run((*git, *words), check=True)
        # Without it, the first run would read all files, and write the index.
        subprocess.run((*git, "status"), check=True, stdout=subprocess.DEVNULL)
        yield (*git, "--no-optional-locks", "status")


@contextmanager
def imported(_: Size) -> Iterator[Sequence[str]]:
    """Yield a command that imports some modules."""
    yield (sys.executable, "-I", "-c", IMPORTED)


@contextmanager
def built(size: Size) -> Iterator[Sequence[str]]:
    """Write C files; yield the command that compiles them, on all CPUs."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(size.sources):
            source = f'#include <stdio.h>\nint f{number}(void) {{ return puts(""); }}\n'
            Path(folder, f"f{number}.c").write_text(source)
        Path(folder, "Makefile").write_text(MAKEFILE)
        yield ("make", "-B", "-C", folder, f"-j{os.cpu_count()}")


def tracers(command: Sequence[str]) -> Mapping[str, Callable[[], bytes]]:
    """Return what runs a command under each tracer, and returns its output."""
    measured = (sys.executable, "-I", "-c", MEASURED, *command)

    def beneath(*tracer: str) -> Callable[[], bytes]:
        words = (*tracer, *measured)
        return lambda: (
            subprocess.run(
                words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            ).stdout
        )

    def traced(backend: str) -> Callable[[], bytes]:
        job = RunCommand(measured, options=TraceOptions(backend=backend))
        return lambda: run(job).output

    found = {"untraced": beneath(), "syswatch with ptrace": traced("ptrace")}
    if os.geteuid():
        common.leave_out("eBPF and perf trace", "need root")
    else:
        found["syswatch with eBPF"] = traced("ebpf")
        if common.has("perf", "perf trace"):
            found["perf trace -s"] = beneath("perf", "trace", "-s", "-o", os.devnull)
    if common.has("strace", "strace"):
        found["strace -c -f"] = beneath("strace", "-c", "-f", "-o", os.devnull)
    return found


def measure(title: str, command: Sequence[str], rounds: int) -> None:
    """Print how much longer a command takes under each tracer."""
    contenders = tracers(command)
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, tracer in contenders.items():
            times.setdefault(name, []).append(float(tracer()))
    untraced = times.pop("untraced")
    print(f"{title}: {min(untraced) * 1000:.0f} ms untraced")
    for name, seconds in times.items():
        ratios = sorted(one / other for one, other in zip(seconds, untraced, strict=True))
        spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
        print(f"  {common.ratio(seconds, untraced):6.2f} times as long: {name} ({spread})")


def main() -> None:
    """Measure all programs, or the given ones."""
    programs = {
        "git status": ("git", repository),
        "import": (sys.executable, imported),
        "make": ("make", built),
    }
    parser = common.parser("Measure how much longer programs take under tracers.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=programs, action="append")
    arguments = parser.parse_args()
    size = Size(arguments.rounds)
    if arguments.tiny:
        size = Size(rounds=1, files=20, sources=2)
    for name in arguments.only or programs:
        program, prepare = programs[name]
        if common.has(program, name):
            with prepare(size) as command:
                measure(name, command, size.rounds)


if __name__ == "__main__":
    main()
