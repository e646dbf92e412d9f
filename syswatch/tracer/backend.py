"""The protocol of the backends, which the driver follows."""

from typing import TYPE_CHECKING, Protocol

from syswatch.base.classes import frozen
from syswatch.model.messages import Attach, Ended, RunCommand, TraceOptions

from .control import Control
from .launch import Launch
from .outbox import Outbox

if TYPE_CHECKING:
    from syswatch.model.delta import Delta

    from .event_pipe import EventPipe


@frozen
class Context:
    """What the driver gives to a backend."""

    job: RunCommand | Attach
    outbox: Outbox
    control: Control
    # The control group that holds the whole target, empty if there is none.
    group: str = ""
    # Where every call is recorded, if that was asked for.
    events: "EventPipe | None" = None

    @property
    def options(self) -> TraceOptions:
        """Return the options of the job."""
        return self.job.options


class Backend(Protocol):
    """
    One way to observe a live target.

    The driver calls `prepare`; then, for a command, `hold` and `start`, or else `attach`; then
    `announce`, `follow`, `finish`, `ending` and `close`.  Until `follow`, any method may raise a
    TraceError, which ends the trace.
    """

    def prepare(self) -> None:
        """Acquire everything that may be refused, before the target is touched."""

    def await_job(self) -> None:
        """Do what takes long and cannot fail while the job that is prepared may not begin yet."""

    def before_exec(self) -> None:
        """Prepare the process that becomes the command; called in that process."""

    def hold(self, pid: int) -> None:
        """Trace a process that waits to become the command."""

    def start(self, launch: Launch) -> None:
        """Let the waiting process become the command; return after its execve."""

    def attach(self, pids: tuple[int, ...]) -> None:
        """Trace running processes."""

    def announce(self) -> None:
        """Send the service a description of the target."""

    def follow(self) -> None:
        """Send deltas until the target has ended or the service asks to stop."""

    def finish(self) -> "Delta":
        """Stop observing; return what has not been sent yet."""

    def ending(self) -> Ended:
        """Return how the target ended; known after `finish`."""

    def close(self) -> None:
        """Release what is held; called after the last message has been sent."""
