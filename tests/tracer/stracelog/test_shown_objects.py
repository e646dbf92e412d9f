"""Tests of the objects of calls that may be shown."""

from collections import defaultdict

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.entries import LOG_ENTRIES
from syswatch.tracer.stracelog import shown_objects
from syswatch.tracer.stracelog.call_traits import Traits
from syswatch.tracer.stracelog.chosen_rows import ALL
from syswatch.tracer.stracelog.line_format import Row
from syswatch.tracer.stracelog.log_timeline import LogTimeline
from syswatch.tracer.stracelog.row_loops import running
from syswatch.tracer.stracelog.row_sums import RowSums
from syswatch.tracer.stracelog.shown_objects import ShownObjects


def row() -> Row:
    """Return a row that differs from others by its identity alone."""
    return Row(*[b""] * len(Row._fields))


class ShownObjectsTests(SynchronousTestCase):
    """Rows that are counted later than they are read."""

    def setUp(self) -> None:
        """Start without rows."""
        self.shown = ShownObjects()

    def test_counted(self) -> None:
        """The objects are known by line when the rows have been counted."""
        one, two = row(), row()
        self.shown.expect({5: one, 9: two})
        self.assertEqual({}, self.shown.by_line())

        groups = {(7, 42, "read"): [two]}
        intervals = LogTimeline().intervals
        running.count_groups(
            groups, defaultdict(RowSums), self.shown.found, intervals, Traits(), ALL, 0
        )
        self.shown.note_counted()

        self.assertEqual({5: 0, 9: 42}, self.shown.by_line())

    def test_bounded(self) -> None:
        """Of many, only the newest ones and those that will be shown are kept."""
        self.patch(shown_objects, "_MOST_KNOWN", 1000)
        self.shown.expect({line: row() for line in range(1000)})
        self.shown.note_counted()
        self.shown.forget_others([3])
        self.assertEqual(1000, len(self.shown.by_line()))

        self.shown.expect({1000: row()})
        self.shown.note_counted()
        self.shown.forget_others([3])

        newest = range(1001 - LOG_ENTRIES, 1001)
        self.assertEqual([3, *newest], sorted(self.shown.by_line()))
