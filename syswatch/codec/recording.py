"""
Recordings: files that begin with a line of their own and go on with the frames of a tracer.

The last frame is how the trace ended.  Frames are written whole, so a recording that breaks off
between two of them only lacks its end.
"""

import fcntl
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from syswatch.model.messages import Ended, Failed

from .frames import Decoder, Message, WireError

MAGIC = b"syswatch recording 1\n"


class RecordingError(Exception):
    """A recording is damaged, or breaks off; the message is a clause about it."""


class UnwritableError(Exception):
    """A recording cannot be begun; the message is one sentence for the user."""


def open_recording(name: str) -> BinaryIO:
    """Begin a recording; every frame written to it is in the file at once."""
    try:
        # It is emptied only when it is known that nobody else writes to it.
        recording = Path(name).open("ab", buffering=0)  # noqa: SIM115  it stays open
        if stat.S_ISREG(os.fstat(recording.fileno()).st_mode):
            _lock(recording, name)
            recording.truncate(0)
        write(recording, MAGIC)
    except OSError as error:
        raise UnwritableError(f"--record: {name} cannot be written: {error.strerror}") from error
    return recording


def _lock(recording: BinaryIO, name: str) -> None:
    """Lock a file until it is closed; one that is locked already raises UnwritableError."""
    try:
        fcntl.flock(recording, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        recording.close()
        raise UnwritableError(f"--record: {name} is being written by another syswatch") from error
    except OSError:
        pass  # A file system without locks can still hold a recording.


def write(recording: BinaryIO, frame: bytes) -> None:
    """Write all of a frame: a disk that is nearly full takes a part."""
    rest = memoryview(frame)
    while rest:
        rest = rest[recording.write(rest) :]


def is_recording(beginning: bytes) -> bool:
    """Return whether a file that begins like this is a recording."""
    return beginning.startswith(MAGIC)


def read(blocks: Iterable[bytes]) -> Iterator[Message | None]:
    """
    Yield the messages of a recording, and None after each block.

    A RecordingError says that it is damaged, or has no end, after what could be read.
    """
    decoder = _Reader()
    last: Message | None = None
    for block in blocks:
        for message in decoder.messages(block):
            last = message
            yield message
        yield None
    if decoder.pending:
        raise RecordingError("the recording ends within a message")
    if not isinstance(last, Ended | Failed):
        raise RecordingError("the recording breaks off: it does not say how the trace ended")


class _Reader:
    """Takes the first line off, and words errors."""

    def __init__(self) -> None:
        self._decoder = Decoder()
        self._left_of_magic = len(MAGIC)

    @property
    def pending(self) -> int:
        """Return how many bytes of an incomplete message wait for their rest."""
        return self._decoder.pending

    def messages(self, block: bytes) -> Iterator[Message]:
        """Yield the messages that end in a block."""
        self._decoder.receive_data(block[self._left_of_magic :])
        self._left_of_magic = max(self._left_of_magic - len(block), 0)
        try:
            for message, _ in self._decoder.frames():
                yield message
        except WireError as error:
            raise RecordingError(f"the recording is damaged: {error}") from error
