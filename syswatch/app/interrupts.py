"""
What Ctrl+C, SIGTERM and SIGHUP mean.

While a command runs, they are meant for it: a terminal's Ctrl+C has reached it already, any
other signal is passed on, and only the second one ends the watching.  Everything else they
end at once: processes that were attached to go on untraced.
"""

import signal
from collections.abc import Callable

import attrs

from syswatch.base.streams import owns_terminal
from syswatch.codec.frames import Job
from syswatch.model.messages import ReadLogs, RunCommand
from syswatch.service.tracer_process import TracerProcess

_ENDING = frozenset({signal.SIGTERM, signal.SIGHUP})
# timeout(1) tells its child to end, and then its whole group, of which that is one; a terminal that
# goes away may tell us twice as well.  People are slower.
_ONE_REQUEST_S = 0.2


@attrs.define
class Interrupts:
    """Takes signals until the end."""

    _job: Job
    _tracer: TracerProcess
    _finish: Callable[[int], None]
    # Whether a Ctrl+C has reached the command without us.
    terminal_tells: Callable[[], bool] = attrs.field(
        default=lambda: _terminal_told_everybody(),  # noqa: PLW0108  it is defined below
        init=False,
    )
    received: int = attrs.field(default=0, init=False)
    # A service manager means us, too, when it ends the command that runs under us, and so does
    # a terminal that goes away.
    ends_server: bool = attrs.field(default=False, init=False)
    # Which signal the command was sent, or told by its terminal, and when.
    forwarded: int = attrs.field(default=0, init=False)
    _forwarded_s: float = attrs.field(default=0.0, init=False)
    _last_status: int | None = attrs.field(default=None, init=False)

    def end_with(self, status: int) -> None:
        """Take the next signal as the end of a server that has nothing more to watch."""
        self._last_status = status

    def take(self, number: int) -> None:
        """Take a signal."""
        if self._last_status is not None:
            self._finish(self._last_status)
        elif isinstance(self._job, RunCommand) and not self.forwarded:
            self.forwarded, self._forwarded_s = number, self._tracer.clock.seconds()
            self.ends_server = number in _ENDING
            if number != signal.SIGINT or not self.terminal_tells():
                self._tracer.deliver(number)
        elif not self._is_repeated(number):
            self.received = number
            self._tracer.detach()

    def _is_repeated(self, number: int) -> bool:
        if number != self.forwarded or number not in _ENDING:
            return False
        return self._tracer.clock.seconds() - self._forwarded_s < _ONE_REQUEST_S

    def status(self, *, has_begun: bool) -> int:
        """Return the exit status that an interrupt stands for, 0 where there was none."""
        if self.received and (isinstance(self._job, ReadLogs) or not has_begun):
            return 128 + self.received
        return 0


def _terminal_told_everybody() -> bool:
    """Return whether we are in the foreground of a terminal, as the command is then."""
    try:
        with open("/dev/tty", "rb") as terminal:  # noqa: PTH123  it is no file
            return owns_terminal(terminal.fileno())
    except OSError:
        return False
