"""Tests of activity: rows by thread, object and call, and the limit on objects."""

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model import activity, delta
from syswatch.model.activity import (
    ActivityKey,
    Sums,
    by_object,
    kind_of,
    objects_beyond_limit,
    rename_objects,
)
from syswatch.model.delta import Delta
from syswatch.model.histogram import Histogram
from syswatch.model.objects import ObjectInfo, ObjectKind, kind_of_other, other_object
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import Timeline
from tests.strategies import activities, sums

_kinds = st.sampled_from([ObjectKind.FILE, ObjectKind.TCP, ObjectKind.FUTEX])
_infos = st.builds(ObjectInfo, _kinds, st.integers(0, 30).map(lambda number: f"name {number}"))


@st.composite
def _observed(draw: st.DrawFn) -> Delta:
    """Draw a delta whose rows are all about objects that it describes."""
    infos = draw(st.lists(_infos, max_size=8))
    rows = {ActivityKey(1, 1, info.id, "read"): draw(sums) for info in infos}
    waiting = {Wait(info.id, "read"): draw(st.integers(0, 100)) for info in infos}
    times = ThreadTimes(waiting=waiting)
    return Delta(
        activity=rows,
        objects={info.id: info for info in infos},
        object_waits={info.id: Histogram.of([draw(st.integers(0, 99))]) for info in infos},
        threads={1: ThreadTally(1, "a", times)},
        timeline=Timeline({1: {1: times}}) if infos else Timeline(),
    )


class SumsTests(SynchronousTestCase):
    """Sums over calls."""

    @given(sums, sums, sums)
    def test_addition(self, one: Sums, two: Sums, three: Sums) -> None:
        """Rows are added in any order, and the whole is the sum of its parts."""
        self.assertEqual((one + two) + three, three + (two + one))
        self.assertEqual(one, one + Sums())
        self.assertEqual((one + two).total_ns, one.total_ns + two.total_ns)


class ActivityTests(SynchronousTestCase):
    """Rows of all threads and objects."""

    @given(activities)
    def test_by_object(self, rows: activity.Activity) -> None:
        """Grouping by object keeps every sum."""
        self.assertEqual(
            sum(rows.values(), start=Sums()), sum(by_object(rows).values(), start=Sums())
        )

    @given(activities)
    def test_renaming(self, rows: activity.Activity) -> None:
        """Rows of objects that become one are added."""
        one = rename_objects(rows, {key.object: 1 for key in rows})

        self.assertEqual(sum(rows.values(), start=Sums()), sum(one.values(), start=Sums()))
        self.assertLessEqual({key.object for key in one}, {1})

    def test_kinds(self) -> None:
        """The kind of an object is that of its description, or of all others of its kind."""
        file = ObjectInfo(ObjectKind.FILE, "/a")

        self.assertIs(ObjectKind.FILE, kind_of(file.id, {file.id: file}))
        self.assertIs(ObjectKind.TCP, kind_of(other_object(ObjectKind.TCP), {}))
        self.assertIs(ObjectKind.NONE, kind_of(file.id, {}))


class LimitTests(SynchronousTestCase):
    """More objects than are tracked."""

    def setUp(self) -> None:
        """Track a few objects only."""
        for module in (activity, delta):
            mock = patch.object(module, "TRACKED_OBJECTS", 8)
            mock.start()
            self.addCleanup(mock.stop)

    @given(st.lists(_observed(), min_size=1, max_size=5))
    def test_sums_by_kind(self, deltas: list[Delta]) -> None:
        """What is cut belongs to all others of its kind, so that the sums by kind stay exact."""
        total = sum(deltas, start=Delta())
        infos = {number: info for each in deltas for number, info in each.objects.items()}

        for kind in ObjectKind:
            expected = [
                row
                for each in deltas
                for key, row in each.activity.items()
                if infos[key.object].kind is kind
            ]
            found = [
                row
                for key, row in total.activity.items()
                if kind_of(key.object, total.objects) is kind
            ]
            self.assertEqual(sum(expected, start=Sums()), sum(found, start=Sums()))

    @given(st.lists(_observed(), min_size=1, max_size=5))
    def test_waits(self, deltas: list[Delta]) -> None:
        """The waits of threads, of intervals and in histograms follow the rows."""
        total = sum(deltas, start=Delta())

        spent = sum(each.threads[1].times.waiting_ns for each in deltas)
        self.assertEqual(spent, total.threads[1].times.waiting_ns)
        threads = [times for each in total.timeline.bins.values() for times in each.values()]
        self.assertEqual(spent, sum(times.waiting_ns for times in threads))
        self.assertEqual(
            sum(each.total for delta in deltas for each in delta.object_waits.values()),
            sum(each.total for each in total.object_waits.values()),
        )
        known = {*total.objects, *(other_object(kind) for kind in ObjectKind)}
        waits = {wait.object for wait in total.threads[1].times.waiting}
        self.assertLessEqual({*waits, *total.object_waits}, known)

    @given(st.lists(_observed(), min_size=1, max_size=5))
    def test_bounded(self, deltas: list[Delta]) -> None:
        """There are no more objects than the limit, and the ledger counts those that were cut."""
        total = sum(deltas, start=Delta())

        self.assertLessEqual(len(total.objects), 8)
        seen = {number for each in deltas for number in each.objects}
        # An object that appears again after it was cut is counted again.
        self.assertGreaterEqual(total.ledger.untracked_objects, len(seen) - len(total.objects))
        self.assertTrue(total.ledger.is_lossless)

    def test_cheapest_first(self) -> None:
        """The objects that cost most time are kept, those that stand for others always."""
        infos = {
            each.id: each
            for each in (ObjectInfo(ObjectKind.FILE, f"/{number}") for number in range(9))
        }
        rows = {
            ActivityKey(1, 1, number, "read"): Sums(working_ns=place)
            for place, number in enumerate(infos)
        }

        cut = objects_beyond_limit(rows, infos)

        self.assertEqual([*infos][:3], [*cut])
        self.assertEqual({other_object(ObjectKind.FILE)}, set(cut.values()))
        self.assertTrue(all(kind_of_other(each) is None for each in cut))
