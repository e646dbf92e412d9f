"""Tests of objects that people see as one."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.histogram import Histogram
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.views.budget.names import object_name
from syswatch.views.budget.objects import (
    costliest_objects,
    object_stat,
    objects,
    users_of,
    waits_of,
)
from syswatch.views.budget.verdict import verdict
from syswatch.views.object_builders import object_detail
from syswatch.views.record_builders import named_object

from .worlds import MS, Did, S, Thread, delta_of, snapshot_of, world


class GroupTests(SynchronousTestCase):
    """Tests of rows that stand for several objects."""

    def test_children(self) -> None:
        """The processes of one command are one row, and so are sleeps of any length."""
        cc1 = [ObjectInfo(ObjectKind.CHILD, f"cc1 ({pid})", pids=(pid,)) for pid in range(2, 42)]
        assembler = ObjectInfo(ObjectKind.CHILD, "as (50)")
        sleeps = [ObjectInfo(ObjectKind.SLEEP, name) for name in ("0.3 s", "2 s")]
        waits = [Did("wait4", child, waiting=500 * MS) for child in cc1]
        waits.append(Did("wait4", assembler, waiting=S))
        waits += [Did("nanosleep", sleep, waiting=S) for sleep in sleeps]
        snapshot = world(Thread(waits))
        found = costliest_objects(snapshot)

        self.assertEqual(
            [
                ("cc1, 40 processes", 20 * S, 40, 40),
                ("sleep: 2 durations", 2 * S, 2, 2),
                ("child as (50)", S, 1, 1),
            ],
            [
                (
                    object_name(row.info),
                    row.costs.blocked_ns,
                    row.costs.sums.count,
                    len(row.members),
                )
                for row in found
            ],
        )
        self.assertEqual(
            "cc1 (2), cc1 (3), cc1 (4), cc1 (5), cc1 (6) and 35 more", found[0].info.detail
        )
        self.assertEqual("0.3 s, 2 s", found[1].info.detail)
        self.assertEqual(43, len(objects(snapshot)))

    def test_child_before_its_exec(self) -> None:
        """A child that was named before its exec has the name of the command in every view."""
        before, after = (
            ObjectInfo(ObjectKind.CHILD, f"{comm} (2)", pids=(2,)) for comm in ("sh", "sort")
        )
        shell = Thread([Did("wait4", before, waiting=S), Did("wait4", after, waiting=S)], comm="sh")
        threads = [Thread(user=2 * S, pid=2, comm=comm) for comm in ("sort", "sorter")]
        snapshot = world(shell, *threads)
        found = costliest_objects(snapshot)

        self.assertEqual(["child sort (2)"], [object_name(row.info) for row in found])
        self.assertEqual([2 * S], [row.costs.blocked_ns for row in found])
        self.assertIn("for child process sort (2)", verdict(snapshot))
        names = [named_object(snapshot, child.id).name for child in (before, after)]
        self.assertEqual(["child sort (2)"] * 2, names)
        (row,) = objects(snapshot)
        self.assertEqual(("child sort (2)", 2), (object_name(row.info), row.costs.sums.count))

    def test_child_by_each_id(self) -> None:
        """By each of its IDs, such a child is found with all calls, waits and users."""
        shell, sort = (
            ObjectInfo(ObjectKind.CHILD, f"{comm} (2)", pids=(2,)) for comm in ("sh", "sort")
        )
        waits = [Did("vfork", shell, waiting=S), Did("wait4", sort, waiting=3 * S, waits=2)]
        parent = delta_of(Thread(waits, comm="sh"), Thread(user=2 * S, pid=2, comm="sort"))
        lengths = {each.id: Histogram({5: number}) for number, each in enumerate((shell, sort), 1)}
        snapshot = snapshot_of(attrs.evolve(parent, object_waits=lengths))

        for child in (shell, sort):
            stat = object_stat(snapshot, child.id)
            assert stat is not None
            self.assertEqual((child.id, 3), (stat.id, stat.costs.sums.count))
            self.assertEqual(3, waits_of(snapshot, stat).total)
            ((_, costs),) = users_of(snapshot, child.id).items()
            self.assertEqual(3, costs.sums.count)
            calls = object_detail(snapshot, stat).calls
            self.assertEqual(
                [("wait4", 2), ("vfork", 1)], [(each.name, each.count) for each in calls]
            )
            self.assertEqual({"blocked"}, {each.state for each in calls})
