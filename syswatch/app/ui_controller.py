"""The terminal UI of a run: what its keys do to the tracer, and what happens when it is closed."""

import signal
from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorFDSet
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from syswatch.app.results import write_report
from syswatch.app.signals import SignalHandler
from syswatch.base.classes import define
from syswatch.model.messages import RunCommand
from syswatch.model.snapshot import Snapshot
from syswatch.options.config import Config
from syswatch.service.announcing import announce
from syswatch.service.child_streams import ChildStreams
from syswatch.service.ranges import Ranges
from syswatch.service.reactor import Reactor
from syswatch.service.session import Outcome, Session
from syswatch.service.tracer_process import TracerProcess
from syswatch.terminal.ui.controls import Controls, Exit
from syswatch.terminal.ui.terminal_ui import TerminalUI, report_name
from syswatch.views.budget.period import Period

# How long a command may take to clean up after SIGTERM.
_GRACE_S = 1.5
_REPORTED_FILES = 50


@define(slots=False, eq=False)
class UIController:
    """Shows a session in the terminal UI and passes its keys on to the tracer."""

    reactor: Reactor
    config: Config
    session: Session
    tracer: TracerProcess
    signals: SignalHandler
    # Those of the tracer.
    streams: ChildStreams
    # Of a recording.
    ranges: Ranges | None = None
    ui: TerminalUI = attrs.field(init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Take over the terminal: from here on, nothing else writes to it."""
        self.ui = TerminalUI.take_over(cast("IReactorFDSet", self.reactor), self.streams)
        self.tracer.streams = self.streams.of_child
        # A command that opens /dev/tty would draw over the table and read its keys.
        self.tracer.without_terminal = True
        # In raw mode, Ctrl+C is a key and not a signal.
        self.signals.terminal_signals_command = lambda: False

    async def show(self) -> None:
        """Show the UI until it is closed, then stop what is still running, unless it failed."""
        self.session.when_ended().addCallback(self._close_if_empty)
        # The reactor sends the tracer its job first: it begins while Textual is imported.
        await deferLater(self.reactor, 0)
        how = await self.ui.show(
            self.session,
            Controls(
                self._interrupt,
                self._save_report,
                self._owns_command,
                part=None if self.ranges is None else _parts(self.ranges),
            ),
            self.config.reporting.sort,
        )
        if error := self.ui.error:
            self._log.failure("the terminal UI failed", failure=Failure(error))
            announce("the terminal UI failed; tracing continues without it (see --tui never)")
            return
        if how is Exit.TERMINATE_COMMAND:
            self.tracer.deliver(signal.SIGTERM)
            self.reactor.callLater(_GRACE_S, self.tracer.detach)
        elif how is Exit.QUIT and self.session.outcome is None:
            self.signals.quit()

    def handle_signal(self, number: int) -> None:
        """Handle a signal from outside, and close the UI."""
        if self.session.outcome is None:
            self.signals.handle(number)
        self._close()

    def _close_if_empty(self, outcome: Outcome) -> None:
        """Close the UI if tracing failed before there was anything to show: an error follows."""
        if outcome.trouble and not self.session.snapshot.has_begun:
            self._close()

    def _close(self) -> None:
        Deferred.fromCoroutine(self.ui.leave())

    def _interrupt(self) -> str:
        """Handle Ctrl+C; return what to show."""
        if self._owns_command() and not self.signals.forwarded:
            self.signals.handle(signal.SIGINT)
            return "sent Ctrl+C to the command; press again to quit"
        self.handle_signal(signal.SIGINT)
        return ""

    def _owns_command(self) -> bool:
        """Return whether a command is running whose terminal is this UI."""
        return self.session.outcome is None and isinstance(self.config.job, RunCommand)

    def _save_report(self, snapshot: Snapshot) -> str:
        name = report_name(snapshot, f"{datetime.now(UTC).astimezone():%Y%m%d-%H%M%S}")
        try:
            write_report(self.config, snapshot, name, top_files=_REPORTED_FILES)
        except OSError as error:
            return f"cannot write the report: {error.strerror}"
        return f"saved {name}"


def _parts(ranges: Ranges) -> Callable[[Period], Deferred[Snapshot]]:
    return lambda period: Deferred.fromCoroutine(ranges.part(period))
