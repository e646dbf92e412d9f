"""The tracer's end of the pipe: it never makes the tracer wait."""

import os
from contextlib import suppress
from fcntl import F_SETPIPE_SZ, fcntl

import attrs

from syswatch.codec.frames import Message, encode
from syswatch.model.delta import Delta

# Room for a delta with all its log entries: what does not fit is only sent with the next delta.
# Users without privileges may have as much.
_PIPE_BYTES = 1024 * 1024


@attrs.define
class Outbox:
    """
    Sends messages through a non-blocking pipe.

    While the reader is behind, deltas are summed instead of queued, so the memory held
    here is bounded by the size of one delta, and nothing is lost by waiting.
    """

    _fd: int
    _unsent: memoryview = attrs.field(factory=lambda: memoryview(b""), init=False)
    _waiting: Delta | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        """Make the pipe one that refuses rather than blocks."""
        os.set_blocking(self._fd, False)
        # A user with very many pipes may not have larger ones.
        with suppress(OSError):
            fcntl(self._fd, F_SETPIPE_SZ, _PIPE_BYTES)

    def offer(self, delta: Delta) -> None:
        """Send a delta when there is room, summed with those that wait already."""
        if self._waiting is None:
            self._waiting = delta
        else:
            self._waiting = _late(self._waiting) + _late(delta)
        self._push()
        if not self._unsent:
            self._load()
            self._push()

    def finish(self, message: Message) -> None:
        """Send everything that waits, then a last message, however long the reader takes."""
        os.set_blocking(self._fd, True)
        self._push()
        self._load()
        self._push()
        self.say(message)

    def say(self, message: Message) -> None:
        """Send a message that cannot be summed; only at the start and at the end."""
        self._unsent = memoryview(bytes(self._unsent) + encode(message))
        self._push()

    def close(self) -> None:
        """Let the reader see the end, while this process goes on."""
        os.close(self._fd)

    def _load(self) -> None:
        if self._waiting is not None:
            self._unsent = memoryview(encode(self._waiting))
            self._waiting = None

    def _push(self) -> None:
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._fd, self._unsent) :]
        except BlockingIOError:
            return


def _late(delta: Delta) -> Delta:
    """Mark a delta as one that could not be sent when it was made."""
    return attrs.evolve(delta, backlog=sum(tally.count for tally in delta.calls.values()))
