"""Tests of the responses for the live pages."""

import attrs
from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.entries import LogEntry
from syswatch.model.process import ProcessTally
from syswatch.model.slowest import SlowCall, Slowest
from syswatch.model.window import SecondTotals, Window
from syswatch.views.board import BoardQuery, CallBoardQuery
from syswatch.views.records import encode

from .budget.worlds import DATABASE, MS, WAL, Did, S, Thread, delta_of
from .group_trace import GROUPED
from .snapshots import BEGIN_S, per_second, snapshot_of, tally

WINDOW = Window(
    {
        BEGIN_S: {"openat": SecondTotals(2, 1, 30), "read": SecondTotals(3, 0, 40)},
        BEGIN_S + 5: {"read": SecondTotals(4, 0, 50)},
    }
)
DELTA = Delta(
    calls={"openat": tally(2, {"ENOENT": 1}), "read": tally(7)},
    window=WINDOW,
    paths={"/a": 2, "/b": 5},
    failed_paths={"/a": 1},
    by_process={7: {"read": tally(7)}, 9: {"openat": tally(2)}},
    processes={7: ProcessTally(count=7, comm="seven"), 9: ProcessTally(parent=7, count=2)},
    log=(LogEntry(None, 7, "read", "3", "0", ""),),
)


class BoardTests(SynchronousTestCase):
    """The response for the dashboard."""

    def test_rows(self) -> None:
        """Rows have averages, and the only call that opens files has the top path."""
        rows = {row.name: row for row in BoardQuery()(snapshot_of(DELTA)).stats}

        self.assertEqual(1000, rows["read"].avg_time)
        self.assertEqual(7, rows["read"].timed)
        self.assertEqual("/b", rows["openat"].top_path)
        self.assertIs(UNSET, rows["read"].top_path)

    def test_two_openers(self) -> None:
        """If two calls open files, neither has a top path."""
        delta = DELTA + Delta(calls={"creat": tally(1)})
        rows = BoardQuery()(snapshot_of(delta)).stats

        self.assertEqual({UNSET}, {row.top_path for row in rows})

    def test_history(self) -> None:
        """Seconds with calls are lists of numbers that refer to names and categories."""
        history = BoardQuery()(snapshot_of(DELTA)).history

        self.assertEqual(BEGIN_S, history.first)
        self.assertEqual(["openat", "read"], history.names)
        self.assertEqual(["FS", "I/O"], history.categories)
        self.assertEqual(
            [[BEGIN_S, 0, 2, 1, 30, 1, 3, 0, 40], [BEGIN_S + 5, 1, 4, 0, 50]], history.points
        )

    def test_since(self) -> None:
        """Seconds that the page already has are omitted."""
        history = BoardQuery(since=BEGIN_S + 1)(snapshot_of(DELTA)).history

        self.assertEqual([[BEGIN_S + 5, 0, 4, 0, 50]], history.points)

    def test_no_clock(self) -> None:
        """A trace without timestamps has no history."""
        board = BoardQuery()(snapshot_of(Delta(calls={"read": tally(1)})))

        self.assertIsNone(board.now)
        self.assertIsNone(board.history.first)

    def test_fifteen_minutes(self) -> None:
        """Seconds older than fifteen minutes are omitted."""
        window = per_second({"read": [1] * 1000})
        history = BoardQuery()(snapshot_of(Delta(window=window))).history

        self.assertEqual(900, len(history.points))

    def test_parts(self) -> None:
        """Large parts are only sent if requested."""
        snapshot = snapshot_of(DELTA)
        bare = BoardQuery()(snapshot)
        full = BoardQuery(parts=frozenset({"log", "files", "processes"}))(snapshot)

        self.assertEqual((UNSET, UNSET, UNSET), (bare.log, bare.files, bare.processes))
        assert full.log and full.files and full.processes
        self.assertEqual("read", full.log[0].name)
        self.assertEqual((7, "/b"), (full.opens, full.files[0].path))
        self.assertEqual([(7, 0), (9, 7)], [(each.pid, each.parent) for each in full.processes])

    def test_groups(self) -> None:
        """Groups are a part, which a page asks for once it knows that there are some."""
        bare = BoardQuery()(snapshot_of(GROUPED))
        self.assertEqual((True, UNSET), (bare.grouped, bare.groups))
        groups = BoardQuery(parts=frozenset({"groups"}))(snapshot_of(GROUPED)).groups
        assert groups
        self.assertEqual(4, len(groups.groups))
        self.assertEqual(UNSET, BoardQuery()(snapshot_of(DELTA)).grouped)

    def test_one_process(self) -> None:
        """The table of one process has its calls only; processes with tables are named."""
        board = BoardQuery(pid=7)(snapshot_of(DELTA))

        self.assertEqual(["read"], [row.name for row in board.stats])
        self.assertEqual([(7, "seven"), (9, "")], [(each.pid, each.comm) for each in board.tables])

    def test_as_json(self) -> None:
        """It can be encoded."""
        self.assertIn(b'"TopPath":"/b"', encode(BoardQuery()(snapshot_of(DELTA))))


class CallBoardTests(SynchronousTestCase):
    """The response for the page of one call."""

    def test_seen(self) -> None:
        """A call that opens has its paths, and its own seconds only."""
        board = CallBoardQuery("openat")(snapshot_of(DELTA))

        self.assertEqual(2, board.call.count)
        self.assertEqual(
            [("/b", 5, 0), ("/a", 2, 1)],
            [(each.path, each.count, each.failed) for each in board.paths],
        )
        self.assertEqual(["openat"], board.history.names)

    def test_opens_together(self) -> None:
        """Every call that opens files has the paths of all of them."""
        for name in ("open", "openat", "openat2", "creat"):
            board = CallBoardQuery(name)(snapshot_of(DELTA))
            self.assertEqual((7, True), (board.opens, board.all_counted), name)

    def test_newest_paths(self) -> None:
        """A call that has a path argument but opens nothing has the paths of its newest calls."""
        asked = (
            ("newfstatat", r'AT_FDCWD, "/a\"b", {st_mode=S_IFREG|0644}, 0'),
            ("newfstatat", '3</etc>, "c", 0x7ffd, 0'),
            ("newfstatat", '3, "c", 0x7ffd, 0'),
            ("newfstatat", "3, 0x7ffd, 0x7ffd, 0"),
            ("access", '"/other", R_OK'),
            ("write", '1, "no path", 7'),
        )
        log = tuple(LogEntry(None, 7, name, args, "0", "") for name, args in asked)
        log += (LogEntry(None, 7, "newfstatat", '3, "c", 0x7ffd, 0', "-1", "ENOENT"),)
        board = CallBoardQuery("newfstatat")(snapshot_of(Delta(log=log)))

        self.assertEqual(
            [("c", 3, 1), (r"/a\"b", 1, 0)],
            [(each.path, each.count, each.failed) for each in board.paths],
        )
        self.assertEqual((4, False), (board.opens, board.all_counted))
        self.assertEqual([], CallBoardQuery("write")(snapshot_of(Delta(log=log))).paths)

    def test_not_seen(self) -> None:
        """A call that was not made has zeroes and its reference."""
        board = CallBoardQuery("fsync")(snapshot_of(DELTA))

        self.assertEqual((0, 0), (board.call.count, board.timed))
        self.assertTrue(board.call.reference.description)
        self.assertEqual([], board.paths)


_APP = Thread(
    [
        Did("recvfrom", DATABASE, waiting=3 * S, waits=30),
        Did("recvfrom", DATABASE, current=S),
        Did("openat", WAL, working=5 * MS, waits=2),
    ]
)
_OTHER = Thread([Did("fsync", WAL, waiting=S)], pid=2, comm="other")
_ENTRY = LogEntry(None, 1, "recvfrom", "3", "5", "", 7, waited=True, object=DATABASE.id)
_THREADS = attrs.evolve(
    delta_of(_APP, _OTHER),
    log=(_ENTRY, attrs.evolve(_ENTRY, pid=2)),
    slowest=Slowest.of([SlowCall(9, None, 2, 2, "fsync", "4", "0", "", 8, WAL.id)]),
    processes={1: ProcessTally(comm="app"), 2: ProcessTally(comm="other")},
)
_PARTS = frozenset({"log", "files", "threads_now", "objects", "threads", "slowest"})


class ProcessTests(SynchronousTestCase):
    """The response for one process, which needs no table of its own in the trace."""

    def test_rows(self) -> None:
        """The rows are derived from the activity, those of calls in progress included."""
        rows = {row.name: row for row in BoardQuery(pid=1)(snapshot_of(_THREADS)).stats}

        self.assertEqual({"recvfrom", "openat"}, set(rows))
        self.assertEqual((30, 4 * S), (rows["recvfrom"].count, rows["recvfrom"].total_time))
        self.assertEqual((4 * S, 1), (rows["recvfrom"].blocked, rows["recvfrom"].in_progress))

    def test_parts(self) -> None:
        """Every part concerns the process only."""
        board = BoardQuery(pid=1, parts=_PARTS)(snapshot_of(_THREADS))

        self.assertEqual([1], [entry.pid for entry in board.log or ()])
        self.assertEqual([(WAL.name, 2)], [(each.path, each.count) for each in board.files or ()])
        self.assertEqual([DATABASE.name, WAL.name], [each.name for each in board.objects or ()])
        self.assertEqual([], board.slowest)
        assert board.threads_now and board.threads
        self.assertEqual([1], [each.tid for each in board.threads_now.threads])
        self.assertEqual([1], [each.tid for each in board.threads.threads])
        self.assertEqual(4005 * MS, board.time.wall_time)
        self.assertEqual([1, 2], [table.pid for table in board.tables])

    def test_only_requested(self) -> None:
        """Parts that were not requested are left out."""
        board = BoardQuery()(snapshot_of(_THREADS))

        for part in ("log", "files", "opens", "threads_now", "objects", "threads", "slowest"):
            self.assertIs(UNSET, getattr(board, part), part)

    def test_log(self) -> None:
        """The log tells how long a call took, whether it waited, and on what."""
        log = BoardQuery(pid=1, parts=_PARTS)(snapshot_of(_THREADS)).log
        assert log
        [entry] = log

        self.assertEqual((7, True), (entry.duration, entry.waited))
        self.assertEqual("10.0.0.5:5432 (TCP, postgresql)", entry.object.name)


class CallCostTests(SynchronousTestCase):
    """What explains the time of one call on its page."""

    def test_breakdown(self) -> None:
        """The page has the objects, processes, slowest calls and waits of the call alone."""
        board = CallBoardQuery("fsync")(snapshot_of(_THREADS))

        self.assertEqual([(WAL.name, 1)], [(each.name, each.count) for each in board.objects])
        self.assertEqual([(2, "other")], [(each.pid, each.comm) for each in board.by_process])
        self.assertEqual([9], [each.duration for each in board.slowest])
        self.assertEqual([1], [count for _, count in board.wait_bars])
        self.assertEqual([], CallBoardQuery("openat")(snapshot_of(_THREADS)).wait_bars)
