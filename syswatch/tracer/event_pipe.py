"""
The sending end of the pipe to the recorder, which never blocks the tracer.

Events that the recorder does not take in time are dropped, and counted by thread and second: the
target must not wait for a disk.
"""

import os
import select
import struct
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from fcntl import F_SETPIPE_SZ, fcntl

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import Kind, Life, Loss, Text, encode, header_of_events
from syswatch.codec.events import FIELDS, Flag
from syswatch.model.times import SECOND_NS

# On a busy machine, both ends wait for a CPU each time that the pipe is full or empty.  The smaller
# size is the limit for users without privileges.
_PIPE_BYTES = (16 * 1024 * 1024, 1024 * 1024)
# A second at 500 000 calls a second.
_MOST_UNSENT = 64 * 1024 * 1024
# At the end, the tracer waits so long for a recorder that reads nothing.
_PATIENCE_MS = 5000
# Calls are dropped when there is no time, so only the fields that are needed are unpacked.
_NEEDED = ("start_ns", "duration_ns", "tid", "flags")
_FEW_FIELDS = struct.Struct(
    "<" + "".join(code if name in _NEEDED else f"{struct.calcsize(code)}x" for name, code in FIELDS)
)

# As plain numbers, because members of an enumeration are slow to combine.
_IS_MOVED, _IS_UNFINISHED = int(Flag.MOVED), int(Flag.UNFINISHED)


@define
class EventPipe:
    """
    Sends events, and what belongs to them.

    Lives and losses are few, and are never dropped; `push` sends them before the events that
    follow.  Texts share the fate of the events that they are sent with.
    """

    _fd: int
    # Whether the recorder still reads.
    is_open: bool = attrs.field(default=True, init=False)
    # How many bytes were given to it, whether they have been written or not.
    queued_bytes: int = attrs.field(default=0, init=False)
    _unsent: deque[memoryview] = attrs.field(factory=deque, init=False)
    _unsent_bytes: int = attrs.field(default=0, init=False)
    _texts: list[Text] = attrs.field(factory=list, init=False)
    _lives: list[Life] = attrs.field(factory=list, init=False)
    _losses: dict[tuple[int, int], int] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Make the pipe non-blocking and larger."""
        os.set_blocking(self._fd, False)
        for size in _PIPE_BYTES:
            # The limit of a user with very many pipes may be reached.
            with suppress(OSError):
                fcntl(self._fd, F_SETPIPE_SZ, size)
                break

    @property
    def fd(self) -> int:
        """The pipe, which is writable when `push` has something to do."""
        return self._fd

    @property
    def is_behind(self) -> bool:
        """Return whether something has not been written, because the pipe was full."""
        return bool(self._unsent)

    def add_text(self, text: Text) -> None:
        """Add the text of a call, of which the event follows."""
        self._texts.append(text)

    def add_life(self, life: Life) -> None:
        """Add what is known of a process."""
        self._lives.append(life)

    def add_losses(self, losses: Iterable[Loss]) -> None:
        """Count calls that could not be recorded."""
        for loss in losses:
            key = loss.tid, loss.second
            self._losses[key] = self._losses.get(key, 0) + loss.calls

    def send(self, events: bytes | bytearray) -> None:
        """Send whole events, with the records that were added before."""
        is_full = self._unsent_bytes + len(events) > _MOST_UNSENT
        if is_full:
            self.add_losses(losses_of(events))
            self._texts = []
        self._queue_records()
        if events and not is_full:
            self._queue(header_of_events(len(events)))
            self._queue(bytes(events))
        self.push()

    def send_at_once(self, frame: bytes) -> None:
        """Send a frame, and wait until it is written: a log can wait, and nothing may be lost."""
        self._queue_records()
        self._queue(frame)
        os.set_blocking(self._fd, True)
        self.push()
        os.set_blocking(self._fd, False)

    def push(self) -> None:
        """Write as much as there is room for."""
        if not self.is_open:
            self._forget()
        try:
            while self._unsent:
                written = os.write(self._fd, self._unsent[0])
                self._unsent_bytes -= written
                if written < len(self._unsent[0]):
                    self._unsent[0] = self._unsent[0][written:]
                else:
                    self._unsent.popleft()
        except BlockingIOError:
            return
        except BrokenPipeError:  # The recorder has ended, and said why.
            self.is_open = False
            self._forget()

    def finish(self) -> None:
        """Send everything that was added, and close the pipe; waits while the recorder reads."""
        self._queue_records()
        self.push()
        room = select.poll()
        room.register(self._fd, select.POLLOUT)
        while self.is_behind and room.poll(_PATIENCE_MS):
            self.push()
        os.close(self._fd)

    def _queue_records(self) -> None:
        losses = [Loss(tid, second, count) for (tid, second), count in self._losses.items()]
        for kind, records in (
            (Kind.LIVES, self._lives),
            (Kind.TEXTS, self._texts),
            (Kind.LOSSES, losses),
        ):
            if records:
                self._queue(encode(kind, records))
        self._texts, self._lives, self._losses = [], [], {}

    def _queue(self, data: bytes) -> None:
        self._unsent.append(memoryview(data))
        self.queued_bytes += len(data)
        self._unsent_bytes += len(data)

    def _forget(self) -> None:
        self._unsent.clear()
        self._unsent_bytes = 0


def losses_of(events: bytes | bytearray) -> list[Loss]:
    """Return how many calls of each thread ended in each second."""
    counts: dict[tuple[int, int], int] = {}
    for start_ns, duration_ns, tid, flags in _FEW_FIELDS.iter_unpack(events):
        if flags & _IS_MOVED:
            continue
        lasted_ns = 0 if flags & _IS_UNFINISHED else duration_ns
        key = tid, (start_ns + lasted_ns) // SECOND_NS
        counts[key] = counts.get(key, 0) + 1
    return [Loss(tid, second, count) for (tid, second), count in counts.items()]
