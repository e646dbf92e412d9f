"""Logs with halves of calls, for the benchmarks, most of them as strace writes them."""

import itertools
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import common

_NEEDED = ("strace", "make", "cc")
_SOURCES = 120
_COMMANDS = 300
_MAKEFILE = """\
all: $(patsubst %.c,%.o,$(wildcard *.c))
%.o: %.c
\tcc -O1 -g -c -o $@ $<
"""
_SOURCE = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int number(int x) { return x + 1; }
"""


def in_halves(log: bytes) -> bytes:
    """Return a log with each second call in two halves."""
    numbers = itertools.count()
    return re.sub(
        rb"(?m)^(\d+ +)([a-z_0-9]+)\((.*\) += .*)$",
        lambda call: call.expand(
            rb"\1\2( <unfinished ...>\n\1<... \2 resumed>\3" if next(numbers) % 2 else rb"\g<0>"
        ),
        log,
    )


def logs(folder: Path, *, tiny: bool) -> Iterator[tuple[str, Path]]:
    """Yield what each log is of, and its path in a folder."""
    missing = [name for name in _NEEDED if shutil.which(name) is None]
    if missing:
        common.leave_out("logs of a build and of commands", f"{', '.join(missing)} not found")
        return
    yield "a build, strace -f -ttt -T make -j8", _of_build(folder, 2 if tiny else _SOURCES)
    yield "short commands, strace -f -tt -T sh", _of_commands(folder, 5 if tiny else _COMMANDS)


def _of_build(folder: Path, sources: int) -> Path:
    build = folder / "build"
    build.mkdir()
    (build / "Makefile").write_text(_MAKEFILE)
    for number in range(sources):
        (build / f"source{number}.c").write_text(_SOURCE)
    return _traced(folder / "build.log", "-ttt", "make", "-j8", "-s", "-C", str(build))


def _of_commands(folder: Path, times: int) -> Path:
    script = f"i=0; while [ $i -lt {times} ]; do cat /etc/hosts | sort | grep -c . & ls /; wait; "
    return _traced(folder / "commands.log", "-tt", "sh", "-c", script + "i=$((i + 1)); done")


def _traced(log: Path, times: str, *command: str) -> Path:
    subprocess.run(
        ["strace", "-f", times, "-T", "-o", str(log), *command],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return log
