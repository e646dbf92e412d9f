"""
One run of `run`, `attach` or `stats`, from opening the port to writing the report.

The order is: listen (if the port is in use, no target is started), start the tracer, wait for it to
end, write what was asked for.  With a server, the run continues until it is told to stop.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import attrs
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from syswatch.app.announcements import ending
from syswatch.app.recording import RunRecorder
from syswatch.app.results import write_results
from syswatch.app.signals import SignalHandler
from syswatch.base.classes import define
from syswatch.machine.limits import describe
from syswatch.model.messages import Attach
from syswatch.options import USAGE_STATUS
from syswatch.options.config import Config
from syswatch.recording.extra import UnwritableError
from syswatch.recording.questions import STATE, Nothing
from syswatch.service.announcing import announce
from syswatch.service.child_streams import ChildStreams
from syswatch.service.early_start import EarlyTracer
from syswatch.service.open_files import raise_open_files_limit
from syswatch.service.ranges import Ranges
from syswatch.service.reactor import Reactor
from syswatch.service.reader_process import ReaderError, Recording
from syswatch.service.session import TICK_S, Session
from syswatch.service.systemd import notify_systemd, notify_when_ready
from syswatch.service.tracer_process import TracerProcess
from syswatch.settings.address import AddressError
from syswatch.settings.push import PushError
from syswatch.terminal.progress import ProgressBar

if TYPE_CHECKING:
    from syswatch.app.ui_controller import UIController
    from syswatch.comparison.run import Run
    from syswatch.otlp.exporter import Exporter
    from syswatch.web.server import Server

_FAILED = 1
# Often enough for numbers to be seen moving; drawing takes some milliseconds.
UI_TICK_S = 0.25


@define(slots=False, eq=False)
class TracingService(Service):
    """Connects session, tracer, server and terminal; `finished` fires with an exit status."""

    reactor: Reactor
    config: Config
    # The tracer, if it was started before there was a reactor.
    early: EarlyTracer | None = None
    # What the trace is compared with.
    baselines: "Sequence[Run]" = ()
    finished: Deferred[int] = attrs.field(factory=Deferred, init=False)
    session: Session = attrs.field(init=False)
    _signals: SignalHandler = attrs.field(init=False)
    _tracer: TracerProcess = attrs.field(init=False)
    _server: "Server | None" = attrs.field(default=None, init=False)
    _recording: Recording | None = attrs.field(default=None, init=False)
    _recorder: RunRecorder = attrs.field(init=False)
    _ui: "UIController | None" = attrs.field(default=None, init=False)
    _exporter: "Exporter | None" = attrs.field(default=None, init=False)
    _is_started: bool = attrs.field(default=False, init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Create the parts; nothing is started yet."""
        self.setName("syswatch")
        tick_s = UI_TICK_S if self.config.tui or self.config.progress else TICK_S
        self.session = Session.for_job(
            self.config.job, self.reactor, tick_s, self.config.preferences
        )
        self._tracer = TracerProcess(self.config.job, self.session, self.reactor, early=self.early)
        self._signals = SignalHandler(self.config.job, self._tracer, self._finish)
        self._recorder = RunRecorder(self.config.reporting, self.reactor, self.session, self.early)
        self._recording = self._readable()
        if self.config.serving is not None:
            # It takes as long as everything else together, and most runs have no server.
            from syswatch.web.server import Server
            from syswatch.web.site import WebApplication

            web = WebApplication.create(
                self.session,
                self.reactor,
                self.config.serving.access,
                self._ranges(),
                self._recording,
                self._recorder.request_save if self.can_save else None,
                self.baselines,
                counts_evidence=self.config.job.options.profile,
            )
            self._server = Server(web, self.config.serving.address)
        if self.config.progress:
            self.session.subscribe(ProgressBar(sys.stderr, self.reactor.seconds))

    def prepare(self) -> None:
        """Import and read at once what the server needs for some requests only."""
        if self._server is not None:
            self._server.web.prepare()

    def privilegedStartService(self) -> None:
        """
        Start while all privileges are available.

        twistd drops them after this (`--uid`): the port may be a privileged one, and the tracer
        process keeps privileges that the server does not need.
        """
        super().privilegedStartService()
        self._is_started = True
        Deferred.fromCoroutine(self._run()).addErrback(self._fail)

    def startService(self) -> None:
        """Start, unless that was done with privileges."""
        super().startService()
        if not self._is_started:
            self.privilegedStartService()
        # After the tracer was started, which would pass the limit on to the command.
        raise_open_files_limit()

    def stopService(self) -> Deferred[None]:
        """Detach from the target, then close the connections of clients."""
        super().stopService()
        if self.session.outcome is None:
            self._signals.quit()
        notify_systemd("STOPPING=1")
        return Deferred.fromCoroutine(self._stop())

    @property
    def can_save(self) -> bool:
        """Return whether only the newest part is recorded, which can be saved."""
        return self.config.reporting.keep is not None

    def save_recording(self, reason: str) -> None:
        """Save what the flight recorder keeps; what came of it is announced."""
        self._recorder.save(reason)

    def interrupt(self, number: int) -> None:
        """Handle a signal that asks syswatch to stop."""
        if self.session.outcome is not None:
            self._recorder.abandon()
        if self._ui is not None and not self._signals.received:
            self._ui.handle_signal(number)
        else:
            self._signals.handle(number)

    @property
    def stopped_by(self) -> int:
        """The signal that stopped tracing before its end, or 0."""
        return self._signals.received

    @property
    def death_signal(self) -> int:
        """The signal to end by, or 0: the command ended by it, or it came before tracing began."""
        of_command = self.session.outcome.exit_signal if self.session.outcome else 0
        return of_command or (0 if self.session.snapshot.has_begun else self._signals.received)

    async def _run(self) -> None:
        try:
            await self._open()
        except (AddressError, PushError, UnwritableError) as error:
            announce(str(error))
            self._finish(USAGE_STATUS)
            return
        self.session.start()
        try:
            await self._trace()
        except OSError as error:
            await self._fail_to_start(f"cannot start the tracer: {describe(error)}")
            return
        await self._check_recording()
        if self._recorder.process is None:
            # As long as there is nothing else to do.
            self.reactor.callLater(0, self._import_summary)
        outcome = await self.session.when_ended()
        # While the recorder writes the rest.
        self._import_summary()
        # First, because the summary says what is recorded, and the list of calls may be on the same
        # terminal.
        failed = await self._recorder.finish()
        status = write_results(self.config, self.session.snapshot, outcome, self._signals)
        status = status or int(failed)
        self._recorder.announce_end()
        if self._keeps_serving():
            how = ending(self.session.snapshot, stopped=self._signals.stopped_tracing)
            announce(f"{how}; still serving (Ctrl+C or SIGTERM to stop)")
            self._signals.exit_on_next(status)
        else:
            self._finish(status or await self._push_log())

    async def _push_log(self) -> int:
        """
        Wait until what was read from logs has been pushed; return the exit status.

        The status of a traced program does not depend on the collector.
        """
        if self._exporter is None or not self.session.reads_logs:
            return 0
        await self._exporter.close()
        return _FAILED if self._exporter.has_losses else 0

    def _import_summary(self) -> None:
        """Import what takes longer than printing in the end."""
        if self.config.reporting.summary:
            import_module("syswatch.terminal.summary")

    async def _check_recording(self) -> None:
        """Announce what of the recording that is shown cannot be read, apart from its sums."""
        if self._recording is None or not self.config.replay:
            return
        try:
            state = await self._recording.ask(STATE, Nothing())
        except ReaderError as error:
            announce(f"{self.config.replay}: {error}")
        else:
            for note in state.notes:
                announce(f"{self.config.replay}: {note}")

    def _readable(self) -> Recording | None:
        """Return the recording that is shown, or the one that is being made and served."""
        config = self.config
        folder = config.replay if config.tui else ""
        if config.serving is not None:
            folder = config.replay or config.reporting.recording
        return Recording(folder, self.reactor) if folder else None

    def _ranges(self) -> Ranges | None:
        if self._recording is None:
            return None
        return Ranges(self.session, self._recording, grows=not self.config.replay)

    async def _trace(self) -> None:
        """Start the tracer; if configured, show the UI until it is closed."""
        self._recorder.start()
        if not self.config.tui:
            self._notify_when_ready()
            self._tracer.spawn(self.reactor)
            return
        from syswatch.app.ui_controller import UIController

        early = None if self.early is None else self.early.streams
        streams = early or ChildStreams.open()
        self._ui = UIController(
            self.reactor,
            self.config,
            self.session,
            self._tracer,
            self._signals,
            streams,
            self._ranges(),
        )
        self._tracer.spawn(self.reactor)
        streams.child_started()
        await self._ui.show()

    def _notify_when_ready(self) -> None:
        if isinstance(self.config.job, Attach) and self.config.job.wait:
            # The target may start much later, or after the unit: systemd would delay others
            # meanwhile, and give up.
            notify_systemd("READY=1")
        else:
            notify_when_ready(self.session)

    async def _fail_to_start(self, why: str) -> None:
        announce(why)
        await self._recorder.end_without_trace(why)
        self._finish(_FAILED)

    def _keeps_serving(self) -> bool:
        """Return whether the server continues after the target has ended."""
        return (
            self._server is not None
            and bool(self.running)
            and self.session.snapshot.has_begun
            and not self._signals.received
            and not self._signals.stops_server
            and not self.config.exit_with_target
        )

    async def _open(self) -> None:
        if self._server is not None:
            from syswatch.app.serving import announce_server

            await self._server.open(self.reactor, self.early.ports if self.early else ())
            announce_server(self._server, self.config.job)
        if self.config.push is not None:
            # It loads the messages of OTLP, and few runs push.
            from syswatch.otlp.exporter import Exporter

            self._exporter = Exporter(self.session, self.config.push, self.reactor)
            self._exporter.start()
        # Last, so that a directory is created only if there will be a trace.
        self._recorder.open()
        self._tracer.recorder = self._recorder.process

    async def _stop(self) -> None:
        if self._ui is not None:
            await self._ui.ui.leave()
        await self._tracer.detach()
        self._recorder.abandon()
        await self._recorder.finish()
        self.session.stop()
        if self._exporter is not None:
            await self._exporter.close()
        if self._server is not None:
            await self._server.close()
        if self._recording is not None:
            await self._recording.close()
        if self._ui is not None:
            await self._ui.ui.close()

    def _finish(self, status: int) -> None:
        if not self.finished.called:
            self.finished.callback(status)

    def _fail(self, failure: Failure) -> None:
        try:
            self._log.failure("internal error", failure=failure)
            announce(f"internal error: {failure.getErrorMessage()}")
        finally:
            self._finish(os.EX_SOFTWARE)
