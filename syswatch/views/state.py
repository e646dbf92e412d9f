"""One or two words on how a watch is."""

from signal import Signals

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
        return f"killed by {signal_name(end.exit_signal)}"
    return "ended" if end.exit_code is None else f"exited with {end.exit_code}"


def signal_name(number: int) -> str:
    """Return a signal's name; the real-time ones have none of their own."""
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"
