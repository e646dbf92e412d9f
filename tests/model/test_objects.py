"""Tests of objects: what identifies them, and how descriptions are merged."""

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import (
    NO_OBJECT,
    ObjectInfo,
    ObjectKind,
    Side,
    kind_of_other,
    object_id,
    other_object,
)
from tests.strategies import kinds, object_infos, pids, texts

# Descriptions of the same object: of the same name, and of kinds that share names.
_ABOUT_ONE = object_infos.map(
    lambda info: attrs.evolve(
        info,
        name="/etc/hosts",
        kind=info.kind if info.kind.namespace == "path" else ObjectKind.FILE,
    )
)


class IDTests(SynchronousTestCase):
    """IDs of objects."""

    @given(kinds, texts)
    def test_exact_in_json(self, kind: ObjectKind, name: str) -> None:
        """Every reader of JSON holds an ID exactly, and it is one of those of named objects."""
        number = object_id(kind, name)

        self.assertEqual(number, int(float(number)))
        self.assertLess(number, 1 << 53)
        self.assertEqual(kind if not name else None, kind_of_other(number))

    def test_same_everywhere(self) -> None:
        """An ID is part of recordings, so it never changes."""
        self.assertEqual(0x2F17706B118D1, object_id(ObjectKind.TCP, "10.0.0.5:5432"))

    def test_namespaces(self) -> None:
        """A path is one object, whatever it is; other kinds have names of their own."""
        paths = {object_id(kind, "/a") for kind in ObjectKind if kind.namespace == "path"}
        every = {object_id(kind, "/a") for kind in ObjectKind}

        self.assertEqual(1, len(paths))
        self.assertEqual(len({kind.namespace for kind in ObjectKind}), len(every))

    def test_others(self) -> None:
        """The objects that stand for all others of a kind are distinct, and fewer than 32."""
        numbers = [other_object(kind) for kind in ObjectKind]

        self.assertEqual(NO_OBJECT, other_object(ObjectKind.NONE))
        self.assertEqual(len(ObjectKind), len(set(numbers)))
        self.assertLess(max(numbers), 32)
        self.assertEqual(list(ObjectKind), [kind_of_other(number) for number in numbers])

    def test_undecodable_name(self) -> None:
        """A name with bytes that are not text has an ID, too."""
        self.assertNotEqual(
            object_id(ObjectKind.FILE, "/\udcff"), object_id(ObjectKind.FILE, "/\udcfe")
        )


class MergeTests(SynchronousTestCase):
    """Descriptions of one object from several sources."""

    @given(_ABOUT_ONE, _ABOUT_ONE)
    def test_commutative(self, one: ObjectInfo, two: ObjectInfo) -> None:
        """Which description comes first does not matter."""
        self.assertEqual(one + two, two + one)

    @given(_ABOUT_ONE, _ABOUT_ONE, _ABOUT_ONE)
    def test_associative(self, one: ObjectInfo, two: ObjectInfo, three: ObjectInfo) -> None:
        """It does not matter where descriptions are merged."""
        self.assertEqual((one + two) + three, one + (two + three))

    @given(_ABOUT_ONE)
    def test_idempotent(self, info: ObjectInfo) -> None:
        """A description that arrives twice changes nothing."""
        self.assertEqual(info, info + info)

    @given(_ABOUT_ONE, _ABOUT_ONE)
    def test_identity(self, one: ObjectInfo, two: ObjectInfo) -> None:
        """The merged description is of the same object."""
        self.assertEqual(one.id, (one + two).id)

    def test_more_certain_kind(self) -> None:
        """What is known to be a file is not only a path."""
        path = ObjectInfo(ObjectKind.PATH, "/a")

        self.assertEqual(ObjectKind.DIRECTORY, (path + ObjectInfo(ObjectKind.DIRECTORY, "/a")).kind)

    def test_known_facts(self) -> None:
        """Facts that only one side knows are kept."""
        one = ObjectInfo(ObjectKind.TCP, "a:80", local="b:1", side=Side.CLIENT)
        two = ObjectInfo(ObjectKind.TCP, "a:80", service="http", host="a.example", pids=(7,))

        self.assertEqual(
            ObjectInfo(ObjectKind.TCP, "a:80", "", "b:1", "http", "a.example", Side.CLIENT, (7,)),
            one + two,
        )

    @given(st.lists(st.lists(pids, max_size=30), min_size=2, max_size=4))
    def test_bounded_processes(self, lists: list[list[int]]) -> None:
        """The lowest PIDs are kept, whatever the order."""
        merged = ObjectInfo(ObjectKind.PIPE, "pipe [1]")
        for each in lists:
            merged += ObjectInfo(ObjectKind.PIPE, "pipe [1]", pids=tuple(sorted(set(each))[:16]))

        self.assertEqual(tuple(sorted({pid for each in lists for pid in each})[:16]), merged.pids)
