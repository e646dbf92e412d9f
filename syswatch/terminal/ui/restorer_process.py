"""Starts and controls the restorer (`syswatch.terminal.restorer`)."""

import os
import subprocess
import sys
import termios
from collections.abc import Sequence
from contextlib import suppress

from syswatch.base.classes import define
from syswatch.terminal.restorer import RESTORED


@define
class RestorerProcess:
    """A running restorer; it acts when `_control` is closed, also by the death of this process."""

    _process: subprocess.Popen[bytes]
    _control: int

    @classmethod
    def start(cls, screen: int, pipe: int, files: Sequence[int]) -> "RestorerProcess":
        """Start it with the pipe to read, the files to print, and the current terminal modes."""
        modes = termios.tcgetattr(screen) if os.isatty(screen) else None
        read_end, control = os.pipe()
        arguments = [str(descriptor) for descriptor in (pipe, *files)]
        process = subprocess.Popen(  # noqa: S603  a module of this package
            [sys.executable, "-m", "syswatch.terminal.restorer", *arguments, repr(modes)],
            stdin=read_end,
            stdout=screen,
            stderr=subprocess.DEVNULL,
            pass_fds=(pipe, *files),
            # No Ctrl+C and no hang-up of the terminal reaches it, and no SIGTTOU stops it.
            start_new_session=True,
        )
        os.close(read_end)
        return cls(process, control)

    def report_restored(self) -> None:
        """Report that the terminal is restored."""
        with suppress(OSError):  # It was killed: this process still reads the pipe.
            os.write(self._control, RESTORED)

    def release(self) -> None:
        """Leave the pipe to it."""
        os.close(self._control)
        # Do not wait for it: it ends with the last writer, which may take years.  Popen would
        # warn about a child that was not waited for.
        self._process.returncode = 0
