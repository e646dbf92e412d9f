"""Sentences on standard error about a run: where it is served, what was saved, how it ended."""

from twisted.python.failure import Failure

from syswatch.base.redaction import PRESET
from syswatch.codec.frames import Job
from syswatch.model.recording import Save
from syswatch.model.snapshot import Snapshot
from syswatch.service.announcing import announce
from syswatch.service.recorder_process import NotSavedError, SaveFailedError
from syswatch.views.status import state
from syswatch.web.server import Server


def ignore(_save: Save) -> None:
    """Do nothing: saves are announced, for whatever reason they were made."""


def announce_refusal(failure: Failure) -> None:
    """Announce why nothing was saved, unless the recorder has done so."""
    failure.trap(NotSavedError)
    if not failure.check(SaveFailedError):
        announce(f"the recording cannot be saved: {failure.getErrorMessage()}")


def ending(snapshot: Snapshot) -> str:
    """Return what has ended, and how."""
    if snapshot.trouble:
        return "tracing has stopped"
    if snapshot.is_of_log:
        return "log fully read"
    return f"{snapshot.source.process.comm or 'the target'} {state(snapshot)}"


def announce_server(server: Server, job: Job) -> None:
    """Print the URL of the server, and warnings about it."""
    announce(f"serving {' '.join(server.urls)}")
    if server.is_public:
        announce(
            f"warning: {server.address.text} is reachable from every network of this machine, and"
            " so are traced command lines, paths and arguments" + _masking_hint(job)
        )
    stream = server.web.stream
    if stream.capacity < stream.max_clients:
        announce(
            f"warning: at most {stream.capacity} clients can connect to /stream, because of the"
            " limit on open files (ulimit -Hn)"
        )


def _masking_hint(job: Job) -> str:
    if PRESET in job.options.redact:
        return ""
    return " (--redact secrets masks likely secrets)"
