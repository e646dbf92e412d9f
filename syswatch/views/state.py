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
    return _reading(snapshot.part_read) if snapshot.is_of_log else "tracing"


def _reading(part: float | None) -> str:
    # Rounded down: all is read only when it is over.
    return "reading" if part is None else f"reading {int(100 * part)} %"


def _ending(snapshot: Snapshot) -> str:
    end = snapshot.end
    if end.exit_signal:
        return f"killed by {signal_name(end.exit_signal)}"
    if end.exit_code is not None:
        return f"exited with {end.exit_code}"
    # A log need not tell how the program ended, nor that it has.
    return "read to its end" if snapshot.is_of_log else "ended"


def signal_name(number: int) -> str:
    """Return a signal's name; the real-time ones have none of their own."""
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"
