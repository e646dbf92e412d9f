"""The forms of the lines of calls."""

from typing import Final, Protocol

from syswatch.codec.event_frames import Life, Loss

from .call_texts import Read

# The fields of an event, in their order.
Event = tuple[int, ...]
# From the start to the bytes moved, the arguments, and from the PID to the flags.
BEFORE: Final = slice(0, 7)
ARGUMENTS: Final = slice(7, 13)
AFTER: Final = slice(13, 18)


class Form(Protocol):
    """Makes lines, without the line end."""

    def call(self, event: Event, read: Read | None) -> str:
        """Return the line of a call, of which the texts may have been read."""

    def ending(self, life: Life, time_ns: int) -> str:
        """Return the line about the end of a process."""

    def loss(self, loss: Loss) -> str:
        """Return the line that marks where calls are missing."""
