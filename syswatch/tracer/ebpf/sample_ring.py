"""
The ring buffer of samples, of which only what has been written is mapped, while it is read.

libbpf maps all of it for as long as a trace takes, and twice in a row: 8 MB of this process, for
some kilobytes of samples in each reading.
"""

import struct
from mmap import PAGESIZE, mmap
from threading import Lock

import attrs

from syswatch.base.classes import define

from .program import Program

_NAME = "samples"
# The first page has the position up to which samples were read, and the second one that up to which
# they were written.  The data follow twice in a row, so a sample at the end continues behind it.
_WRITTEN_AT = PAGESIZE
_DATA_AT = 2 * PAGESIZE
# At once: more than the longest sample, and so little that it stays in the cache until it is used.
_MOST_BYTES = 1 << 16
# The length of a sample is before it, with a bit for one that is not complete yet.  The bit for one
# that was discarded is not used: the program writes samples whole.
_LENGTH = struct.Struct("I")
_BUSY = 1 << 31
_HEADER = 8
_ALIGNMENT = 8


@define
class SampleRing:
    """Takes samples while the program writes more of them."""

    program: Program
    size: int
    _read: memoryview = attrs.field(init=False)
    _written: memoryview = attrs.field(init=False)
    _barrier: Lock = attrs.field(factory=Lock, init=False)

    def __attrs_post_init__(self) -> None:
        """Map the positions."""
        map_part = self.program.mapped_part
        self._read = memoryview(map_part(_NAME, 0, PAGESIZE, is_writable=True)).cast("Q")
        self._written = memoryview(map_part(_NAME, _WRITTEN_AT, PAGESIZE)).cast("Q")
        self._barrier.acquire()

    def take(self, most: int) -> list[bytes]:
        """
        Return the oldest samples, and let the program write others in their place.

        At most `most` are returned; none if the ring is empty, or if the oldest is not complete.
        """
        read, written = self._read[0], self._written[0]
        if read == written:
            return []
        at = read % self.size
        begin = at % PAGESIZE
        end = begin + min(written - read, _MOST_BYTES)
        with self.program.mapped_part(_NAME, _DATA_AT + at - begin, end) as memory:
            places, done = _places(memory, begin, end, most)
            # A sample is read after its length, and overwritten after it was read.
            self._order()
            samples = [memory[place : place + length] for place, length in places]
            self._order()
        self._read[0] = read + done - begin
        return samples

    def _order(self) -> None:
        """Keep the processor from moving reads and writes across this point, as some do."""
        self._barrier.release()
        self._barrier.acquire()


def _places(memory: mmap, begin: int, end: int, most: int) -> tuple[list[tuple[int, int]], int]:
    """Return where complete samples are and how long they are, and where these end."""
    places: list[tuple[int, int]] = []
    while begin < end and len(places) < most:
        (length,) = _LENGTH.unpack_from(memory, begin)
        after = begin + _HEADER + -(-length // _ALIGNMENT) * _ALIGNMENT
        # The rest of one that is mapped in part is mapped next time.
        if length & _BUSY or after > end:
            break
        places.append((begin + _HEADER, length))
        begin = after
    return places, begin
