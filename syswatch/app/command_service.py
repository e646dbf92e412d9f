"""What services have in common that trace a command and then do something with its calls."""

import os
from typing import ClassVar

import attrs
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from syswatch.app.tracing import TracingService
from syswatch.base.classes import define
from syswatch.options.config import Config
from syswatch.service.announcing import announce
from syswatch.service.reactor import Reactor

_SIGNAL_BASE = 128


@define(slots=False, eq=False)
class CommandService(Service):
    """Traces a command, as `syswatch run` does; `finished` fires with an exit status."""

    reactor: Reactor
    finished: Deferred[int] = attrs.field(factory=Deferred, init=False)
    _tracing: TracingService | None = attrs.field(default=None, init=False)
    _log = Logger()
    # The exit status if nothing was traced.
    untraced: ClassVar[int]

    def startService(self) -> None:
        """Start the command."""
        super().startService()
        Deferred.fromCoroutine(self._run()).addCallbacks(self._finish, self._fail)

    def stopService(self) -> Deferred[None]:
        """Detach from the command, if it is running."""
        super().stopService()
        return Deferred.fromCoroutine(self._stop())

    def interrupt(self, number: int) -> None:
        """Handle a signal: it is meant for the command while that is running."""
        if self._tracing is not None:
            self._tracing.interrupt(number)

    async def _run(self) -> int:
        """Trace, and return the exit status."""
        raise NotImplementedError

    async def _traced(self, config: Config) -> tuple[TracingService, int]:
        """
        Trace the command to its end.

        The exit status is 0 if it was traced; otherwise the reason has been announced.
        """
        tracing = self._tracing = TracingService(self.reactor, config)
        # Not `startService`, which raises a limit that the next run would inherit.
        tracing.privilegedStartService()
        await tracing.finished
        await tracing.stopService()
        if tracing.stopped_by:
            return tracing, _SIGNAL_BASE + tracing.stopped_by
        return tracing, 0 if tracing.session.snapshot.has_begun else self.untraced

    async def _stop(self) -> None:
        if self._tracing is not None and self._tracing.session.outcome is None:
            await self._tracing.stopService()

    def _finish(self, status: int) -> None:
        if not self.finished.called:
            self.finished.callback(status)

    def _fail(self, failure: Failure) -> None:
        self._log.failure("internal error", failure=failure)
        announce(f"internal error: {failure.getErrorMessage()}")
        self._finish(os.EX_SOFTWARE)
