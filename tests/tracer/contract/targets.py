"""Programs that are running when they are attached to."""

import subprocess
from pathlib import Path
from typing import IO

import attrs

from tests.tracer.harness import PATIENCE_S


@attrs.frozen
class Target:
    """A program that makes calls until its input ends, and then exits with 42."""

    process: "subprocess.Popen[bytes]"

    @classmethod
    def begin(cls, *command: str) -> "Target":
        """Start the program, and wait until it makes calls."""
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        target = cls(process)
        assert target.output.readline() == b"ready\n"
        return target

    @property
    def pid(self) -> int:
        """Return the PID."""
        return self.process.pid

    @property
    def output(self) -> IO[bytes]:
        """Return the standard output."""
        assert self.process.stdout is not None
        return self.process.stdout

    def status(self, field: str) -> str:
        """Return a line of /proc/PID/status."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            name, _, value = line.partition(":\t")
            if name == field:
                return value
        raise KeyError(field)

    def end(self) -> int:
        """End the program; return its exit status, which is 42 if it was not disturbed."""
        self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode
