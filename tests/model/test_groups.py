"""Tests of groups of processes in deltas."""

from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import NO_SUMS, Sums
from syswatch.model.aggregator import Aggregator
from syswatch.model.delta import Delta, Span
from syswatch.model.grouping import TRACKED_GROUPS
from syswatch.model.groups import (
    OTHER_GROUPS,
    GroupInfo,
    GroupKey,
    GroupKind,
    by_group,
)
from syswatch.model.histogram import Histogram
from syswatch.model.times import SECOND_NS
from tests.strategies import deltas

_WEB, _DB = GroupKey("docker:web", "read"), GroupKey("docker:db", "write")


def _info(name: str, identity: str = "") -> GroupInfo:
    return GroupInfo(GroupKind.CONTAINER, name, id=identity, lives=1)


class GroupTests(SynchronousTestCase):
    """Addition."""

    @given(deltas, deltas)
    def test_sums(self, left: Delta, right: Delta) -> None:
        """Whatever is added, no call of a group is lost."""
        total = sum((left + right).groups.values(), NO_SUMS)
        parts = sum((*left.groups.values(), *right.groups.values()), NO_SUMS)
        self.assertEqual(parts, total)

    def test_restart(self) -> None:
        """A container that was restarted continues its row; what is known is of the newest one."""
        first = Delta(groups={_WEB: Sums(3)}, group_infos={"docker:web": _info("web", "a")})
        second = Delta(groups={_WEB: Sums(4)}, group_infos={"docker:web": _info("web", "b")})
        total = first + second + Delta(groups={_WEB: Sums(5)})
        self.assertEqual({_WEB: Sums(12)}, total.groups)
        info = total.group_infos["docker:web"]
        self.assertEqual(("web", "b", 2), (info.name, info.id, info.lives))

    def test_limit(self) -> None:
        """The groups beyond the limit are added to the others, with all of their calls."""
        most = TRACKED_GROUPS
        full = Delta(
            groups={GroupKey(str(each), "read"): Sums(each + 1) for each in range(most)},
            group_infos={str(each): _info(str(each)) for each in range(most)},
            group_times={str(each): Histogram({7: each + 1}) for each in range(most)},
        )
        total = full + Delta(groups={_DB: Sums(9)}, group_infos={_DB.group: _info("db")})
        kept, sums = int(most * 0.75), by_group(total.groups)
        self.assertEqual(kept, len(total.group_infos))
        self.assertEqual({*total.group_infos, OTHER_GROUPS}, set(sums))
        calls = most * (most + 1) // 2
        self.assertEqual(calls + 9, sum(each.count for each in sums.values()))
        self.assertEqual(calls, sum(each.total for each in total.group_times.values()))
        self.assertEqual(sums[OTHER_GROUPS].count, total.ledger.ungrouped_calls)
        self.assertTrue(total.ledger.is_lossless)
        # The busiest ones are kept.
        self.assertIn(str(most - 1), total.group_infos)

    def test_rates(self) -> None:
        """The rate of a group is that of its calls since the previous delta that has groups."""
        aggregator, begin_ns = Aggregator(), 1_000 * SECOND_NS
        for second in range(1, 9):
            for quarter in (1, 2, 3, 4):
                now_ns = begin_ns + second * SECOND_NS + quarter * SECOND_NS // 4
                groups = {_WEB: Sums(100), _DB: Sums(20)} if quarter == 4 else {}
                aggregator.add(Delta(groups=groups, span=Span(begin_ns, now_ns)))
        rates = aggregator.snapshot(begin_ns + 9 * SECOND_NS).group_rates
        self.assertAlmostEqual(100, rates["docker:web"], delta=1)
        self.assertAlmostEqual(20, rates["docker:db"], delta=1)
