"""Tests of the sums that are written with each segment."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.events import Flag
from syswatch.recording.columns import BINS
from syswatch.recording.timeline.bins import STEP_NS, bins_of
from syswatch.recording.write.tables import calls_of
from tests.recording.samples import BEGUN_NS, Call

_MS = 1_000_000


def bins(*calls: Call) -> list[dict[str, Any]]:
    """Return the rows of bins of some calls, with starts counted from the begin."""
    table = bins_of(calls_of(b"".join(call.event for call in calls), {}))
    starts = table["start"].cast("int64").to_pylist()
    rows: list[dict[str, Any]] = table.drop_columns(["start"]).to_pylist()
    return [{**row, "start": start - BEGUN_NS} for start, row in zip(starts, rows, strict=True)]


class BinTests(SynchronousTestCase):
    """What the table holds."""

    def test_columns(self) -> None:
        """The table has the documented columns and types."""
        table = bins_of(calls_of(Call(0).event, {}))
        types = {
            "timestamp[ns, UTC]": "timestamp[ns, tz=UTC]",
            "dictionary<string>": "dictionary<values=string, indices=int16, ordered=0>",
        }
        found = {field.name: str(field.type) for field in table.schema}
        self.assertEqual({each.name: types.get(each.type, each.type) for each in BINS}, found)

    def test_sums(self) -> None:
        """Calls of a thread and a name that begin in an interval are in one row."""
        first, second = bins(
            Call(1 * _MS, 3000, waiting_ns=2000, ready_ns=100),
            Call(2 * _MS, 9000, errno="ENOENT"),
            Call(12 * _MS, 50),
        )
        self.assertEqual((0, STEP_NS, 2, 1), self._facts(first))
        self.assertEqual((3000 + 9000 - 2100, 2000, 100), self._times(first))
        self.assertEqual((9000, 1), (first["longest"], first["row"]))
        self.assertEqual((10 * _MS, STEP_NS, 1, 0), self._facts(second))

    def test_groups(self) -> None:
        """Threads and names have rows of their own."""
        rows = bins(Call(0), Call(0, tid=8), Call(0, name="write"), Call(0, pid=9))
        self.assertEqual([1, 1, 1, 1], [row["calls"] for row in rows])
        self.assertEqual(
            {(7, 7, "read"), (7, 8, "read"), (7, 7, "write"), (9, 7, "read")},
            {(row["pid"], row["tid"], row["name"]) for row in rows},
        )

    def test_over_the_edge(self) -> None:
        """The time of a call is in the intervals that it lasts through, and its count in one."""
        rows = bins(Call(5 * _MS, 20 * _MS, waiting_ns=10 * _MS))
        self.assertEqual([1, 0, 0], [row["calls"] for row in rows])
        self.assertEqual([0, None, None], [row["row"] for row in rows])
        halves = [each * _MS * 10 // 4 for each in (1, 2, 1)]
        self.assertEqual(halves, [row["waiting"] for row in rows])
        self.assertEqual(halves, [row["working"] for row in rows])

    def test_long(self) -> None:
        """A long call, and one that has not returned, has a row of its own."""
        long, unfinished = bins(
            Call(5 * _MS, 3600 * 10**9, waiting_ns=7, errno="EINTR"), Call(6 * _MS, None)
        )
        self.assertEqual((5 * _MS, 3600 * 10**9, 1, 1), self._facts(long))
        self.assertEqual((3600 * 10**9 - 7, 7, 0), self._times(long))
        self.assertEqual((6 * _MS, None, 1, 0), self._facts(unfinished))
        self.assertEqual((0, 0, 0), self._times(unfinished))

    def test_untimed(self) -> None:
        """All that was seen of a call that began before the trace counts as waiting."""
        short, long = bins(
            Call(0, 3000, flags=Flag.UNTIMED), Call(5 * _MS, 10**9, flags=Flag.UNTIMED)
        )
        self.assertEqual((0, 3000, 0), self._times(short))
        self.assertEqual((0, 10**9, 0), self._times(long))
        self.assertEqual((0, 0), (short["longest"], long["longest"]))

    def test_exit(self) -> None:
        """A call that ends the thread takes no time, although it does not return."""
        rows = bins(Call(0, None, name="exit_group"), Call(0, None))
        lengths = {row["name"]: (row["length"], row["longest"]) for row in rows}
        self.assertEqual({"exit_group": (STEP_NS, 0), "read": (None, 0)}, lengths)

    def test_impossible_times(self) -> None:
        """A wait that is longer than its call is as long as that."""
        (row,) = bins(Call(0, 100, waiting_ns=500, ready_ns=7, flags=Flag.ESTIMATED))
        self.assertEqual((0, 100, 0), self._times(row))

    def _facts(self, row: dict[str, Any]) -> tuple[Any, ...]:
        return row["start"], row["length"], row["calls"], row["errors"]

    def _times(self, row: dict[str, Any]) -> tuple[Any, ...]:
        return row["working"], row["waiting"], row["ready"]
