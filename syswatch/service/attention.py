"""
Clients that look at details: a tracer that rests leaves these in the kernel until there is one.

Nothing is sent to a tracer that has not said that it rests.  So nothing changes for small targets,
and for tracers that know nothing of this.
"""

from collections.abc import Callable

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from syswatch.base.classes import define
from syswatch.model.messages import Report, Reported, Resting, Watch

# A tracer that is busy must not delay a response for longer; numbers of some seconds ago are shown.
PATIENCE_S = 2.0
# For so long, details are as new as those of a tracer that does not rest.
_FRESH_S = 1.0


def _ignore(_: Watch | Report) -> None:
    """Send nothing: there is no tracer yet."""


@define(slots=False, eq=False)
class Attention:
    """Tells a tracer what is looked at, and waits for what it has left."""

    clock: IReactorTime
    # Sends a message to the tracer.
    send: Callable[[Watch | Report], None] = attrs.field(default=_ignore, init=False)
    _watchers: int = attrs.field(default=0, init=False)
    _is_resting: bool = attrs.field(default=False, init=False)
    # Whether the tracer was told that a client watches.
    _is_watched: bool = attrs.field(default=False, init=False)
    _reported_s: float = attrs.field(default=float("-inf"), init=False)
    _waiting: list[Deferred[None]] = attrs.field(factory=list, init=False)
    _deadline: IDelayedCall | None = attrs.field(default=None, init=False)

    def watch(self) -> Callable[[], None]:
        """Ask for details all the time, until the returned function is called."""
        self._watchers += 1
        self._tell()
        return self._leave

    def refresh(self) -> Deferred[None] | None:
        """Return a Deferred that fires when all details are known; None if they are."""
        if not self._is_resting or self.clock.seconds() - self._reported_s < _FRESH_S:
            return None
        refreshed: Deferred[None] = Deferred()
        self._waiting.append(refreshed)
        if self._deadline is None:
            self._deadline = self.clock.callLater(PATIENCE_S, self._release)
            self.send(Report())
        return refreshed

    def receive(self, message: Resting | Reported) -> None:
        """Handle a message of the tracer."""
        if isinstance(message, Resting):
            self._is_resting = message.is_resting
            self._tell()
        else:
            self._reported_s = self.clock.seconds()
            self._release()

    def ended(self) -> None:
        """Wait for nothing more: the tracer has sent its last message."""
        self._is_resting = False
        self._release()

    def _leave(self) -> None:
        self._watchers -= 1
        self._tell()

    def _tell(self) -> None:
        """Send what has changed; a tracer that is watched does not rest."""
        is_watched = self._watchers > 0
        if is_watched != self._is_watched and (self._is_resting or not is_watched):
            self._is_watched = is_watched
            self.send(Watch(is_watched))

    def _release(self) -> None:
        """Let no client wait any longer."""
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._deadline = None
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            each.callback(None)
