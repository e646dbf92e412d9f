"""A watch on a screen: what its keys do to the watching, and what happens when somebody leaves."""

import signal
from datetime import UTC, datetime
from typing import cast

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorFDSet
from twisted.logger import Logger
from twisted.python.failure import Failure

from syswatch.app.conclusion import write_report
from syswatch.app.interrupts import Interrupts
from syswatch.model.messages import RunCommand
from syswatch.model.snapshot import Snapshot
from syswatch.options.config import Config
from syswatch.service.announcing import announce
from syswatch.service.reactor import Reactor
from syswatch.service.session import Outcome, Session
from syswatch.service.tracer_process import TracerProcess
from syswatch.terminal.ui.app import Controls, Exit
from syswatch.terminal.ui.terminal_ui import TerminalUI, report_name

# A command that is asked to end may want to tidy up.
_GRACE_S = 1.5
_REPORTED_FILES = 50


@attrs.define(slots=False, eq=False)
class OnScreen:
    """Shows a session, and tells the tracer what the keys mean."""

    reactor: Reactor
    config: Config
    session: Session
    tracer: TracerProcess
    interrupts: Interrupts
    shell: TerminalUI = attrs.field(init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Take the terminal: from here on nobody else writes to it."""
        self.shell = TerminalUI.take_over(cast("IReactorFDSet", self.reactor))
        self.tracer.streams = self.shell.child_fds
        # Who opens /dev/tty would draw over the table, and take its keys.
        self.tracer.without_terminal = True
        # The keyboard sends keys now, not signals.
        self.interrupts.terminal_tells = _never

    async def show(self) -> bool:
        """Show until somebody leaves, then see to what still runs; say whether all went well."""
        self.session.when_ended().addCallback(self._leave_if_empty)
        how = await self.shell.show(
            self.session, Controls(self._interrupt, self._save_report, self._would_die)
        )
        if error := self.shell.error:
            self._log.failure("the terminal UI broke", failure=Failure(error))
            announce("the terminal UI broke; the watching goes on without it (--tui never)")
            return False
        if how is Exit.TERMINATE_COMMAND:
            self.tracer.deliver(signal.SIGTERM)
            self.reactor.callLater(_GRACE_S, self.tracer.detach)
        elif how is Exit.QUIT:
            self.tracer.detach()
        return True

    def take(self, number: int) -> None:
        """Take a signal from outside: the screen goes first."""
        if self.session.outcome is None:
            self.interrupts.take(number)
        self._leave()

    def _leave_if_empty(self, outcome: Outcome) -> None:
        """Where there is nothing to look at, one sentence on the terminal says why."""
        if outcome.trouble and not self.session.snapshot.has_begun:
            self._leave()

    def _leave(self) -> None:
        Deferred.fromCoroutine(self.shell.leave())

    def _interrupt(self) -> str:
        """Take a Ctrl+C."""
        if self._would_die() and not self.interrupts.forwarded:
            self.interrupts.take(signal.SIGINT)
            return "sent Ctrl+C to the command; press again to quit"
        self.take(signal.SIGINT)
        return ""

    def _would_die(self) -> bool:
        """Return whether a command runs that has us as its terminal."""
        return self.session.outcome is None and isinstance(self.config.job, RunCommand)

    def _save_report(self, snapshot: Snapshot) -> str:
        name = report_name(snapshot, f"{datetime.now(UTC).astimezone():%Y%m%d-%H%M%S}")
        try:
            write_report(self.config, snapshot, name, top_files=_REPORTED_FILES)
        except OSError as error:
            return f"cannot write the report: {error.strerror}"
        return f"saved {name}"


def _never() -> bool:
    return False
