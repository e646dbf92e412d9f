"""How a process ended, in words."""

from signal import Signals


def ending(code: int) -> str:
    """Return the words for an exit code, or for the signal that its negative is."""
    return f"exited with {code}" if code >= 0 else f"killed by {_signal_name(-code)}"


def _signal_name(number: int) -> str:
    """Return a signal's name; the real-time ones have none of their own."""
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"
