"""The sending end of the pipe to the service, which never blocks the tracer."""

import os
from contextlib import suppress
from fcntl import F_SETPIPE_SZ, fcntl
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define

if TYPE_CHECKING:
    from syswatch.codec.frames import Message
    from syswatch.model.delta import Delta

# Enough for a delta with all its log entries; the rest of a larger one is sent with the next delta.
# This is the limit for users without privileges.
_PIPE_BYTES = 1024 * 1024


@define
class Outbox:
    """
    Sends messages through a non-blocking pipe.

    While the reader is behind, deltas are added up instead of queued: the memory in use is bounded
    by the size of one delta, and nothing is lost.
    """

    _fd: int
    _unsent: memoryview = attrs.field(factory=lambda: memoryview(b""), init=False)
    _waiting: "Delta | None" = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        """Make the pipe non-blocking and larger."""
        os.set_blocking(self._fd, False)
        # The limit of a user with very many pipes may be reached.
        with suppress(OSError):
            fcntl(self._fd, F_SETPIPE_SZ, _PIPE_BYTES)

    def offer(self, delta: "Delta") -> None:
        """Send a delta as soon as possible, added to those that are waiting."""
        if self._waiting is None:
            self._waiting = delta
        else:
            self._waiting = _delayed(self._waiting) + _delayed(delta)
        self.push()

    @property
    def fd(self) -> int:
        """The pipe, which is writable when `push` has something to do."""
        return self._fd

    @property
    def is_behind(self) -> bool:
        """Return whether something has not been written, because the pipe was full."""
        return bool(self._unsent)

    def push(self) -> None:
        """Write as much as there is room for; a large delta is many times the size of the pipe."""
        self._push()
        if not self._unsent:
            self._load()
            self._push()

    def finish(self, message: "Message") -> None:
        """Send all waiting deltas, then a last message; blocks until they are written."""
        os.set_blocking(self._fd, True)
        self._push()
        self._load()
        self._push()
        self.send(message)

    def send(self, message: "Message") -> None:
        """Send a message that cannot be added to others."""
        self._unsent = memoryview(bytes(self._unsent) + _frame(message))
        self._push()

    def send_in_order(self, message: "Message") -> None:
        """Send a message after all waiting deltas."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._unsent = memoryview(bytes(self._unsent) + _frame(waiting))
        self.send(message)

    def close(self) -> None:
        """Close the pipe, while this process continues."""
        os.close(self._fd)

    def _load(self) -> None:
        if self._waiting is not None:
            # A delta that cannot be encoded must not be in the way of the message that says so.
            waiting, self._waiting = self._waiting, None
            self._unsent = memoryview(_frame(waiting))

    def _push(self) -> None:
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(self._fd, self._unsent) :]
        except BlockingIOError:
            return


def _frame(message: "Message") -> bytes:
    # Only when there is something to send: it takes as long to import as a command to start.
    from syswatch.codec.frames import encode

    return encode(message)


def _delayed(delta: "Delta") -> "Delta":
    """Mark a delta that could not be sent immediately."""
    return attrs.evolve(delta, backlog=sum(tally.count for tally in delta.calls.values()))
