"""How much of a table has been used since records of it were last freed."""

from typing import Protocol

import attrs

from syswatch.base.classes import define


class Table(Protocol):
    """A table of records that the program takes and a reading frees."""

    most: int

    def in_use(self) -> int:
        """Return how many records are not free."""


@define
class Room:
    """
    Compares a table with what it was after the last reading.

    Needed by what reads seldom: a thread that finds no free record is not counted on its own.
    """

    table: Table
    _in_use: int = attrs.field(default=0, init=False)

    def note(self) -> None:
        """Note that records have just been freed, as far as they can be."""
        self._in_use = self.table.in_use()

    @property
    def is_scarce(self) -> bool:
        """Return whether half of the records that were free then are in use now."""
        return 2 * (self.table.in_use() - self._in_use) > self.table.most - self._in_use
