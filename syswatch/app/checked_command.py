"""Runs a command once or several times for `syswatch check`, and checks what it did."""

from signal import Signals
from typing import ClassVar

import attrs

from syswatch.app.checking import UNCHECKED, Prepared, conclude, name_of
from syswatch.app.command_service import CommandService
from syswatch.app.tracing import TracingService
from syswatch.base.classes import define
from syswatch.checking.result import FAILED_STATUS, Command
from syswatch.comparison.of_delta import run_of_snapshot
from syswatch.comparison.run import Run
from syswatch.service.announcing import announce


@define(slots=False, eq=False)
class CheckedCommand(CommandService):
    """Traces a command and checks it against its budgets."""

    prepared: Prepared
    untraced: ClassVar[int] = UNCHECKED

    async def _run(self) -> int:
        check = self.prepared.check
        if check.traced is None:
            return UNCHECKED
        runs = []
        command = Command("")
        for _ in range(check.runs):
            tracing, status = await self._traced(check.traced)
            if status:
                return status
            command = self._command(tracing)
            if check.writes and command.failure:
                announce(f"no budget was written: the command failed: {command.failure}")
                return FAILED_STATUS
            runs.append(self._observed(tracing))
        return conclude(self.prepared, runs, command)

    def _observed(self, tracing: TracingService) -> Run:
        found = run_of_snapshot(tracing.session.snapshot, name_of(self.prepared.check))
        # Nothing is missing that this command was told to leave out, which is --no-children only.
        return attrs.evolve(found, only="")

    def _command(self, tracing: TracingService) -> Command:
        """Return how the command ended."""
        line, outcome = name_of(self.prepared.check), tracing.session.outcome
        if outcome is None or outcome.end is None:
            return Command(line)
        if outcome.exit_signal:
            return Command(line, signal=_signal_name(outcome.exit_signal))
        return Command(line, outcome.end.exit_code)


def _signal_name(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"  # Real-time signals have no names of their own.
