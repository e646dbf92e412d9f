"""A program whose system calls are known, and that makes them when it is told to."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import attrs
from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import wait_for

# Of each round: calls that Python makes for no reason of its own.
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
    """The program, and the pipe by which it takes orders."""

    test: SynchronousTestCase
    _path: Path = attrs.field(init=False)
    _pipe: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Make the pipe."""
        self._path = Path(self.test.mktemp()).absolute()
        os.mkfifo(self._path)
        # For reading as well: so this does not wait for a reader.
        self._pipe = os.open(self._path, os.O_RDWR)
        self.test.addCleanup(os.close, self._pipe)

    @property
    def command(self) -> tuple[str, ...]:
        """The command line."""
        return (sys.executable, "-S", "-E", "-c", _SOURCE, str(self._path))

    def start(self) -> int:
        """Run it until the end of the test, watched by nobody; return its pid."""
        program = subprocess.Popen(self.command)
        self.test.addCleanup(program.wait)
        self.test.addCleanup(program.kill)
        # It waits for its first order.
        wait_for(lambda: str(self._path) in _open_files(program.pid))
        return program.pid

    def round(self) -> None:
        """Have it make a round of calls."""
        os.write(self._pipe, b"r")

    def end(self) -> None:
        """Have it end."""
        os.write(self._pipe, b"e")


def _open_files(pid: int) -> set[str]:
    found = set()
    for each in Path(f"/proc/{pid}/fd").iterdir():
        # It may be closed while we look.
        with contextlib.suppress(FileNotFoundError):
            found.add(str(each.readlink()))
    return found
