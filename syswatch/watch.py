"""
A watch: the life of one run of syswatch, from the open port to the written report.

The order is: listen (a port in use must start no target), start the tracer, wait for its
end, write what was asked for.  With a server, the watch goes on until it is told to stop.
"""

import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

import attrs
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorProcess, IReactorTCP, IReactorTime
from twisted.logger import Logger

from syswatch.config import Config
from syswatch.service.files import write_whole
from syswatch.service.session import Outcome, Session
from syswatch.service.tracer import TracerProcess
from syswatch.terminal.printing import print_summary
from syswatch.terminal.progress import ProgressBar
from syswatch.views.report import report
from syswatch.web.api import Api
from syswatch.web.front import Front
from syswatch.web.guard import Guard
from syswatch.web.listen import AddressError
from syswatch.web.pages import Pages
from syswatch.web.server import Server
from syswatch.wire import RECORDING_MAGIC

BAD_USAGE = 2
_BROKEN = 70


class WatchReactor(IReactorProcess, IReactorTCP, IReactorTime):
    """What a watch needs of a reactor."""


@attrs.define(slots=False, eq=False)
class Watch(Service):
    """Wires session, tracer, server and terminal together; `finished` fires with a status."""

    reactor: WatchReactor
    config: Config
    finished: Deferred[int] = attrs.field(factory=Deferred, init=False)
    session: Session = attrs.field(init=False)
    _tracer: TracerProcess = attrs.field(init=False)
    _server: Server | None = attrs.field(default=None, init=False)
    _recording: BinaryIO | None = attrs.field(default=None, init=False)
    _interrupted: int = attrs.field(default=0, init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Make the parts; nothing is started yet."""
        self.setName("syswatch")
        self.session = Session(self.reactor)
        self._tracer = TracerProcess(self.config.job, self.session, self.reactor)
        if self.config.serving is not None:
            front = Front(Pages(self.session).app.resource(), Api(self.session).app.resource())
            root = Guard(front, self.config.serving.allowed_hosts)
            self._server = Server(root, self.config.serving.address)
        if self.config.progress:
            self.session.subscribe(ProgressBar(sys.stderr, self.reactor.seconds))

    def startService(self) -> None:
        """Begin."""
        super().startService()
        Deferred.fromCoroutine(self._watch()).addErrback(self._break)

    def stopService(self) -> Deferred[None]:
        """Let the target go first, then the clients."""
        super().stopService()
        return Deferred.fromCoroutine(self._stop())

    def interrupt(self, signal: int) -> None:
        """Take a Ctrl+C or a SIGTERM."""
        self._interrupted = signal
        if self.session.outcome is None:
            self._tracer.detach()
        else:
            self._finish(0)

    async def _watch(self) -> None:
        try:
            await self._open()
        except (AddressError, OSError) as error:
            _say(str(error))
            self._finish(BAD_USAGE)
            return
        self.session.start()
        self._tracer.spawn(self.reactor)
        status = self._conclude(await self.session.when_ended())
        if self._server is None or self._interrupted or not self.session.snapshot.total:
            self._finish(status)

    async def _open(self) -> None:
        if name := self.config.reporting.recording:
            self._recording = Path(name).open("wb", buffering=0)  # noqa: SIM115
            self._recording.write(RECORDING_MAGIC)
            self._tracer.recording = self._recording
        if self._server is not None:
            await self._server.open(self.reactor)
            _say(f"serving {' '.join(self._server.urls)}")
            if self._server.address.is_wildcard:
                _say(
                    f"warning: {self._server.address.text} is reached from every network of "
                    "this machine, and so are the command line, the paths and the arguments seen"
                )

    def _conclude(self, outcome: Outcome) -> int:
        """Write what was asked for; return the exit status."""
        status = outcome.exit_status
        snapshot = self.session.snapshot
        reporting = self.config.reporting
        if self._server is None and snapshot.total:
            print_summary(
                snapshot, sys.stdout, reporting.summary_format, odd_lines=reporting.odd_lines
            )
        if outcome.trouble:
            _say(outcome.trouble)
        elif self._interrupted:
            _say("interrupted: the numbers are of what was seen until then")
            status = 128 + self._interrupted
        if reporting.report and not self._write_report():
            status = status or 1
        return status

    def _write_report(self) -> bool:
        reporting = self.config.reporting
        snapshot = self.session.snapshot
        made = (
            f"{snapshot.source.backend} · syswatch {version('syswatch')} · "
            f"{datetime.now(UTC).astimezone():%Y-%m-%d %H:%M:%S %z}"
        )
        try:
            page = report(snapshot, made=made, top_files=reporting.report_top_files)
            write_whole(reporting.report, page)
        except OSError as error:
            _say(f"the report cannot be written to {reporting.report}: {error.strerror}")
            return False
        return True

    async def _stop(self) -> None:
        await self._tracer.detach()
        self.session.stop()
        if self._server is not None:
            await self._server.close()
        if self._recording is not None:
            self._recording.close()

    def _finish(self, status: int) -> None:
        if not self.finished.called:
            self.finished.callback(status)

    def _break(self, failure: object) -> None:
        self._log.failure("syswatch broke", failure=failure)
        self._finish(_BROKEN)


def _say(message: str) -> None:
    sys.stderr.write(f"syswatch: {message}\n")
    sys.stderr.flush()
