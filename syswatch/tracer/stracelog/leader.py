"""What precedes a call on each line of a log."""

import enum
from typing import Final

from syswatch.base.classes import frozen


class Time(enum.Enum):
    """What the times of a log are."""

    NONE = 0
    OF_DAY = 1
    DATE = 2


_TIMES: Final = {
    Time.NONE: rb"()()",
    Time.OF_DAY: rb"(\d\d:\d\d:\d\d)%s ",
    Time.DATE: rb"(\d{9,10})%s ",
}


@frozen
class Leader:
    """What precedes the calls of a log."""

    # The PID is the first word, not in brackets.
    pid_first: bool
    time: Time
    has_relative: bool
    has_number: bool
    has_pointer: bool

    def expression(self, fraction: bytes) -> bytes:
        """Return an expression with the groups of a PID, a second, and the fraction of it."""
        parts = [
            rb"(\d{1,8}) +" if self.pid_first else rb"(?:\[pid +(\d{1,8})\] )?",
            _TIMES[self.time].replace(b"%s", fraction),
            rb"\(\+ +\d+\.\d+\) " if self.has_relative else b"",
            rb"\[ *\d+\] " if self.has_number else b"",
            rb"\[[0-9a-f?]{8,16}\] " if self.has_pointer else b"",
        ]
        return b"".join(parts)
