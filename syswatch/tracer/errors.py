"""Errors that end a trace, and the message that reports them."""

from syswatch.base.streams import print_message
from syswatch.machine.limits import describe_failure
from syswatch.model.messages import Failed

_USAGE_ERROR = 2


class TraceError(Exception):
    """Tracing is impossible; the message is for the user."""

    def __init__(self, message: str, exit_status: int = 1) -> None:
        super().__init__(message)
        self.exit_status = exit_status


class AttachError(TraceError):
    """A process cannot be attached to."""


class LaunchError(TraceError):
    """The command cannot be started."""


class InterruptedStartError(Exception):
    """A signal that was meant for a command came before the command began."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class UnsupportedError(TraceError):
    """The only backend that may be used lacks what the job needs."""


class BackendRefusedError(TraceError):
    """The kernel or the system refuses a backend; another one may work."""


class TargetNotFoundError(TraceError):
    """A name matches no target, or more than one."""


def failure_of(error: Exception, *, debug: bool = False) -> Failed:
    """Return the message that ends a trace because of an error."""
    from syswatch.model.filters import FilterError

    match error:
        case TraceError():
            return Failed(str(error), error.exit_status)
        case FilterError():
            return Failed(str(error), _USAGE_ERROR)
        case BrokenPipeError():
            return Failed("the service has ended")
    if debug:
        import traceback

        print_message(*"".join(traceback.format_exception(error)).splitlines())
    return Failed(describe_failure(error))
