"""Tests for syswatch.base.classes."""

import pickle

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.base.classes import define, frozen


@frozen
class Point:
    """What is compared, hashed and printed."""

    x: int
    y: int = 2


@frozen
class Spot(Point):
    """A point with one field more."""

    z: int = 3


@frozen
class Labelled:
    """What has a label that makes no difference."""

    number: int
    label: str = attrs.field(eq=False)


@frozen
class Empty:
    """What has no fields."""


@define(eq=False)
class Thing:
    """What is only equal to itself."""

    number: int


@frozen
class Refused(Exception):  # noqa: N818
    """An exception."""

    why: str


@frozen(order=True)
class Version:
    """What is ordered."""

    number: int


@define
class Node:
    """What may contain itself."""

    children: list["Node"] = attrs.field(factory=list)
    secret: str = attrs.field(default="s3cret", repr=False)
    later: int = attrs.field(init=False)


@frozen(repr=False)
class Token:
    """What must not be printed."""

    secret: str


@define
class Named:
    """What knows how it is printed."""

    name: str

    def __repr__(self) -> str:
        return f"<{self.name}>"


class ClassesTests(SynchronousTestCase):
    """`define` and `frozen` create what those of attrs do."""

    def test_repr(self) -> None:
        """An object is printed with its class and its fields."""
        self.assertEqual("Point(x=1, y=2)", repr(Point(1)))

    def test_fields(self) -> None:
        """A field that is hidden is not printed; one without a value may be."""
        self.assertEqual("Node(children=[], later=NOTHING)", repr(Node()))

    def test_recursion(self) -> None:
        """An object that contains itself is printed once."""
        node = Node()
        node.later = 3
        node.children.append(node)
        self.assertEqual("Node(children=[...], later=3)", repr(node))

    def test_own_repr(self) -> None:
        """A class may bring its own method, or none."""
        self.assertEqual("<me>", repr(Named("me")))
        self.assertNotIn("s3cret", repr(Token("s3cret")))

    def test_comparing(self) -> None:
        """Objects of one class with the same fields are equal; hidden fields are not compared."""
        self.assertEqual(Point(1), Point(1, 2))
        self.assertNotEqual(Point(1), Point(1, 3))
        self.assertNotEqual(Point(1), Spot(1))
        self.assertEqual(Labelled(1, "a"), Labelled(1, "b"))
        self.assertNotEqual(Labelled(1, "a"), Labelled(2, "a"))
        self.assertEqual(Empty(), Empty())
        self.assertNotEqual(Empty(), Point(1))

    def test_hash(self) -> None:
        """What cannot change can be a key; what can change cannot."""
        self.assertEqual({Point(1)}, {Point(1), Point(1, 2)})
        self.assertEqual(1, len({Labelled(1, "a"), Labelled(1, "b")}))
        self.assertEqual(1, len({Empty(), Empty()}))
        self.assertRaises(TypeError, hash, Named("me"))

    def test_identity(self) -> None:
        """What is not compared by its fields, and an exception, are only equal to themselves."""
        each = Thing(1)
        self.assertEqual(each, each)
        self.assertNotEqual(each, Thing(1))
        self.assertEqual(2, len({each, Thing(1)}))
        self.assertNotEqual(Refused("why"), Refused("why"))
        self.assertEqual("Refused(why='why')", repr(Refused("why")))

    def test_order(self) -> None:
        """What is ordered is compared by attrs."""
        self.assertLess(Version(1), Version(2))
        self.assertEqual(Version(1), Version(1))
        self.assertEqual(1, len({Version(1), Version(1)}))

    def test_subclass(self) -> None:
        """The fields of a superclass are compared and printed, too."""
        self.assertEqual("Spot(x=1, y=2, z=3)", repr(Spot(1)))
        self.assertNotEqual(Spot(1), Spot(2))
        self.assertNotEqual(Spot(1), Spot(1, z=4))

    def test_rest(self) -> None:
        """Slots, evolving and pickling are those of attrs."""
        self.assertEqual(Point(1), attrs.evolve(Point(3), x=1))
        self.assertFalse(hasattr(Point(1), "__dict__"))
        self.assertRaises(attrs.exceptions.FrozenInstanceError, setattr, Point(1), "x", 2)
        self.assertEqual(Point(1), pickle.loads(pickle.dumps(Point(1))))  # noqa: S301
