"""Our end of the line to the keeper, who holds the pipe of the command when we are gone."""

import os
import subprocess
import sys
import termios
from collections.abc import Sequence
from contextlib import suppress

import attrs

from syswatch.terminal.restorer import WHOLE


@attrs.define
class Keeping:
    """The keeper, as long as we are here."""

    _process: subprocess.Popen[bytes]
    _line: int

    @classmethod
    def begin(cls, screen: int, pipe: int, held: Sequence[int]) -> "Keeping":
        """Start it, with what it may have to print and the modes of the terminal as they are."""
        modes = termios.tcgetattr(screen) if os.isatty(screen) else None
        end, line = os.pipe()
        words = [str(descriptor) for descriptor in (pipe, *held)]
        process = subprocess.Popen(  # noqa: S603  it is ourselves
            [sys.executable, "-m", "syswatch.terminal.restorer", *words, repr(modes)],
            stdin=end,
            stdout=screen,
            stderr=subprocess.DEVNULL,
            pass_fds=(pipe, *held),
            # Away from the terminal's Ctrl+C and hang-up, and nobody stops it for writing there.
            start_new_session=True,
        )
        os.close(end)
        return cls(process, line)

    def is_whole(self) -> None:
        """Report that the terminal is in order."""
        with suppress(OSError):  # It was killed: nothing is lost as long as we are here.
            os.write(self._line, WHOLE)

    def leave(self) -> None:
        """Leave the pipe to it."""
        os.close(self._line)
        # Nobody waits for it: it ends with the last who writes, and that may take years.
        self._process.returncode = 0
