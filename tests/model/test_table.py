"""Tests of bounded tables: cutting loses rows, but nothing of the sums."""

from collections.abc import Iterable, Mapping
from functools import reduce

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ACTIVITY, ActivityKey, Sums, _coarser
from syswatch.model.table import Table
from tests.strategies import sums

_LIMIT = 8
_TABLE: Table[ActivityKey, Sums] = attrs.evolve(ACTIVITY, limit=_LIMIT)
_few = st.integers(1, 4)
_keys = st.builds(ActivityKey, _few, _few, st.integers(0, 1), st.sampled_from(["read", "write"]))
_tables = st.dictionaries(_keys, sums, max_size=12)


def _total(rows: Iterable[Sums]) -> Sums:
    return sum(rows, start=Sums())


def _by(table: Mapping[ActivityKey, Sums], name: str) -> Mapping[object, Sums]:
    groups: dict[object, Sums] = {}
    for key, row in table.items():
        group = getattr(key, name)
        groups[group] = groups.get(group, Sums()) + row
    return groups


class TableTests(SynchronousTestCase):
    """Tables that were cut."""

    @given(st.lists(_tables, min_size=1, max_size=4))
    def test_sums(self, tables: list[Mapping[ActivityKey, Sums]]) -> None:
        """The sum of every column is the same as without a limit."""
        added = reduce(_TABLE.sum, tables)

        self.assertEqual(
            _total(row for table in tables for row in table.values()), _total(added.values())
        )

    @given(st.lists(_tables, min_size=1, max_size=4))
    def test_groups(self, tables: list[Mapping[ActivityKey, Sums]]) -> None:
        """So is every column by call and by object, because threads and processes are cut first."""
        added = reduce(_TABLE.sum, tables)

        unlimited: Table[ActivityKey, Sums] = Table(
            10**6, Sums.__add__, _coarser, lambda row: row.total_ns
        )
        whole = reduce(unlimited.sum, tables)
        for name in ("call", "object"):
            self.assertEqual(_by(whole, name), _by(added, name))

    @given(_tables, _tables, _tables)
    def test_any_order(
        self,
        one: Mapping[ActivityKey, Sums],
        two: Mapping[ActivityKey, Sums],
        three: Mapping[ActivityKey, Sums],
    ) -> None:
        """The order and the place of additions change which rows are kept, but no sum."""
        left = _TABLE.sum(_TABLE.sum(one, two), three)
        right = _TABLE.sum(three, _TABLE.sum(two, one))

        self.assertEqual(_total(left.values()), _total(right.values()))
        self.assertEqual(_by(left, "call"), _by(right, "call"))

    @given(_tables, _tables)
    def test_bounded(
        self, one: Mapping[ActivityKey, Sums], two: Mapping[ActivityKey, Sums]
    ) -> None:
        """A sum has no more rows than the limit, unless no row is coarser than those left."""
        added = _TABLE.sum(one, two)

        coarsest = sum(key.pid == 0 == key.tid for key in added)
        self.assertTrue(len(added) <= _LIMIT or coarsest == len(added), added)

    def test_cheapest_first(self) -> None:
        """The costliest rows are kept."""
        rows = {
            ActivityKey(1, tid, 0, "read"): Sums(count=1, working_ns=tid) for tid in range(1, 10)
        }

        cut = _TABLE.sum(rows, {ActivityKey(1, 10, 0, "read"): Sums(count=1, working_ns=10)})

        self.assertLessEqual(len(cut), 6)
        self.assertIn(ActivityKey(1, 10, 0, "read"), cut)
        self.assertEqual(Sums(count=10, working_ns=55), _total(cut.values()))
        self.assertIn(ActivityKey(1, 0, 0, "read"), cut)

    def test_one_thread_each(self) -> None:
        """A row that is alone with its coarser key is moved on while it is among the cheapest."""
        rows = {ActivityKey(pid, pid, 0, "read"): Sums(1, working_ns=pid) for pid in range(1, 10)}

        cut = _TABLE.cut(rows)

        self.assertEqual(
            {
                ActivityKey(0, 0, 0, "read"): Sums(4, working_ns=10),
                **{key: row for key, row in rows.items() if key.pid > 4},
            },
            cut,
        )

    def test_nothing_in_common(self) -> None:
        """Rows that no other would be added to keep their keys, since nothing would be gained."""
        rows = {ActivityKey(1, 2, number, "read"): Sums(1) for number in range(2 * _LIMIT)}
        self.assertEqual(rows, _TABLE.cut(rows))

    def test_grown_rows_stay(self) -> None:
        """A row that others were added to is not the cheapest any more."""
        rows = {
            ActivityKey(1, 0, 0, "read"): Sums(1, working_ns=5),
            **{ActivityKey(1, tid, 0, "read"): Sums(1, working_ns=1) for tid in range(1, 4)},
            **{ActivityKey(2, tid, 0, "read"): Sums(1, working_ns=9) for tid in range(1, 6)},
        }

        cut = _TABLE.cut(rows)

        self.assertEqual(Sums(4, working_ns=8), cut[ActivityKey(1, 0, 0, "read")])
