"""Programs that run already when a tracer comes."""

import subprocess
from pathlib import Path
from typing import IO

import attrs

from tests.tracer.harness import PATIENCE_S


@attrs.frozen
class Target:
    """A program of ours that makes calls until its input ends, and ends with 42 then."""

    process: "subprocess.Popen[bytes]"

    @classmethod
    def begin(cls, *command: str) -> "Target":
        """Start it, and wait until it is at work."""
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        target = cls(process)
        assert target.output.readline() == b"ready\n"
        return target

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    @property
    def output(self) -> IO[bytes]:
        """What it writes."""
        assert self.process.stdout is not None
        return self.process.stdout

    def status(self, field: str) -> str:
        """Return what the kernel says of it."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            name, _, value = line.partition(":\t")
            if name == field:
                return value
        raise KeyError(field)

    def end(self) -> int:
        """Let it end as it does when nobody has disturbed it."""
        self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode
