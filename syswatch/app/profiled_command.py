"""Runs a command for `syswatch profile`, with what it did as evidence."""

from typing import ClassVar

from syswatch.app.command_service import CommandService
from syswatch.app.profiling import FAILED, attempt
from syswatch.base.classes import define
from syswatch.options.config import Profiling
from syswatch.profiles.basis import Basis
from syswatch.service.announcing import announce

_COMMAND_FAILED = 3


@define(slots=False, eq=False)
class ProfiledCommand(CommandService):
    """Traces a command and does a task with its calls."""

    profiling: Profiling
    untraced: ClassVar[int] = FAILED

    async def _run(self) -> int:
        if self.profiling.traced is None:
            return FAILED
        tracing, status = await self._traced(self.profiling.traced)
        if status:
            return status
        found = Basis.of(tracing.session.snapshot.sums)
        for note in found.notes:
            announce(f"calls may be missing: {note}")
        status = attempt(self.profiling, found)
        outcome = tracing.session.outcome
        if outcome is None or outcome.end is None:
            # Why the end of the trace is missing has been announced.
            return status or FAILED
        if outcome.exit_signal or outcome.end.exit_code:
            announce("the command failed, so calls may be missing")
            return status or _COMMAND_FAILED
        return status
