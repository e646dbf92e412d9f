"""Tests of the classes of system calls in filters."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.catalog import class_names, in_class
from syswatch.model.catalog.entries import lookup


class ClassTests(SynchronousTestCase):
    """The classes of calls that filters name."""

    def test_examples(self) -> None:
        """Classes have the expected calls."""
        self.assertEqual({"stat", "stat64", "oldstat"}, in_class("stat"))
        self.assertIn("openat", in_class("file"))
        self.assertIn("read", in_class("desc"))
        self.assertNotIn("read", in_class("file"))
        self.assertIn("getpid", in_class("pure"))

    def test_alias(self) -> None:
        """The network class has a short name."""
        self.assertEqual(in_class("network"), in_class("net"))

    def test_sums(self) -> None:
        """A doubled % sign selects the larger class."""
        self.assertEqual(
            in_class("stat") | in_class("lstat") | in_class("fstat"), in_class("%stat")
        )
        self.assertEqual(in_class("statfs") | in_class("fstatfs") | {"ustat"}, in_class("%statfs"))

    def test_unknown(self) -> None:
        """A class that does not exist is an error."""
        self.assertRaises(KeyError, in_class, "cheese")

    def test_members_are_known(self) -> None:
        """Every class has members, and all of them are calls."""
        for class_name in class_names():
            self.assertNotEqual(frozenset(), in_class(class_name), class_name)
            for name in in_class(class_name):
                self.assertIsNotNone(lookup(name), name)
