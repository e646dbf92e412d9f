"""Tests of forgetting objects, so that others have names."""

from itertools import count

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import ObjectKind, kind_of_other
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.descriptors import Descriptors, Found
from syswatch.tracer.objects.known import KnownObjects
from syswatch.tracer.ptrace.reuse import Reuse
from syswatch.tracer.ptrace.subjects import Subjects
from syswatch.tracer.ptrace.threads import Threads

LIMIT = 100
TID = 1 << 30


class ReuseTests(SynchronousTestCase):
    """A program that uses ever more objects."""

    def setUp(self) -> None:
        """Create the tables."""
        self.known = KnownObjects(LIMIT)
        self.descriptors = Descriptors(self.known)
        self.subjects = Subjects(self.descriptors, Threads())
        self.reuse = Reuse(self.subjects)
        self.names = count()

    def add(self, name: str) -> int:
        """Use a path; return its object."""
        return self.known.add(describe.path(name.encode()))

    def use_many(self) -> list[int]:
        """Use a quarter as many new objects as are kept."""
        return [self.add(f"/new/{next(self.names)}") for _ in range(LIMIT // 4)]

    def test_names(self) -> None:
        """What is used again and again, or open, keeps its name, and what is new gets one."""
        file = Found(describe.opened(b"/open"), path=b"/open")
        opened = self.descriptors.opened(TID, 3, file).object
        epoll = self.descriptors.opened(
            TID, 4, Found(describe.from_link(b"x:[1]", 4, describe.Owner(1)))
        )
        watched = self.descriptors.opened(TID, 5, Found(describe.pipe(7)))
        epoll.watch(5, watched)
        self.descriptors.table(TID).closed(5)
        for _ in range(20):
            often = self.add("/often")
            numbers = [*self.use_many(), often]
            self.assertTrue(all(kind_of_other(number) is None for number in numbers))
            described = self.known.take(numbers)
            self.assertLessEqual(set(numbers[:-1]), set(described))
            self.reuse.step(numbers)
            self.assertLessEqual(
                {often, opened, watched.object, epoll.object}, set(self.known.numbers)
            )
            self.assertLessEqual(len(self.known.numbers), LIMIT)
        self.assertEqual(0, self.known.take_untracked())

    def test_again(self) -> None:
        """A file that was forgotten is described again when it is opened again."""
        file = Found(describe.opened(b"/file"), path=b"/file")
        number = self.descriptors.opened(TID, 3, file).object
        self.descriptors.table(TID).closed(3)
        for _ in range(8):
            used = self.use_many()
            self.known.take(used)
            self.reuse.step(used)
        self.assertNotIn(number, self.known.numbers)
        self.assertEqual(number, self.descriptors.opened(TID, 3, file).object)
        self.assertIs(ObjectKind.FILE, self.known.take([number])[number].kind)

    def test_burst(self) -> None:
        """Objects that were used since the last step are not forgotten, however many they are."""
        used = [self.add(f"/{number}") for number in range(2 * LIMIT)]
        self.reuse.step(used)
        self.assertEqual(LIMIT, len(self.known.numbers))
        self.assertEqual(LIMIT, self.known.take_untracked())
