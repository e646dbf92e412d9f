"""Tests of the endpoints for where the time went."""

from typing import Any

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.views.budget.identifiers import object_text
from tests.made_trace import BEGIN_S, snapshot_of
from tests.views.budget.worlds import DATABASE, MS, VISITOR, WAL, Did, S, Thread, delta_of

from .served import FakeSession, Response, Served

_APP = Thread(
    [
        Did("recvfrom", DATABASE, waiting=3 * S, waits=30, bytes_in=900),
        Did("recvfrom", DATABASE, current=2 * S),
        Did("write", WAL, working=500 * MS, bytes_out=4096),
    ],
    user=500 * MS,
)
_SERVER = Thread([Did("epoll_wait", VISITOR, waiting=6 * S, waits=3)], pid=2, comm="nginx")
_DELTA = delta_of(_APP, _SERVER)


def _get(path: str, delta: Delta = _DELTA) -> Response:
    return Served(session=FakeSession.of(delta)).get(path)


def _json(path: str, delta: Delta = _DELTA) -> Any:
    response = _get(path, delta)
    assert response.status == 200, response.body
    return response.json


class TimeTests(SynchronousTestCase):
    """The time budget."""

    def test_budget(self) -> None:
        """The parts add up to the wall time, and shares are those of the busy time."""
        time = _json("/api/time")

        self.assertEqual(12 * S, time["WallTime"])
        self.assertEqual(12 * S, sum(part["Time"] for part in time["Parts"]))
        self.assertEqual(
            [("blocked", "tcp", 0.83333), ("user", "", 0.08333), ("working", "", 0.08333)],
            [(part["State"], part["Kind"], part["Share"]) for part in time["Parts"][:3]],
        )
        self.assertIsNone(time["Parts"][3]["Share"])
        self.assertIn("still waiting 2 s", _json("/api/time", delta_of(_BLOCKED))["Verdict"])

    def test_share(self) -> None:
        """Shares are of what the request names."""
        for share, expected in (("wall", 0.41667), ("busy", 0.83333), ("calls", 0.43478)):
            time = _json(f"/api/time?share={share}")
            self.assertEqual((share, expected), (time["ShareOf"], time["Parts"][0]["Share"]))

    def test_left_out(self) -> None:
        """If a filter leaves calls out, the answer says what the states are called."""
        self.assertNotIn("States", _json("/api/time"))
        snapshot = FakeSession.of(_DELTA).snapshot
        source = attrs.evolve(snapshot.source, only="--status failed")
        served = Served(session=FakeSession(attrs.evolve(snapshot, source=source)))
        titles = {each["State"]: each["Title"] for each in served.get("/api/time").json["States"]}
        self.assertEqual({"user": "Outside", "stopped": "Outside, off CPU"}, titles)

    def test_process(self) -> None:
        """A process is a filter."""
        self.assertEqual(6 * S, _json("/api/time?process=2")["WallTime"])
        self.assertEqual(["nginx"], [row["Comm"] for row in _json("/api/now?process=2")["Threads"]])
        self.assertEqual([VISITOR.name], [row["Name"] for row in _json("/api/objects?process=2")])


_BLOCKED = Thread([Did("recvfrom", DATABASE, current=2 * S)])


class ObjectTests(SynchronousTestCase):
    """Objects, and one of them."""

    def test_order(self) -> None:
        """Objects come in the order of the time that was not idle, or as requested."""
        for sort, expected in (
            ("", [DATABASE, WAL, VISITOR]),
            ("?sort=waiting", [VISITOR, DATABASE, WAL]),
            ("?sort=bytes", [WAL, DATABASE, VISITOR]),
            ("?sort=calls", [DATABASE, VISITOR, WAL]),
            ("?sort=name", [WAL, DATABASE, VISITOR]),
            ("?kind=tcp&limit=1", [DATABASE]),
        ):
            rows = _json(f"/api/objects{sort}")
            self.assertEqual([each.name for each in expected], [row["Name"] for row in rows], sort)

    def test_row(self) -> None:
        """The waits in progress are included and counted apart."""
        row = _json("/api/objects")[0]

        self.assertEqual(30, row["Count"])
        self.assertEqual(5 * S, row["Blocked"])
        self.assertEqual((1, 2 * S), (row["InProgress"], row["LongestInProgress"]))
        self.assertEqual(("blocked", "waits for the peer"), (row["State"], row["Reason"]))

    def test_object(self) -> None:
        """One object has its calls, processes and threads."""
        found = _json(f"/api/objects/{object_text(DATABASE.id)}")

        self.assertEqual(["recvfrom"], [call["Name"] for call in found["Calls"]])
        self.assertEqual([(1, 0, "app")], _users(found["ByProcess"]))
        self.assertEqual([(1, 1, "app")], _users(found["ByThread"]))

    def test_unknown(self) -> None:
        """What does not exist is refused with a sentence that lists what exists."""
        for path, status, part in (
            ("/api/objects?sort=size", 400, "time, waiting, bytes, calls, errors, name"),
            ("/api/objects?kind=queue", 400, "path, file, directory"),
            ("/api/time?share=all", 400, "wall, busy, calls"),
            ("/api/objects?process=9", 404, "(traced: 1 app, 2 nginx)"),
            ("/api/dashboard?pid=9", 404, "(traced: 1 app, 2 nginx)"),
            ("/api/download?pid=9", 404, "(traced: 1 app, 2 nginx)"),
            ("/api/objects/xyz", 404, "(/api/objects lists them)"),
            ("/api/objects/00000000000ff", 404, "(/api/objects lists them)"),
            ("/api/slowest?call=opne", 404, "Unknown system call: opne (did you mean open"),
        ):
            response = _get(path)
            self.assertEqual(status, response.status, path)
            self.assertIn(part, response.json["message"])


def _users(rows: list[dict[str, Any]]) -> list[tuple[int, int, str]]:
    return [(row["PID"], row["TID"], row["Comm"]) for row in rows]


class ThreadTests(SynchronousTestCase):
    """Threads, and what they are doing."""

    def test_now(self) -> None:
        """The blocked threads come first, with their call and its object."""
        first, second = _json("/api/now")["Threads"]

        self.assertEqual(("blocked", "recvfrom", 2 * S), _doing(first))
        self.assertEqual(2 * S, first["LeastElapsed"])
        self.assertEqual(DATABASE.name + " (TCP, postgresql)", first["Object"]["Name"])
        self.assertEqual(("user", "", None), _doing(second))
        self.assertEqual("none", second["Object"]["ID"])

    def test_threads(self) -> None:
        """The times of a thread add up to its wall time."""
        threads = _json("/api/threads")["Threads"]

        self.assertEqual([1, 2], [row["TID"] for row in threads])
        for row in threads:
            states = ("User", "Working", "Blocked", "Idle", "Ready", "Stopped")
            self.assertEqual(row["WallTime"], sum(row[state] for state in states))
        self.assertEqual("waits for requests", threads[1]["Waits"][0]["Reason"])


def _doing(row: dict[str, Any]) -> tuple[str, str, int | None]:
    return row["State"], row["Call"], row["Elapsed"]


class RangeTests(SynchronousTestCase):
    """A range of time, in a made-up trace in which every second is alike."""

    def setUp(self) -> None:
        """Serve twelve seconds."""
        self.served = Served(session=FakeSession(snapshot_of(12, done=False)))
        self.begin_ms = BEGIN_S * 1000

    def get(self, path: str, begin: int, end: int) -> Any:
        """Return what an endpoint answers for a range of seconds."""
        separator = "&" if "?" in path else "?"
        limits = f"from={self.begin_ms + begin * 1000}&to={self.begin_ms + end * 1000}"
        response = self.served.get(f"/api/{path}{separator}{limits}")
        self.assertEqual(200, response.status, response.body)
        return response.json

    def test_time(self) -> None:
        """The verdict, the parts and the history are those of the range, which is named."""
        time = self.get("time", 4, 7)
        self.assertTrue(time["Verdict"].startswith("3 s (12 s in 4 threads)"), time["Verdict"])
        self.assertEqual(12 * S, sum(part["Time"] for part in time["Parts"]))
        self.assertEqual(3, len(time["History"]["Bins"]))
        self.assertEqual(self.begin_ms + 4000, time["FromMs"])
        self.assertEqual(self.begin_ms + 7000, time["ToMs"])
        self.assertNotIn("FromMs", self.served.get("/api/time").json)

    def test_sums_agree(self) -> None:
        """In a range as in the whole trace, threads and objects add up to the budget."""
        for begin, end in ((0, 12), (4, 7), (11, 12)):
            time = self.get("time", begin, end)
            threads = self.get("threads", begin, end)["Threads"]
            objects = self.get("objects", begin, end)
            for state in ("Blocked", "Idle"):
                spent = sum(
                    part["Time"] for part in time["Parts"] if part["State"] == state.lower()
                )
                self.assertEqual(spent, sum(row[state] for row in threads), state)
                self.assertEqual(spent, sum(row[state] for row in objects), state)
            self.assertEqual(time["WallTime"], sum(row["WallTime"] for row in threads))

    def test_board(self) -> None:
        """The page gets the parts of the range, with the history of the whole trace."""
        board = self.get("dashboard?with=slowest,objects,threads,log", 4, 7)
        self.assertEqual(12, len(board["Time"]["History"]["Bins"]))
        self.assertEqual(self.get("time", 4, 7)["Parts"], board["Time"]["Parts"])
        self.assertEqual(self.get("slowest", 4, 7), board["Slowest"])
        self.assertEqual(self.get("objects", 4, 7), board["Objects"])
        whole = self.served.get("/api/dashboard?with=log").json["Log"]
        self.assertLess(len(board["Log"]), len(whole))

    def test_wrong(self) -> None:
        """A range that ends before it begins, or is none, is refused."""
        for limits, message in (
            ("from=5&to=5", "to must be later than from."),
            ("from=now", "from must be an integer of at least 0."),
            ("to=-1", "to must be an integer of at least 0."),
        ):
            response = self.served.get(f"/api/threads?{limits}")
            self.assertEqual((400, message), (response.status, response.json["message"]))
