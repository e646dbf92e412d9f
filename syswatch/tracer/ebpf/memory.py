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

_PIECE = struct.Struct("QHHBBBx")
_COUNT = struct.Struct("Q")
_COUNTS = frozenset({layout.FORM_POINTERS, layout.FORM_ENTRIES})
_DATA_AT = layout.Sample.memory.offset + layout.Memory.data.offset
_ALIGNMENT = 8
_LINK = struct.Struct("iIIIQQ")
_LINKS_AT = tuple(
    layout.Sample.links.offset + number * (_LINK.size + layout.LINK)
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


class _Piece(NamedTuple):
    """What was read in one go."""

    address: int
    data: bytes
    form: int
    kept: int

    def overlaps(self, other: "_Piece") -> bool:
        """Return whether some of the same bytes have been read."""
        return self.address < other.address + len(
            other.data
        ) and other.address < self.address + len(self.data)


@attrs.frozen
class SampledMemory:
    """
    Memory as it was at one moment of a call.

    Nothing else is read: by now the target may have put something else there, and a wrong text
    is worse than an address.
    """

    _pieces: tuple[tuple[int, bytes], ...]
    _links: Mapping[str, bytes] = attrs.field(factory=dict)
    _counts: Mapping[int, int] = attrs.field(factory=dict)

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

    def counted(self, address: int) -> int | None:
        """Return how many elements the program in the kernel has counted at an address."""
        return self._counts.get(address)

    def netlink(self, _descriptor: int) -> int | None:
        """Return nothing: what kind of socket a descriptor stands for is not in a sample."""
        return None


@attrs.frozen
class Sampled:
    """What a sample knows of the target's memory before the call ran and when it had."""

    before: SampledMemory
    after: SampledMemory


def sampled(raw: bytes) -> Sampled:
    """Return what a sample has brought along."""
    pieces = tuple(_pieces(raw))
    returned = [piece for piece in pieces if not piece.kept & layout.GIVEN]
    given = (
        piece
        for piece in pieces
        if piece.kept & layout.GIVEN
        # Read at the exit, it may be what the call has written.
        and (piece.kept & layout.AT_ENTRY or not any(map(piece.overlaps, returned)))
    )
    at_exit = (piece for piece in pieces if piece.kept & layout.AT_EXIT)
    # The result may be a descriptor, too.
    return Sampled(
        _memory(given, dict(_links(raw, _LINKS_AT[:-1]))),
        _memory(at_exit, dict(_links(raw, _LINKS_AT))),
    )


def _memory(pieces: Iterable[_Piece], links: Mapping[str, bytes]) -> SampledMemory:
    plain: list[tuple[int, bytes]] = []
    counts = {}
    for piece in pieces:
        if piece.form in _COUNTS:
            (counts[piece.address],) = _COUNT.unpack(piece.data)
        else:
            plain.append((piece.address, piece.data))
    return SampledMemory(tuple(plain), links, counts)


def _pieces(raw: bytes) -> Iterator[_Piece]:
    at = _DATA_AT + layout.ROOT
    while at + _PIECE.size <= len(raw):
        address, length, _, _, form, kept = _PIECE.unpack_from(raw, at)
        begin = at + _PIECE.size
        at = begin + -(-length // _ALIGNMENT) * _ALIGNMENT
        # What was read early may have been cut where its place ended.
        if at <= len(raw):
            yield _Piece(address, raw[begin : begin + length], form, kept)


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
