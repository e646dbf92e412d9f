"""One or two words on how a watch is."""

from syswatch.model.endings import ending
from syswatch.model.snapshot import Snapshot


def state(snapshot: Snapshot) -> str:
    """Say what is going on, or how it ended."""
    if snapshot.trouble:
        return "stopped early"
    if snapshot.done:
        return _ending(snapshot)
    if not snapshot.source.backend:
        return "starting"
    part = snapshot.part_read
    return "tracing" if part is None else f"reading {100 * part:.0f} %"


def _ending(snapshot: Snapshot) -> str:
    end = snapshot.end
    if end.exit_signal:
        return ending(-end.exit_signal)
    return "ended" if end.exit_code is None else ending(end.exit_code)
