"""Tests of how much of a table has been used since its records were last freed."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.ebpf.room import Room


@attrs.define
class FakeTable:
    """A table of ten records."""

    used: int = 0
    most: int = 10

    def in_use(self) -> int:
        """Return how many records are in use."""
        return self.used


class RoomTests(SynchronousTestCase):
    """Half of what was free."""

    def setUp(self) -> None:
        """Create an empty table."""
        self.table = FakeTable()
        self.room = Room(self.table)
        self.room.note()

    def scarce(self, used: int) -> bool:
        """Return whether there is little room if so many records are in use."""
        self.table.used = used
        return self.room.is_scarce

    def test_empty(self) -> None:
        """Half of an empty table may be used."""
        self.assertFalse(self.scarce(5))
        self.assertTrue(self.scarce(6))

    def test_partly_used(self) -> None:
        """What is in use after everything was read cannot be freed by reading it again."""
        self.table.used = 6
        self.room.note()
        self.assertFalse(self.scarce(8))
        self.assertTrue(self.scarce(9))
        self.assertFalse(self.scarce(2))

    def test_full(self) -> None:
        """A table that stays full is not read all the time."""
        self.table.used = 10
        self.room.note()
        self.assertFalse(self.room.is_scarce)
