"""Runs a command once or several times for `syswatch check`, and checks what it did."""

import os
from signal import Signals

import attrs
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from syswatch.app.checking import UNCHECKED, conclude, name_of, prepare
from syswatch.app.tracing import TracingService
from syswatch.checking.result import FAILED_STATUS, Command
from syswatch.comparison.of_delta import run_of_snapshot
from syswatch.comparison.run import Run
from syswatch.options.config import Check
from syswatch.service.announcing import announce
from syswatch.service.reactor import Reactor

_SIGNAL_BASE = 128


@attrs.define(slots=False, eq=False)
class CheckedCommand(Service):
    """Traces a command, as `syswatch run` does; `finished` fires with an exit status."""

    reactor: Reactor
    check: Check
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
        # Before the command is started, which may take long.
        prepared = prepare(self.check)
        if prepared is None or self.check.traced is None:
            return UNCHECKED
        runs = []
        command = Command("")
        for _ in range(self.check.runs):
            tracing = self._tracing = TracingService(self.reactor, self.check.traced)
            # Not `startService`, which raises a limit that the next run would inherit.
            tracing.privilegedStartService()
            await tracing.finished
            await tracing.stopService()
            if status := _status_without_result(tracing):
                return status
            command = self._command(tracing)
            if self.check.writes and command.failure:
                announce(f"no budget was written: the command failed: {command.failure}")
                return FAILED_STATUS
            runs.append(self._observed(tracing))
        return conclude(prepared, runs, command)

    def _observed(self, tracing: TracingService) -> Run:
        return run_of_snapshot(tracing.session.snapshot, name_of(self.check))

    def _command(self, tracing: TracingService) -> Command:
        """Return how the command ended."""
        line, outcome = name_of(self.check), tracing.session.outcome
        if outcome is None or outcome.end is None:
            return Command(line)
        if outcome.exit_signal:
            return Command(line, signal=_signal_name(outcome.exit_signal))
        return Command(line, outcome.end.exit_code)

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


def _status_without_result(tracing: TracingService) -> int:
    """Return the exit status if there is nothing to check, or 0; the reason has been announced."""
    if tracing.stopped_by:
        return _SIGNAL_BASE + tracing.stopped_by
    return 0 if tracing.session.snapshot.has_begun else UNCHECKED


def _signal_name(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"  # Real-time signals have no names of their own.
