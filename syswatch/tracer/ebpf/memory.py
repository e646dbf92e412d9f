"""What a sample has brought along of the target: pieces of its memory, and its open files."""

from collections.abc import Iterable, Iterator, Mapping

import attrs

from . import layout

# Files that are in no folder are called after their file system, by its magic number.
_NUMBERED = {0x534F434B: b"socket:[%d]", 0x50495045: b"pipe:[%d]"}
_ANONYMOUS = 0x09041934
_PROCESSES = 0x50494446
_MEMORY = 0x01021994
_DELETED = b" (deleted)"


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
    def before(cls, given: layout.Given) -> "SampledMemory":
        """Return what is known of a call's arguments."""
        return cls(tuple(_pieces(given.memory)), dict(_links(given.links[:-1])))

    def after(self, given: layout.Given) -> "SampledMemory":
        """Return what is known when it has returned: its result may be a descriptor."""
        return attrs.evolve(self, links={**self._links, **dict(_links(given.links[-1:]))})

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


def _pieces(memory: layout.Memory) -> Iterator[tuple[int, bytes]]:
    for chunk in (*memory.chunks, *memory.pieces):
        if chunk.length:
            data = bytes(chunk.bytes[: chunk.length])
            # A text that fills its place has been cut there: the NUL is not its own.
            whole = chunk.length < len(chunk.bytes) or data[-1]
            yield chunk.address, data if whole else data[:-1]


def _links(links: Iterable[layout.Link]) -> Iterator[tuple[str, bytes]]:
    for link in links:
        if link.mode:
            name = "cwd" if link.descriptor == layout.WORKING_FOLDER else f"fd/{link.descriptor}"
            yield name, _target(link)


def _target(link: layout.Link) -> bytes:
    """Return what readlink() would have said."""
    parts = bytes(link.text[: link.length]).split(b"\0")[:-1]
    if link.state & layout.LINK_NOWHERE:
        return _nowhere(link, parts[0])
    # What lies above the parts that had room is not known.
    start = b"/" if link.state & layout.LINK_WHOLE else b".../"
    path = start + b"/".join(reversed(parts))
    return path + (_DELETED if link.state & layout.LINK_DELETED else b"")


def _nowhere(link: layout.Link, name: bytes) -> bytes:
    if link.file_system in _NUMBERED:
        return _NUMBERED[link.file_system] % int(link.number)
    if link.file_system == _ANONYMOUS:
        return b"anon_inode:" + name
    if link.file_system == _PROCESSES:
        return b"anon_inode:[pidfd]"
    return b"/" + name + _DELETED if link.file_system == _MEMORY else b""
