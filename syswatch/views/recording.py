"""What a recording holds so far, in a sentence."""

from collections.abc import Iterator, Sequence

from syswatch.model.recording import LINES, RecordingState, Save
from syswatch.model.snapshot import Snapshot

from .formatting import duration, plural, rfc3339, size

_TO_SECONDS = len("2026-01-31T12:34:56")


def sentence(state: RecordingState) -> str:
    """Return how much is recorded; what is missing comes first."""
    lost = f"{plural(state.lost, 'call')} {_is(state.lost)} missing, " if state.lost else ""
    stopped = f"stopped early ({state.trouble}), " if state.trouble else ""
    written = f"{plural(state.calls, 'call')}{_unfinished(state)}, {size(state.written_bytes)}"
    return f"{state.what} {state.place}: {stopped}{lost}{written}{_kept(state)}"


def stopped(state: RecordingState) -> str:
    """Return why a recording has stopped before the trace."""
    rest = "; what was written before it can be read" if state.what != LINES else ""
    return f"{state.what} {state.place} has stopped: {state.trouble}{rest}"


def not_recorded_yet(part: Snapshot) -> str:
    """Return how much of the end of a range is missing; nothing if it is all there."""
    if not part.unrecorded_ns:
        return ""
    return f"the last {duration(part.unrecorded_ns)} of this range are not recorded yet"


def changed_saves(before: RecordingState, after: RecordingState) -> Iterator[str]:
    """Yield what to say when saves were made, or removed to make room for them."""
    known = {each.number for each in before.saves}
    continues = "" if after.trouble or after.is_complete else "; recording continues"
    for save in after.saves:
        if save.number not in known and save.trouble:
            yield f"{save.place} could not be saved ({save.reason}): {save.trouble}{continues}"
        elif save.number not in known:
            yield f"saved {save.place} ({save.reason})"
    remaining = {each.number for each in after.saves}
    for save in before.saves:
        if save.number not in remaining and not save.trouble:
            yield f"removed {save.place}, the oldest save (--keep-saves)"


def moment(time_ns: int) -> str:
    """Return a time of day with its date, in whole seconds and the local zone."""
    return rfc3339(time_ns)[:_TO_SECONDS].replace("T", " ")


def _unfinished(state: RecordingState) -> str:
    """Return how many calls more there are, which had not returned when their thread ended."""
    if not state.unfinished:
        return ""
    have = "has" if state.unfinished == 1 else "have"
    return f" and {state.unfinished:,} that {have} not returned"


def _kept(state: RecordingState) -> str:
    """Return which part is kept, and what was saved."""
    if not state.kept_to_ns:
        return ""
    return f" from {moment(state.kept_from_ns)} to {moment(state.kept_to_ns)}{_saves(state.saves)}"


def _saves(saves: Sequence[Save]) -> str:
    made = [each for each in saves if not each.trouble]
    found = f"; {plural(len(made), 'save')}" if made else ""
    if made:
        name = made[-1].place.rpartition("/")[2]
        found += f", the newest one is saves/{name} ({made[-1].reason})"
    if saves and saves[-1].trouble:
        found += f"; the last save failed ({saves[-1].reason}): {saves[-1].trouble}"
    return found


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
