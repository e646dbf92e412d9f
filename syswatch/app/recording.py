"""The recorder of a run: what it writes, and what is said about it at the end."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs
from twisted.internet.defer import Deferred, fail

from syswatch.app.announcements import announce_refusal, ignore
from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.codec.frames import encode
from syswatch.codec.recorder_reports import Report
from syswatch.model.messages import Failed
from syswatch.model.recording import LINES, RecordingState, Save
from syswatch.options.calls import STANDARD_OUTPUT
from syswatch.options.config import Reporting
from syswatch.service.announcing import announce
from syswatch.service.early_start import EarlyTracer
from syswatch.service.reactor import Reactor
from syswatch.service.recorder_process import FREE_FD, NotSavedError, RecorderProcess
from syswatch.service.session import Session
from syswatch.views.recording import sentence

if TYPE_CHECKING:
    from syswatch.recording.keeping import Keep

_STDOUT = 1


@define
class RunRecorder:
    """
    The recorder of a run; many runs have none.

    `process` is None before it is opened, and if nothing is recorded.
    """

    reporting: Reporting
    reactor: Reactor
    session: Session
    # The tracer, and with it perhaps the recorder, if they were started before the reactor.
    early: EarlyTracer | None = None
    process: RecorderProcess | None = attrs.field(default=None, init=False)

    def open(self) -> None:
        """Create the directory of the recording, and follow the alerts that have it saved."""
        if not (self.reporting.recording or self.reporting.calls):
            return
        is_claimed = self.early is not None and self.early.recorder is not None
        self.process = _recorder(self.reporting, self.reactor, self.session, is_claimed=is_claimed)
        keep = self.reporting.keep
        if keep is not None and keep.on_alert:
            from syswatch.app.alert_watch import AlertWatch

            self.session.subscribe(AlertWatch(self.process.save_on))

    def start(self) -> None:
        """Start the child that writes, or take over the one that was started early."""
        if self.process is None:
            return
        if self.early is not None and self.early.recorder is not None:
            self.process.adopt(self.early.recorder, self.reactor)
        else:
            self.process.spawn(self.reactor, -1 if self.early is None else self.early.take_events())

    async def finish(self) -> bool:
        """Wait until everything is written; return whether that failed."""
        if self.process is None:
            return False
        await self.process.finish()
        return self.process.has_failed

    def abandon(self) -> None:
        """Do not wait for it any longer."""
        if self.process is not None:
            self.process.abandon()

    async def end_without_trace(self, why: str) -> None:
        """Have the recording of nothing removed, as the tracer cannot start."""
        if self.process is None or not self.process.is_writing:
            return
        self.process.send(encode(Failed(why)))
        self.process.close_pipes()
        await self.process.finish()

    def request_save(self, reason: str) -> Deferred[Save]:
        """Save what the flight recorder keeps; a NotSavedError if that is not possible."""
        if self.process is None:
            return fail(NotSavedError("the trace has not begun"))
        return self.process.save(reason)

    def save(self, reason: str) -> None:
        """Save what the flight recorder keeps; what came of it is announced."""
        self.request_save(reason).addCallbacks(ignore, announce_refusal)

    def announce_end(self) -> None:
        """Announce what was recorded."""
        if self.process is not None and self.session.snapshot.has_begun:
            for each in _sentences(self.process.states):
                announce(each)


def _recorder(
    reporting: Reporting, reactor: Reactor, session: Session, *, is_claimed: bool
) -> RecorderProcess:
    """Return what writes a recording, or a line for each call, or both; not yet started."""
    directories = [reporting.recording] if reporting.recording else []
    if directories and not is_claimed:
        # Runs without a recording need nothing of its format.
        from syswatch.recording.write.claim import claim

        for name in directories:
            claim(name)
    states = [RecordingState(escape_text(name)) for name in directories]
    to_stdout = reporting.calls == STANDARD_OUTPUT
    if reporting.calls:
        place = "standard output" if to_stdout else escape_text(reporting.calls)
        states.append(RecordingState(place, LINES))

    def report(states: Report) -> None:
        session.receive_report(states[: len(directories)])

    return RecorderProcess(
        reactor,
        [*_outputs_of_directories(directories, reporting.keep), *_outputs_of_calls(reporting)],
        tuple(states),
        report,
        {FREE_FD: _STDOUT} if to_stdout else {},
    )


def _outputs_of_directories(names: Sequence[str], keep: "Keep | None") -> Iterator[str]:
    yield from (f"--directory={name}" for name in names)
    if keep is not None:
        yield f"--keep={keep.encode()}"


def _outputs_of_calls(reporting: Reporting) -> Iterator[str]:
    if not reporting.calls:
        return
    is_stdout = reporting.calls == STANDARD_OUTPUT
    yield f"--calls-descriptor={FREE_FD}" if is_stdout else f"--calls={reporting.calls}"
    yield f"--calls-format={reporting.calls_format}"


def _sentences(states: Report) -> Iterator[str]:
    """Yield what to say at the end; lines of calls are mentioned only if some are missing."""
    for each in states:
        if each.what != LINES or (each.lost and not each.trouble):
            yield sentence(each)
