"""Tests that arrays of Arrow hold what arrays of numpy do."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from syswatch.recording.arrays import array_of, nothing, texts_without
from syswatch.recording.extra import load


class ArrayTests(SynchronousTestCase):
    """Arrays of each kind, of lengths that fill no whole byte of bits."""

    def setUp(self) -> None:
        """Load the packages."""
        self.numpy, self.arrow = load("numpy"), load("pyarrow")

    def assert_same(self, expected: Any, found: Any) -> None:
        """Compare types and values, and check the array itself."""
        found.validate(full=True)
        self.assertTrue(expected.equals(found), (expected, found))

    def test_values(self) -> None:
        """An array has the values, without those that are missing."""
        for count in (0, 1, 8, 11):
            missing = self.numpy.arange(count) % 3 == 1
            for kind in ("i2", "i4", "i8", "u8", "?"):
                values = self.numpy.arange(count).astype(kind)
                self.assert_same(self.arrow.array(values), array_of(values))
                expected = self.arrow.array(values, mask=missing)
                self.assert_same(expected, array_of(values, missing))

    def test_strided(self) -> None:
        """A column of an array of records is copied."""
        records = self.numpy.zeros(9, [("a", "u8"), ("b", "u4")])
        records["a"] = range(9)
        self.assert_same(self.arrow.array(list(range(9)), "uint64"), array_of(records["a"]))

    def test_kind(self) -> None:
        """Numbers may be those of another type."""
        kind = self.arrow.timestamp("ns", tz="UTC")
        values = self.numpy.array([1, 2], "i8")
        self.assert_same(self.arrow.array(values).cast(kind), array_of(values, kind=kind))

    def test_texts(self) -> None:
        """Texts can be removed."""
        texts = self.arrow.array(["a", "", "ccc"], "string")
        missing = self.numpy.array([False, True, True])
        self.assert_same(self.arrow.array(["a", None, None]), texts_without(texts, missing))

    def test_nothing(self) -> None:
        """Missing values have a type and a number."""
        for count in (0, 1, 9):
            for kind in (self.arrow.int16(), self.arrow.uint64()):
                self.assert_same(self.arrow.nulls(count, kind), nothing(count, kind))
