#!/usr/bin/env python3
"""
Run a command and end it if it prints nothing for too long; then run it a second time.

Usage: silence.py SECONDS COMMAND...
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
        print(f"\nRERUN all environments: no output for {longest_s} s", flush=True)
        status = WatchedCommand(command, longest_s).run()
    return status


@dataclass
class WatchedCommand:
    """A command whose output is printed as it comes, and kept."""

    command: Sequence[str]
    longest_s: int
    fell_silent: bool = False
    # When the output had reached each length.
    moments: list[tuple[int, float]] = field(default_factory=list)
    _output: bytearray = field(default_factory=bytearray)
    _last_output: float = field(default_factory=time.monotonic)

    def run(self) -> int:
        """Run the command to its end; return its exit status."""
        process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
        )
        reader = threading.Thread(target=self._show, args=(process.stdout,), daemon=True)
        reader.start()
        while process.poll() is None:
            if time.monotonic() > self._last_output + self.longest_s:
                self.fell_silent = True
                print(f"\nNo output for {self.longest_s} s.  What is running:", flush=True)
                show_processes(process.pid)
                end(process)
                self._last_output = time.monotonic()
            time.sleep(0.05)
        # A process that a test left behind may keep the pipe open.
        reader.join(_PATIENCE_S)
        return process.returncode

    @property
    def output(self) -> str:
        """All that was printed so far; an offset in it is one in the bytes."""
        return self._output.decode("ascii", errors="replace")

    def _show(self, pipe: io.FileIO) -> None:
        while data := pipe.read(1 << 16):
            self._last_output = time.monotonic()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            self._output += data
            self.moments.append((len(self._output), self._last_output))


def show_processes(pid: int) -> None:
    """Print all processes, and the Python stacks of a command and its descendants."""
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
    """Yield a process and its descendants."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in read(children).split():
            yield from family(int(child))


def read(file: Path | str) -> str:
    """Return the content of a file; nothing if it is gone."""
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError:
        return ""


def end(process: subprocess.Popen[bytes]) -> None:
    """Terminate a command, which may still write its coverage data; then kill what is left."""
    pids = list(family(process.pid))
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE_S)
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
