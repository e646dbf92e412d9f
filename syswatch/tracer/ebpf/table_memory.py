"""
The memory of a table, mapped as far as the table is used.

A mapped table counts as memory of this process with all of its pages, and most tables stay nearly
empty.  The program uses their entries in turn, so the used ones are at the beginning.
"""

from mmap import mmap

import attrs

from syswatch.base.classes import define

from .program import Program

# So small that a short trace maps little, and so large that it rarely maps more.
_FIRST_BYTES = 1 << 16


@define
class TableMemory:
    """Maps the first entries of a table, and more of them when they are asked for."""

    program: Program
    name: str
    # Of all entries.
    size: int
    _mapped: mmap = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map the beginning."""
        self._map(_FIRST_BYTES)

    def upto(self, end: int) -> mmap:
        """
        Return the memory, mapped at least up to this place, or to the end of the table.

        What was returned before stays valid: it is the same memory.
        """
        if len(self._mapped) < min(end, self.size):
            # Twice as much, so that a table that grows for long is mapped a few times only.
            self._map(max(end, 2 * len(self._mapped)))
        return self._mapped

    def part(self, begin: int, end: int) -> bytes:
        """Return a copy of the memory between two places."""
        return self.upto(end)[begin:end]

    def write(self, at: int, data: bytes) -> None:
        """Replace the memory at a place."""
        self.upto(at + len(data))[at : at + len(data)] = data

    def _map(self, size: int) -> None:
        self._mapped = self.program.mapped(self.name, min(size, self.size))
