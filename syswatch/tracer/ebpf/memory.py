"""The memory and the open files of the target, as far as a sample contains them."""

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import attrs

from syswatch.base.classes import frozen

from . import layout

# Files without a path are named after their file system, known by its magic number.
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
    """A descriptor and its file, without the components of the path."""

    descriptor: int
    state: int
    mode: int
    length: int
    file_system: int
    number: int


class _Piece(NamedTuple):
    """A piece of memory that was read at once."""

    address: int
    data: bytes
    form: int
    kept: int

    def overlaps(self, other: "_Piece") -> bool:
        """Return whether both pieces contain some of the same bytes."""
        return self.address < other.address + len(
            other.data
        ) and other.address < self.address + len(self.data)


@frozen
class SampledMemory:
    """
    Memory as it was at the entry to a call or at its exit.

    Nothing else is read: the target may have changed its memory since, and a wrong text is worse
    than an address.
    """

    _pieces: tuple[tuple[int, bytes], ...]
    _links: Mapping[str, bytes] = attrs.field(factory=dict)
    _counts: Mapping[int, int] = attrs.field(factory=dict)

    def read(self, address: int, length: int) -> bytes:
        """Return the bytes at an address, fewer than requested where the sample ends."""
        for begin, data in self._pieces:
            if begin <= address < begin + len(data):
                return data[address - begin : address - begin + length]
        return b""

    def string(self, address: int, limit: int) -> bytes | None:
        """
        Return the bytes before a NUL, at most `limit`; None if they are not known.

        An incomplete text is None, too, because it would look like a complete one.
        """
        data = self.read(address, limit)
        text, nul, _ = data.partition(b"\0")
        return text if nul or len(data) == limit else None

    def link(self, name: str) -> bytes:
        """Return the target of a link in the process's /proc directory; empty if unknown."""
        return self._links.get(name, b"")

    def counted(self, address: int) -> int | None:
        """Return how many elements the program has counted at an address."""
        return self._counts.get(address)

    def netlink(self, _descriptor: int) -> int | None:
        """Return None: a sample does not contain the kind of a socket."""
        return None


@frozen
class Sampled:
    """The target's memory before and after a call."""

    before: SampledMemory
    after: SampledMemory


def sampled(raw: bytes) -> Sampled:
    """Return the memory in a sample."""
    pieces = tuple(_pieces(raw))
    returned = [piece for piece in pieces if not piece.kept & layout.GIVEN]
    given = (
        piece
        for piece in pieces
        if piece.kept & layout.GIVEN
        # If it was read at the exit, the call may have written it.
        and (piece.kept & layout.AT_ENTRY or not any(map(piece.overlaps, returned)))
    )
    at_exit = (piece for piece in pieces if piece.kept & layout.AT_EXIT)
    # The result may also be a descriptor.
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
        # A piece that was read at the entry may be truncated at the end of its buffer.
        if at <= len(raw):
            yield _Piece(address, raw[begin : begin + length], form, kept)


def _links(raw: bytes, places: Iterable[int]) -> Iterator[tuple[str, bytes]]:
    for at in places:
        link = _Link(*_LINK.unpack_from(raw, at))
        if link.mode:
            text = raw[at + _LINK.size : at + _LINK.size + link.length]
            name = "cwd" if link.descriptor == layout.WORKING_FOLDER else f"fd/{link.descriptor}"
            yield name, _target(link, text.split(b"\0")[:-1])


def link_target(raw: bytes) -> bytes:
    """Return what readlink() would have returned for a `struct link`; empty for none."""
    link = _Link(*_LINK.unpack_from(raw))
    if not link.mode:
        return b""
    return _target(link, raw[_LINK.size : _LINK.size + link.length].split(b"\0")[:-1])


def _target(link: _Link, parts: list[bytes]) -> bytes:
    """Return what readlink() would have returned."""
    if link.state & layout.LINK_NOWHERE:
        return _unlinked(link, parts[0])
    # Components above those that fitted are not known.
    start = b"/" if link.state & layout.LINK_WHOLE else b".../"
    path = start + b"/".join(reversed(parts))
    return path + (_DELETED if link.state & layout.LINK_DELETED else b"")


def _unlinked(link: _Link, name: bytes) -> bytes:
    if link.file_system in _NUMBERED:
        return _NUMBERED[link.file_system] % link.number
    if link.file_system == _ANONYMOUS:
        return b"anon_inode:" + name
    if link.file_system == _PROCESSES:
        return b"anon_inode:[pidfd]"
    return b"/" + name + _DELETED if link.file_system == _MEMORY else b""
