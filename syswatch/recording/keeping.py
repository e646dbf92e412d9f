"""
What a flight recorder keeps, and on what it is saved.

The command line of the recorder has it as JSON, so this imports no large package.
"""

import msgspec

from syswatch.base.classes import frozen

from .forms import DEFAULT_SAVES


@frozen
class Trigger:
    """
    A reason to save: an error, or a call that took longer than a time.

    `errno` is the number of the error, 0 if it is about the time; `call` is empty for all calls.
    """

    text: str
    errno: int = 0
    slower_ns: int = 0
    call: str = ""


@frozen
class Keep:
    """How much is kept, at least one of time and size, and when that is saved."""

    seconds: float | None = None
    size: int | None = None
    most_saves: int = DEFAULT_SAVES
    triggers: tuple[Trigger, ...] = ()
    # Whether alerts are a reason; the service sees them.
    on_alert: bool = False

    def encode(self) -> str:
        """Return the value for a command line."""
        return msgspec.json.encode(self).decode()


def decoded(text: str) -> Keep:
    """Return what a command line has."""
    return msgspec.json.decode(text, type=Keep)
