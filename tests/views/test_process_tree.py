"""Tests of the process tree."""

from collections.abc import Mapping

from hypothesis import example, given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.process import ProcessTally
from syswatch.views.board import BoardQuery
from syswatch.views.process_tree import DEEPEST, process_tree
from syswatch.views.report.sections import processes as in_report

from .snapshots import snapshot_of

_PIDS = st.integers(0, 12)
# 1 and 2 are each other's parents, and 3 is a child of one of them.
_CYCLE = {1: 2, 2: 1, 3: 1}


def processes(parents: Mapping[int, int]) -> dict[int, ProcessTally]:
    """Return processes with these parents."""
    return {pid: ProcessTally(parent=parent, count=pid) for pid, parent in parents.items()}


class TreeTests(SynchronousTestCase):
    """Parents and children."""

    @given(st.dictionaries(_PIDS, _PIDS))
    @example(_CYCLE)
    def test_everybody_once(self, parents: dict[int, int]) -> None:
        """Every process occurs exactly once, whatever the parents are."""
        order = [pid for pid, _ in process_tree(processes(parents))]

        self.assertEqual(sorted(parents), sorted(order))

    @given(st.dictionaries(_PIDS, _PIDS))
    @example(_CYCLE)
    def test_below_parents(self, parents: dict[int, int]) -> None:
        """A process that is not a root follows its parent, one level deeper."""
        path: list[int] = []
        for pid, depth in process_tree(processes(parents)):
            self.assertLessEqual(depth, len(path))
            path[depth:] = [pid]
            if depth:
                self.assertEqual(parents[pid], path[depth - 1])

    @given(st.dictionaries(_PIDS, _PIDS))
    def test_tops(self, parents: dict[int, int]) -> None:
        """The roots are the processes without a known parent, and one of each cycle."""
        tops = {pid for pid, depth in process_tree(processes(parents)) if not depth}
        known = {pid: up for pid, up in parents.items() if up in parents and up != pid}
        self.assertLessEqual(parents.keys() - known.keys(), tops)
        for pid in tops & known.keys():
            above = [known[pid]]
            while above[-1] != pid and len(above) <= len(known):
                above.append(known[above[-1]])
            self.assertEqual({pid}, tops & set(above))

    def test_order(self) -> None:
        """Siblings are in the order of their PIDs."""
        found = process_tree(processes({9: 0, 2: 9, 10: 9, 3: 2, 1: 77}))

        self.assertEqual([(1, 0), (9, 0), (2, 1), (3, 2), (10, 1)], found)

    def test_deep(self) -> None:
        """A chain of thousands is shown, and not indented beyond the page."""
        found = process_tree(processes({pid: pid - 1 for pid in range(1, 5000)}))

        self.assertEqual((4999, DEEPEST), found[-1])

    def test_views(self) -> None:
        """Dashboard and report show a cycle in this order."""
        snapshot = snapshot_of(Delta(processes=processes(_CYCLE)))
        board = BoardQuery(parts=frozenset({"processes"}))(snapshot).processes

        assert isinstance(board, list)
        self.assertEqual([(1, 0), (2, 1), (3, 1)], [(each.pid, each.depth) for each in board])
        page = str(in_report(snapshot))
        self.assertEqual([1, 1, 1], [page.count(f"{pid} </td>") for pid in (1, 2, 3)])
