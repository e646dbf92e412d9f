"""What a recording holds so far, in a sentence."""

from syswatch.model.recording import LINES, RecordingState
from syswatch.model.snapshot import Snapshot

from .formatting import duration, plural, size


def sentence(state: RecordingState) -> str:
    """Return how much is recorded; what is missing comes first."""
    lost = f"{plural(state.lost, 'call')} {_is(state.lost)} missing, " if state.lost else ""
    stopped = f"stopped early ({state.trouble}), " if state.trouble else ""
    written = f"{plural(state.calls, 'call')}, {size(state.written_bytes)}"
    return f"{state.what} {state.place}: {stopped}{lost}{written}"


def stopped(state: RecordingState) -> str:
    """Return why a recording has stopped before the trace."""
    rest = "; what was written before it can be read" if state.what != LINES else ""
    return f"{state.what} {state.place} has stopped: {state.trouble}{rest}"


def not_recorded_yet(part: Snapshot) -> str:
    """Return how much of the end of a range is missing; nothing if it is all there."""
    if not part.unrecorded_ns:
        return ""
    return f"the last {duration(part.unrecorded_ns)} of this range are not recorded yet"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
