#!/usr/bin/env python3
"""A command whose output is watched: one that falls silent is looked into, and then ended.

Usage: silence.py SECONDS COMMAND...

Run so, a command that fell silent is begun again, once.
"""

import io
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_PATIENCE_S = 10


def main() -> int:
    """Return the exit status of the command."""
    longest_s, command = int(sys.argv[1]), sys.argv[2:]
    watched = WatchedCommand(command, longest_s)
    status = watched.run()
    if watched.fell_silent:
        # Whoever adds up results begins anew, too.
        print("\nBEGUN AGAIN", flush=True)
        status = WatchedCommand(command, longest_s).run()
    return status


@dataclass
class WatchedCommand:
    """Shows what a command prints as it comes, also the beginning of a line, and keeps it."""

    command: Sequence[str]
    longest_s: int
    fell_silent: bool = False
    _output: bytearray = field(default_factory=bytearray)
    _last_heard: float = field(default_factory=time.monotonic)

    def run(self) -> int:
        """Run the command to its end; return its exit status."""
        process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
        )
        reader = threading.Thread(target=self._show, args=(process.stdout,), daemon=True)
        reader.start()
        while process.poll() is None:
            if time.monotonic() > self._last_heard + self.longest_s:
                self.fell_silent = True
                print(f"\nNothing was heard for {self.longest_s} s.  What is there:", flush=True)
                show_processes(process.pid)
                end(process)
                self._last_heard = time.monotonic()
            time.sleep(0.05)
        # The end of the output may never come: something that a test left behind can hold the pipe.
        reader.join(_PATIENCE_S)
        return process.returncode

    @property
    def output(self) -> str:
        """All that was printed so far."""
        return self._output.decode(errors="replace")

    def _show(self, pipe: io.FileIO) -> None:
        while data := pipe.read(1 << 16):
            self._last_heard = time.monotonic()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            self._output += data


def show_processes(pid: int) -> None:
    """Print every process of the machine, and where those of a command are in their Python code."""
    if ps := shutil.which("ps"):
        columns = "pid,ppid,pgid,stat,wchan:20,etimes,args"
        subprocess.run([ps, "-e", "-H", "-o", columns], check=False)
    py_spy = shutil.which("py-spy")
    for each in family(pid):
        for line in read(f"/proc/{each}/status").splitlines():
            if line.startswith(("Name:", "Pid:", "State:", "TracerPid:")):
                print(line, flush=True)
        if py_spy and "python" in os.path.realpath(f"/proc/{each}/exe"):
            subprocess.run([py_spy, "dump", "--nonblocking", "--pid", str(each)], check=False)


def family(pid: int) -> Iterator[int]:
    """Return a process, its children, and theirs."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in read(children).split():
            yield from family(int(child))


def read(file: Path | str) -> str:
    """Return what a file says, if it is still there."""
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError:
        return ""


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask a command to end, so that it may write down what it measured, and then see to it."""
    there = list(family(process.pid))
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE_S)
    for pid in there:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
