"""What the rows of the tables are about."""

from mmap import mmap

import attrs

from . import layout
from .calls import OTHERS, Call, describe, describe_unlisted
from .program import Program

_NUMBER = 8


@attrs.define
class Rows:
    """Describes rows; the program has written down which calls those are that were in no table."""

    program: Program
    _numbers: mmap = attrs.field(init=False)
    _known: dict[int, Call] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Map what is read."""
        self._numbers = self.program.mapped("numbers", _NUMBER * layout.UNLISTED)

    def describe(self, row: int) -> Call:
        """Return what a row is about."""
        known = self._known.get(row)
        if known is None:
            known = self._known[row] = self._describe(row)
        return known

    def _describe(self, row: int) -> Call:
        if row < layout.STRANGE:
            return describe(row)
        if row == layout.OTHERS:
            return OTHERS
        at = _NUMBER * (row - layout.STRANGE)
        return describe_unlisted(int.from_bytes(self._numbers[at : at + _NUMBER], "little"))
