"""Tests of the objects that a tracer keeps."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import ObjectInfo, ObjectKind, other_object
from syswatch.tracer.objects.known import KnownObjects

_FIRST, _SECOND, _THIRD = (ObjectInfo(ObjectKind.FILE, name) for name in ("/a", "/b", "/c"))


class KnownObjectsTests(SynchronousTestCase):
    """What is kept, and what is described."""

    def test_limit(self) -> None:
        """Beyond the limit, an object is one of the others, until another one is forgotten."""
        known = KnownObjects(limit=2)
        first, _ = map(known.add, (_FIRST, _SECOND))
        self.assertEqual(other_object(ObjectKind.FILE), known.add(_THIRD))
        self.assertEqual(1, known.take_untracked())
        known.forget([first])

        self.assertEqual(_THIRD.id, known.add(_THIRD))
        self.assertEqual(0, known.take_untracked())

    def test_described_again(self) -> None:
        """Once something was forgotten, what is used is described every time."""
        known = KnownObjects()
        first, second = map(known.add, (_FIRST, _SECOND))
        self.assertEqual({first: _FIRST, second: _SECOND}, known.take())
        self.assertEqual({}, known.take([first, second]))
        known.forget([first])

        self.assertEqual({second: _SECOND}, known.take([first, second]))
