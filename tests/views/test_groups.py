"""Tests of the groups of processes in the summary and in records."""

import json

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import Sums
from syswatch.model.delta import Delta
from syswatch.model.groups import OTHER_GROUPS
from syswatch.views.formats import FORMATS, Presentation
from syswatch.views.groups import GroupSort, group_sentence, group_stats
from syswatch.views.summary import summary
from syswatch.views.text_table import plain

from .group_trace import DB, GROUPED, SSH, WEB
from .snapshots import snapshot_of

_SENTENCE = (
    "web (container) made 61 % of 1000 calls; ssh.service (unit) spent the most time working in"
    " them, 2 µs (44.4 %); more than 3 groups made calls."
)
_TABLE = f"""\
{_SENTENCE}

CALLS  SHARE  ERRORS   TOTAL  WAITING     P95  KIND       GROUP
  610   61 %       5  6.5 µs     5 µs  101 ns  container  web
  250   25 %       0  1.5 µs        -       -  container  shop/db-0/postgres
  100   10 %       0    2 µs        -       -  unit       ssh.service
   40    4 %       0       -        -       -  other      other groups

"""


class GroupTests(SynchronousTestCase):
    """A trace of some groups."""

    def test_summary(self) -> None:
        """The first line says which group made most calls; a table follows."""
        text = summary(snapshot_of(GROUPED), plain)
        self.assertEqual(_TABLE, text[: len(_TABLE)])

    def test_sentence(self) -> None:
        """One group may be first in both; without durations, only the calls are compared."""
        working = {key: sums for key, sums in GROUPED.groups.items() if key.group != SSH}
        self.assertIn(
            "web (container) made 67.8 % of 900 calls and spent the most time working in them,"
            " 1.5 µs (60 %); more than 2 groups",
            group_sentence(snapshot_of(attrs.evolve(GROUPED, groups=working))),
        )
        counts = {key: Sums(sums.count) for key, sums in working.items()}
        self.assertEqual(
            "web (container) made 67.8 % of 900 calls; more than 2 groups made calls.",
            group_sentence(snapshot_of(attrs.evolve(GROUPED, groups=counts))),
        )

    def test_all_groups(self) -> None:
        """If none is left out, the number is exact."""
        groups = {key: sums for key, sums in GROUPED.groups.items() if key.group in (WEB, SSH)}
        sentence = group_sentence(snapshot_of(attrs.evolve(GROUPED, groups=groups)))
        self.assertIn("; 2 groups made calls.", sentence)

    def test_no_groups(self) -> None:
        """Other traces have no such table, and no such key."""
        snapshot = snapshot_of(Delta(calls=GROUPED.calls))
        self.assertEqual("", group_sentence(snapshot))
        self.assertNotIn("groups", summary(snapshot, plain))
        self.assertNotIn("Groups", json.loads(FORMATS["json"].write(snapshot, Presentation())))

    def test_orders(self) -> None:
        """Groups are sorted by any column; those beyond the limit are the last row."""
        for sort, expected in (
            (GroupSort.CALLS, [WEB, DB, SSH]),
            (GroupSort.ERRORS, [WEB, DB, SSH]),
            (GroupSort.TIME, [WEB, SSH, DB]),
            (GroupSort.WORKING, [SSH, WEB, DB]),
            (GroupSort.WAITING, [WEB, DB, SSH]),
            (GroupSort.NAME, [DB, SSH, WEB]),
        ):
            keys = [stat.key for stat in group_stats(snapshot_of(GROUPED), sort)]
            self.assertEqual([*expected, OTHER_GROUPS], keys, sort)

    def test_json(self) -> None:
        """The summary for programs has all groups, which add up to all calls."""
        record = json.loads(FORMATS["json"].write(snapshot_of(GROUPED), Presentation()))["Groups"]
        self.assertEqual((4, 1000), (record["Number"], record["Count"]))
        self.assertEqual(1000, sum(group["Count"] for group in record["Groups"]))
        self.assertEqual({"team": "shop"}, record["Groups"][0]["Labels"])
