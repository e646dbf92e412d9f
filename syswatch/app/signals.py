"""
Handling of Ctrl+C and of the signals that end or question a process.

While a command of `run` is running, signals are meant for it: a Ctrl+C of the terminal has reached
it already, any other signal is forwarded, and only a second one stops tracing.  SIGQUIT never does:
many programs print where they are, and go on.  In all other cases the first one stops tracing;
processes that were attached to keep running.
"""

import signal
from collections.abc import Callable

import attrs

from syswatch.base.classes import define
from syswatch.base.streams import owns_terminal
from syswatch.codec.frames import Job
from syswatch.model.messages import ReadLogs, RunCommand
from syswatch.service.announcing import announce
from syswatch.service.tracer_process import TracerProcess

_TERMINATING = frozenset({signal.SIGTERM, signal.SIGHUP})
# timeout(1) signals its child and then the whole process group, of which that is a member; a
# terminal that goes away may signal twice as well.  People are slower.
_DUPLICATE_S = 0.2
# A command that has not ended by then ignores Ctrl+C, or takes long to clean up.
_PATIENCE_S = 3.0


@define
class SignalHandler:
    """Decides for each signal whether the command or syswatch is meant."""

    _job: Job
    _tracer: TracerProcess
    _finish: Callable[[int], None]
    # Returns whether the terminal has sent a Ctrl+C to the command as well.
    terminal_signals_command: Callable[[], bool] = attrs.field(
        default=lambda: _is_in_foreground(),  # noqa: PLW0108  it is defined below
        init=False,
    )
    # The signal that stopped tracing, or 0.
    received: int = attrs.field(default=0, init=False)
    # Before the end of the trace, the user has quit the terminal UI, or the service was stopped.
    _has_quit: bool = attrs.field(default=False, init=False)
    # A service manager that terminates the command means the server, too, and so does a terminal
    # that goes away.
    stops_server: bool = attrs.field(default=False, init=False)
    # The signal that was meant for the command, or 0, and when it came.
    forwarded: int = attrs.field(default=0, init=False)
    _forwarded_s: float = attrs.field(default=0.0, init=False)
    _exit_status: int | None = attrs.field(default=None, init=False)

    def exit_on_next(self, status: int) -> None:
        """Exit with a status on the next signal: the target has ended, only the server runs."""
        self._exit_status = status

    def handle(self, number: int) -> None:
        """Handle a signal."""
        if self._exit_status is not None:
            self._finish(self._exit_status)
        elif isinstance(self._job, RunCommand) and number == signal.SIGQUIT:
            if not self.terminal_signals_command():
                self._tracer.deliver(number)
        elif isinstance(self._job, RunCommand) and not self.forwarded:
            self.forwarded, self._forwarded_s = number, self._tracer.clock.seconds()
            self.stops_server = number in _TERMINATING
            if number != signal.SIGINT or not self.terminal_signals_command():
                self._tracer.deliver(number)
            # With the terminal UI, its keys are explained there.
            if number == signal.SIGINT and not self._tracer.without_terminal:
                self._tracer.clock.callLater(_PATIENCE_S, self._explain)
        elif not self._is_duplicate(number):
            self.received = number
            self._tracer.detach()

    def _explain(self) -> None:
        """Explain how to stop tracing a command that does not end by Ctrl+C."""
        if self._tracer.session.outcome is None and not self.stopped_tracing:
            announce(
                "the command is still running after SIGINT; press Ctrl+C again to stop tracing"
            )

    def quit(self) -> None:
        """Stop tracing on request, which is a normal end."""
        self._has_quit = True
        self._tracer.detach()

    @property
    def stopped_tracing(self) -> bool:
        """Whether the trace was stopped before its end."""
        return bool(self.received) or self._has_quit

    def _is_duplicate(self, number: int) -> bool:
        if number != self.forwarded or number not in _TERMINATING:
            return False
        return self._tracer.clock.seconds() - self._forwarded_s < _DUPLICATE_S

    def status(self, *, has_begun: bool) -> int:
        """Return the exit status for the signal that stopped tracing, or 0."""
        if self.received and (isinstance(self._job, ReadLogs) or not has_begun):
            return 128 + self.received
        return 0


def _is_in_foreground() -> bool:
    """Return whether this process, and so the command, is in the foreground of a terminal."""
    try:
        with open("/dev/tty", "rb") as terminal:  # noqa: PTH123  it is a device
            return owns_terminal(terminal.fileno())
    except OSError:
        return False
