"""Tests of comparisons with a run that has not ended."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.changes import Comparison, changes
from syswatch.comparison.facts import Counts, ProcessFacts
from syswatch.comparison.run import Kind
from syswatch.comparison.unfinished import without_missing
from syswatch.model.objects import ObjectKind

from .made import MISSING, MS, Program, program, with_object


def _so_far(after: Program) -> Comparison:
    found = changes([program().run(f"before {n}") for n in range(3)], [after.run("after")])
    return without_missing(found, "still running")


class UnfinishedTests(SynchronousTestCase):
    """A run of which some is missing."""

    def test_begun(self) -> None:
        """What is missing so far is no change, and neither is that processes are running."""
        half = Program(others={"getppid": 1}, processes=(ProcessFacts("app", ""),), ending="")
        found = _so_far(half)
        self.assertEqual(((), ()), (found.changes, found.findings))
        self.assertEqual("still running", found.notes[0])

    def test_more(self) -> None:
        """What is new, or is more already, is a change."""
        after = with_object(
            Program(others={"getppid": 9}, processes=(ProcessFacts("app", ""),)),
            ObjectKind.PATH,
            "/etc/app/extra.conf",
            MISSING,
        )
        after = attrs.evolve(after, errnos={"openat": {"ENOENT": 1}})
        found = _so_far(after)
        self.assertEqual(
            ["+1 failing openat of /etc/app/extra.conf: 0 → 1", "+8 calls of getppid: 1 → 9"],
            [each.text for each in found.findings],
        )
        self.assertTrue(all(each.difference > 0 for each in found.changes))

    def test_faster(self) -> None:
        """The typical duration of a call is known before the end, whether it rose or fell."""
        after = attrs.evolve(program(), durations={"fsync": [MS] * 60})
        (found,) = _so_far(after).changes
        self.assertEqual((Kind.CALL, "fsync"), (found.subject.kind, found.subject.name))
        self.assertLess(found.difference, 0)

    def test_reason(self) -> None:
        """Reasons are given as for a run that has ended."""
        did = {"read": Counts(60, 0, 1 << 20)}
        before = with_object(
            program(), ObjectKind.FILE, "/srv/data", {"read": Counts(6, 0, 1 << 20)}
        )
        after = with_object(program(), ObjectKind.FILE, "/srv/data", did)
        found = without_missing(changes([before.run()], [after.run()]), "still running")
        self.assertIn("the same 1 MiB in smaller pieces", found.findings[0].explanation)
