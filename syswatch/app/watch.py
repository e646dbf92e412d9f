"""
A watch: the life of one run of syswatch, from the open port to the written report.

The order is: listen (a port in use must start no target), start the tracer, wait for its
end, write what was asked for.  With a server, the watch goes on until it is told to stop.
"""

import sys
from typing import TYPE_CHECKING

import attrs
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from syswatch.app.conclusion import conclude
from syswatch.app.interrupts import Interrupts
from syswatch.base.redaction import PRESET
from syswatch.codec.frames import Job
from syswatch.codec.recording import RecordingWriter, UnwritableError
from syswatch.machine.limits import describe
from syswatch.model.snapshot import Snapshot
from syswatch.options.config import Config
from syswatch.service.announcing import announce
from syswatch.service.open_files import raise_open_files_limit
from syswatch.service.reactor import Reactor
from syswatch.service.session import TICK_S, Session
from syswatch.service.systemd import notify_systemd
from syswatch.service.tracer_process import TracerProcess
from syswatch.settings.address import AddressError
from syswatch.terminal.progress import ProgressBar
from syswatch.views.status import state
from syswatch.web.server import Server
from syswatch.web.site import WebApplication

if TYPE_CHECKING:
    from syswatch.app.screen import OnScreen

BAD_USAGE = 2
_FAILED = 1
_BROKEN = 70
# Seeing numbers move takes no more; a fresh picture costs some milliseconds.
SCREEN_TICK_S = 0.25


@attrs.define(slots=False, eq=False)
class Watch(Service):
    """Wires session, tracer, server and terminal together; `finished` fires with a status."""

    reactor: Reactor
    config: Config
    finished: Deferred[int] = attrs.field(factory=Deferred, init=False)
    session: Session = attrs.field(init=False)
    _interrupts: Interrupts = attrs.field(init=False)
    _tracer: TracerProcess = attrs.field(init=False)
    _server: Server | None = attrs.field(default=None, init=False)
    _recording: RecordingWriter | None = attrs.field(default=None, init=False)
    _screen: "OnScreen | None" = attrs.field(default=None, init=False)
    _begun: bool = attrs.field(default=False, init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Make the parts; nothing is started yet."""
        self.setName("syswatch")
        tick_s = SCREEN_TICK_S if self.config.tui or self.config.progress else TICK_S
        self.session = Session.for_job(self.config.job, self.reactor, tick_s)
        self._tracer = TracerProcess(self.config.job, self.session, self.reactor)
        self._interrupts = Interrupts(self.config.job, self._tracer, self._finish)
        if self.config.serving is not None:
            web = WebApplication.create(self.session, self.reactor, self.config.serving.access)
            self._server = Server(web, self.config.serving.address)
        if self.config.progress:
            self.session.subscribe(ProgressBar(sys.stderr, self.reactor.seconds))

    def privilegedStartService(self) -> None:
        """
        Begin while all rights are there.

        twistd gives them up after this (`--uid`): the port may be a privileged one, and the
        tracer child keeps what the server has no need of.
        """
        super().privilegedStartService()
        self._begun = True
        Deferred.fromCoroutine(self._watch()).addErrback(self._break)

    def startService(self) -> None:
        """Begin, unless that was done with privileges."""
        super().startService()
        if not self._begun:
            self.privilegedStartService()
        # Not before the tracer has been started, which has no use for it and hands it on.
        raise_open_files_limit()

    def stopService(self) -> Deferred[None]:
        """Let the target go first, then the clients."""
        super().stopService()
        notify_systemd("STOPPING=1")
        return Deferred.fromCoroutine(self._stop())

    def interrupt(self, number: int) -> None:
        """Take a Ctrl+C or a SIGTERM."""
        if self._screen is not None and not self._interrupts.received:
            self._screen.take(number)
        else:
            self._interrupts.take(number)

    @property
    def death_signal(self) -> int:
        """The signal for us to die of, 0 where there is none: the command did, or had not begun."""
        of_command = self.session.outcome.exit_signal if self.session.outcome else 0
        return of_command or (0 if self.session.snapshot.has_begun else self._interrupts.received)

    async def _watch(self) -> None:
        try:
            await self._open()
        except (AddressError, UnwritableError) as error:
            announce(str(error))
            self._finish(BAD_USAGE)
            return
        self.session.start()
        try:
            config = await self._trace()
        except OSError as error:
            announce(f"the tracer cannot be started: {describe(error)}")
            self._finish(_FAILED)
            return
        outcome = await self.session.when_ended()
        status = conclude(config, self.session.snapshot, outcome, self._interrupts)
        status = status or int(self._tracer.recording_failed)
        if self._goes_on_serving():
            announce(f"{_ending(self.session.snapshot)}; still serving, Ctrl+C or SIGTERM stops")
            self._interrupts.end_with(status)
        else:
            self._finish(status)

    async def _trace(self) -> Config:
        """Start the tracer, show what it says where that is wanted, return what is left to do."""
        if not self.config.tui:
            self._tracer.spawn(self.reactor)
            notify_systemd("READY=1")
            return self.config
        from syswatch.app.screen import OnScreen

        self._screen = OnScreen(
            self.reactor, self.config, self.session, self._tracer, self._interrupts
        )
        self._tracer.spawn(self.reactor)
        self._screen.shell.child_started()
        if not await self._screen.show():
            return self.config
        reporting = self.config.reporting
        return attrs.evolve(
            self.config, reporting=attrs.evolve(reporting, summary=reporting.summary_asked)
        )

    def _goes_on_serving(self) -> bool:
        """Return whether there is something to serve, and no request to end."""
        return (
            self._server is not None
            and self.session.snapshot.has_begun
            and not self._interrupts.received
            and not self._interrupts.ends_server
            and not self.config.exit_with_target
        )

    async def _open(self) -> None:
        if name := self.config.reporting.recording:
            self._recording = RecordingWriter.create(name)
            self._tracer.recording = self._recording
        if self._server is not None:
            await self._server.open(self.reactor)
            _announce(self._server, self.config.job)

    async def _stop(self) -> None:
        if self._screen is not None:
            await self._screen.shell.leave()
        await self._tracer.detach()
        self.session.stop()
        if self._server is not None:
            await self._server.close()
        if self._recording is not None:
            self._recording.close()
        if self._screen is not None:
            await self._screen.shell.close()

    def _finish(self, status: int) -> None:
        if not self.finished.called:
            self.finished.callback(status)

    def _break(self, failure: Failure) -> None:
        try:
            self._log.failure("syswatch broke", failure=failure)
            announce(f"an error that is ours: {failure.getErrorMessage()}")
        finally:
            self._finish(_BROKEN)


def _ending(snapshot: Snapshot) -> str:
    """Return what has ended, and how."""
    if snapshot.trouble:
        return "tracing has stopped"
    if snapshot.is_of_log:
        return "the log has been read"
    return f"{snapshot.source.process.comm or 'the target'} {state(snapshot)}"


def _announce(server: Server, job: Job) -> None:
    """Say where the server is, and what its user may not have meant."""
    announce(f"serving {' '.join(server.urls)}")
    if server.is_public:
        announce(
            f"warning: {server.address.text} is reached from every network of "
            "this machine, and so are the command line, the paths and the arguments seen"
            + _how_to_mask(job)
        )
    stream = server.web.stream
    if stream.capacity < stream.max_clients:
        announce(
            f"warning: at most {stream.capacity} clients can listen to /stream, "
            "because of the limit on open files (ulimit -Hn)"
        )


def _how_to_mask(job: Job) -> str:
    """Return how secrets are kept from being served, where nothing keeps them."""
    if PRESET in job.options.redact:
        return ""
    return " (--redact secrets masks what looks like a secret)"
