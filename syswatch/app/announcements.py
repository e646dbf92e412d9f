"""Sentences on standard error about a run: what was saved, how it ended."""

from twisted.python.failure import Failure

from syswatch.model.recording import Save
from syswatch.model.snapshot import Snapshot
from syswatch.service.announcing import announce
from syswatch.service.recorder_process import NotSavedError, SaveFailedError
from syswatch.views.status import state


def ignore(_save: Save) -> None:
    """Do nothing: saves are announced, for whatever reason they were made."""


def announce_refusal(failure: Failure) -> None:
    """Announce why nothing was saved, unless the recorder has done so."""
    failure.trap(NotSavedError)
    if not failure.check(SaveFailedError):
        announce(f"the recording cannot be saved: {failure.getErrorMessage()}")


def ending(snapshot: Snapshot, *, stopped: bool) -> str:
    """Return what has ended, and how: the target, or, if it was stopped, only the tracing of it."""
    if snapshot.trouble or stopped:
        return "tracing has stopped"
    if snapshot.is_of_log:
        return "log fully read"
    return f"{snapshot.source.process.comm or 'the target'} {state(snapshot)}"
