"""The recorder of a run: what it writes, and what is said about it at the end."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from syswatch.base.text import escape_text
from syswatch.codec.recorder_reports import Report
from syswatch.model.recording import LINES, RecordingState
from syswatch.options.calls import STANDARD_OUTPUT
from syswatch.options.config import Reporting
from syswatch.service.reactor import Reactor
from syswatch.service.recorder_process import FREE_FD, RecorderProcess
from syswatch.service.session import Session
from syswatch.views.recording import sentence

if TYPE_CHECKING:
    from syswatch.recording.keeping import Keep

_STDOUT = 1


def recorder_of(
    reporting: Reporting, reactor: Reactor, session: Session, *, is_claimed: bool
) -> RecorderProcess | None:
    """Return what writes a recording, or a line for each call, or both; not yet started."""
    if not (reporting.recording or reporting.calls):
        return None
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


def sentences(states: Report) -> Iterator[str]:
    """Yield what to say at the end; lines of calls are mentioned only if some are missing."""
    for each in states:
        if each.what != LINES or (each.lost and not each.trouble):
            yield sentence(each)
