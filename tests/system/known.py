"""A program whose system calls are known, and that makes them on request."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import attrs
from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import wait_for

# In each round: calls that Python itself never makes.
GETPPIDS, RMDIRS, OPENS = 100, 7, 5
OPENED = "/etc/passwd"
STATUS = 3
_SOURCE = f"""
import os, sys
orders = open(sys.argv[1], "rb", 0)
while orders.read(1) == b"r":
    for _ in range({GETPPIDS}):
        os.getppid()
    for _ in range({RMDIRS}):
        try:
            os.rmdir("/nonexistent/folder")
        except OSError:
            pass
    for _ in range({OPENS}):
        os.close(os.open("{OPENED}", os.O_RDONLY))
sys.exit({STATUS})
"""


@attrs.define
class Known:
    """The program and the pipe from which it reads requests."""

    test: SynchronousTestCase
    _path: Path = attrs.field(init=False)
    _pipe: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Make the pipe."""
        self._path = Path(self.test.mktemp()).absolute()
        os.mkfifo(self._path)
        # For reading as well, so that opening it does not block.
        self._pipe = os.open(self._path, os.O_RDWR)
        self.test.addCleanup(os.close, self._pipe)

    @property
    def command(self) -> tuple[str, ...]:
        """Return the command line."""
        return (sys.executable, "-S", "-E", "-c", _SOURCE, str(self._path))

    def start(self) -> int:
        """Run it untraced until the end of the test; return its PID."""
        program = subprocess.Popen(self.command)
        self.test.addCleanup(program.wait)
        self.test.addCleanup(program.kill)
        # It waits for its first request.
        wait_for(lambda: str(self._path) in _open_files(program.pid))
        return program.pid

    def round(self) -> None:
        """Request a round of calls."""
        os.write(self._pipe, b"r")

    def end(self) -> None:
        """Request its exit."""
        os.write(self._pipe, b"e")


def _open_files(pid: int) -> set[str]:
    found = set()
    for each in Path(f"/proc/{pid}/fd").iterdir():
        # The descriptor may be closed by now.
        with contextlib.suppress(FileNotFoundError):
            found.add(str(each.readlink()))
    return found
