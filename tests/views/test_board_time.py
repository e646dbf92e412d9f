"""Tests of the parts of the dashboard that show where the time went."""

from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.snapshot import Snapshot
from syswatch.views.board import BoardQuery
from syswatch.views.budget.wait_groups import WaitGroup, wait_group
from syswatch.views.look import look
from syswatch.views.records import encode
from tests.made_trace import DATABASE, snapshot_of

_DATABASE = f"{DATABASE.id:013x}"


def board(snapshot: Snapshot, query: BoardQuery) -> Any:
    """Return the response to a query."""
    return msgspec.json.decode(encode(query(snapshot)))


class BoardTimeTests(SynchronousTestCase):
    """The made-up trace of four threads and two processes."""

    def setUp(self) -> None:
        """Make the trace."""
        self.snapshot = snapshot_of(20, done=False)

    def test_lanes(self) -> None:
        """A lane has one letter for each interval, that of the longest state."""
        lanes = board(self.snapshot, BoardQuery(parts=frozenset({"threads"})))["Lanes"]

        self.assertEqual(
            {41: "I" * 20, 42: "B" * 20, 43: "U" * 20, 44: "B" * 20}, dict(lanes["Letters"])
        )
        self.assertEqual(20, lanes["End"] - lanes["First"])
        self.assertEqual(lanes["First"], lanes["From"])

    def test_lanes_since(self) -> None:
        """Only the intervals from a second on are sent, of the chosen process."""
        query = BoardQuery(since=1_700_000_018, parts=frozenset({"threads"}), pid=44)
        lanes = board(self.snapshot, query)["Lanes"]

        self.assertEqual([[44, "BB"]], lanes["Letters"])
        self.assertEqual((44, 1_700_000_018), (lanes["PID"], lanes["From"]))

    def test_no_lanes_twice(self) -> None:
        """The rows of the threads have no lanes: the letters are shorter."""
        rows = board(self.snapshot, BoardQuery(parts=frozenset({"threads"})))["Threads"]["Threads"]
        self.assertEqual([[]] * 4, [each["Lane"] for each in rows])

    def test_object(self) -> None:
        """An object is sent with the bars of its waits if its ID is given, of one process."""
        found = board(self.snapshot, BoardQuery(object=_DATABASE))["Object"]
        self.assertEqual(_DATABASE, found["ID"])
        self.assertEqual(80, sum(number for _, number in found["Bars"]))
        self.assertLess(abs(found["P50"] - 155_000_000), 2_000_000)
        self.assertNotIn("Object", board(self.snapshot, BoardQuery()))
        for query in (BoardQuery(object="nothing"), BoardQuery(object=_DATABASE, pid=44)):
            self.assertIsNone(board(self.snapshot, query)["Object"])

    def test_process(self) -> None:
        """A process is echoed, because the page merges histories."""
        self.assertEqual(0, board(self.snapshot, BoardQuery())["PID"])
        self.assertEqual(44, board(self.snapshot, BoardQuery(pid=44))["PID"])


class WaitGroupTests(SynchronousTestCase):
    """The colours of blocked time."""

    def test_each_kind_in_one_group(self) -> None:
        """No kind is in two groups, and the style sheet has a colour for each group."""
        kinds = [kind for group in WaitGroup for kind in group.kinds]
        self.assertEqual(len(kinds), len(set(kinds)))
        for group in WaitGroup:
            self.assertIn(f".{group.css_class} {{", look())
            self.assertEqual({group} if group.kinds else set(), set(map(wait_group, group.kinds)))
