"""What a sample has brought along of the target: pieces of its memory, and its open files."""

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import attrs

from . import layout

# Files that are in no folder are called after their file system, by its magic number.
_NUMBERED = {0x534F434B: b"socket:[%d]", 0x50495045: b"pipe:[%d]"}
_ANONYMOUS = 0x09041934
_PROCESSES = 0x50494446
_MEMORY = 0x01021994
_DELETED = b" (deleted)"

# Where in a sample its pieces are, and how long they may be: unpacking them is some ten times
# faster than asking ctypes.
_MEMORY_AT = layout.Sample.given.offset + layout.Given.memory.offset
_PIECE = struct.Struct("QQ")
_PIECES_AT = tuple(
    (_MEMORY_AT + first + number * (_PIECE.size + size), size)
    for first, count, size in (
        (layout.Memory.chunks.offset, layout.CHUNKS, layout.CHUNK),
        (layout.Memory.pieces.offset, layout.PIECES, layout.PIECE),
    )
    for number in range(count)
)
_LINK = struct.Struct("iIIIQQ")
_LINKS_AT = tuple(
    layout.Sample.given.offset + layout.Given.links.offset + number * (_LINK.size + layout.LINK)
    for number in range(layout.LINKS)
)


class _Link(NamedTuple):
    """What a descriptor stands for, but for the parts of its path."""

    descriptor: int
    state: int
    mode: int
    length: int
    file_system: int
    number: int


@attrs.frozen
class SampledMemory:
    """
    Memory as it was when the call was seen.

    Nothing else is read: by now the target may have put something else there, and a wrong text
    is worse than an address.
    """

    _pieces: tuple[tuple[int, bytes], ...]
    _links: Mapping[str, bytes] = attrs.field(factory=dict)

    @classmethod
    def before(cls, raw: bytes) -> "SampledMemory":
        """Return what a sample knows of its call's arguments."""
        return cls(tuple(_pieces(raw)), dict(_links(raw, _LINKS_AT[:-1])))

    def after(self, raw: bytes) -> "SampledMemory":
        """Return what is known when the call has returned: its result may be a descriptor."""
        return SampledMemory(self._pieces, {**self._links, **dict(_links(raw, _LINKS_AT[-1:]))})

    def read(self, address: int, length: int) -> bytes:
        """Return the bytes at an address: fewer than asked for where what is known ends."""
        for begin, data in self._pieces:
            if begin <= address < begin + len(data):
                return data[address - begin : address - begin + length]
        return b""

    def string(self, address: int, limit: int) -> bytes | None:
        """
        Return what stands before a NUL, at most `limit` bytes; None where nothing is known.

        Of a text that is only known in part, None too: it would look like a whole one.
        """
        data = self.read(address, limit)
        text, nul, _ = data.partition(b"\0")
        return text if nul or len(data) == limit else None

    def link(self, name: str) -> bytes:
        """Return what a link in the process's folder in /proc led to; nothing if unknown."""
        return self._links.get(name, b"")

    def netlink(self, _descriptor: int) -> int | None:
        """Return nothing: what kind of socket a descriptor stands for is not in a sample."""
        return None


def _pieces(raw: bytes) -> Iterator[tuple[int, bytes]]:
    for at, size in _PIECES_AT:
        address, length = _PIECE.unpack_from(raw, at)
        if length:
            begin = at + _PIECE.size
            # A text that fills its place has been cut there: the NUL is not its own.
            cut = length == size and not raw[begin + length - 1]
            yield address, raw[begin : begin + length - cut]


def _links(raw: bytes, places: Iterable[int]) -> Iterator[tuple[str, bytes]]:
    for at in places:
        link = _Link(*_LINK.unpack_from(raw, at))
        if link.mode:
            text = raw[at + _LINK.size : at + _LINK.size + link.length]
            name = "cwd" if link.descriptor == layout.WORKING_FOLDER else f"fd/{link.descriptor}"
            yield name, _target(link, text.split(b"\0")[:-1])


def _target(link: _Link, parts: list[bytes]) -> bytes:
    """Return what readlink() would have said."""
    if link.state & layout.LINK_NOWHERE:
        return _nowhere(link, parts[0])
    # What lies above the parts that had room is not known.
    start = b"/" if link.state & layout.LINK_WHOLE else b".../"
    path = start + b"/".join(reversed(parts))
    return path + (_DELETED if link.state & layout.LINK_DELETED else b"")


def _nowhere(link: _Link, name: bytes) -> bytes:
    if link.file_system in _NUMBERED:
        return _NUMBERED[link.file_system] % link.number
    if link.file_system == _ANONYMOUS:
        return b"anon_inode:" + name
    if link.file_system == _PROCESSES:
        return b"anon_inode:[pidfd]"
    return b"/" + name + _DELETED if link.file_system == _MEMORY else b""
