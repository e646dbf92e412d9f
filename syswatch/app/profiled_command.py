"""Runs a command for `syswatch profile`, with what it did as evidence."""

import os

import attrs
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from syswatch.app.profiling import FAILED, attempt
from syswatch.app.tracing import TracingService
from syswatch.model.ledger import Weight
from syswatch.options.config import Profiling
from syswatch.service.announcing import announce
from syswatch.service.reactor import Reactor
from syswatch.views.status import notes_of

_SIGNAL_BASE = 128
_COMMAND_FAILED = 3


@attrs.define(slots=False, eq=False)
class ProfiledCommand(Service):
    """Traces a command, as `syswatch run` does; `finished` fires with an exit status."""

    reactor: Reactor
    profiling: Profiling
    finished: Deferred[int] = attrs.field(factory=Deferred, init=False)
    _tracing: TracingService | None = attrs.field(default=None, init=False)
    _log = Logger()

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
        if self.profiling.traced is None:
            return FAILED
        tracing = self._tracing = TracingService(self.reactor, self.profiling.traced)
        tracing.privilegedStartService()
        await tracing.finished
        await tracing.stopService()
        if tracing.stopped_by:
            return _SIGNAL_BASE + tracing.stopped_by
        snapshot = tracing.session.snapshot
        if not snapshot.has_begun:
            return FAILED
        for note in notes_of(snapshot.sums.ledger, Weight.LOST):
            announce(f"calls may be missing: {note}")
        status = attempt(self.profiling, snapshot.sums.evidence)
        outcome = tracing.session.outcome
        if outcome is None or outcome.end is None:
            return status
        if outcome.exit_signal or outcome.end.exit_code:
            announce("the command failed, so calls may be missing")
            return status or _COMMAND_FAILED
        return status

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
