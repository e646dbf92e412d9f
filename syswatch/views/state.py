"""One or two words on how a watch is."""

from syswatch.model.endings import ending
from syswatch.model.snapshot import Snapshot


def state(snapshot: Snapshot) -> str:
    """Return the state of the trace in a word or two, or how the program ended."""
    if snapshot.trouble:
        return "stopped early"
    if snapshot.done:
        return _ending(snapshot)
    if not snapshot.source.backend:
        return "starting"
    return _reading(snapshot.part_read) if snapshot.is_of_log else "tracing"


def _reading(part: float | None) -> str:
    # Rounded down: all is read only when it is over.
    return "reading" if part is None else f"reading {int(100 * part)} %"


def _ending(snapshot: Snapshot) -> str:
    end = snapshot.end
    if end.exit_signal:
        return ending(-end.exit_signal)
    if end.exit_code is not None:
        return ending(end.exit_code)
    # A log need not tell how the program ended, nor that it has.
    return "read to its end" if snapshot.is_of_log else "ended"
