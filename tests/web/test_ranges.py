"""Tests of ranges of time in a replay."""

from typing import Any, cast

import attrs
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.service.ranges import Ranges
from syswatch.service.reader_process import ReaderError
from tests.recording.samples import BEGUN_NS, SOME, delta_of
from tests.web.served import FakeSession, Response, Served, request

_BEGUN_MS = BEGUN_NS // 1_000_000
_RANGE = f"from={_BEGUN_MS + 3}&to={_BEGUN_MS + 900}"


@attrs.define
class FakeRecording:
    """A recording that answers when the test wants it to."""

    answers: list[Deferred[Delta]] = attrs.field(factory=list)

    def ask(self, *_: object) -> Deferred[Delta]:
        """Return an answer that is not there yet."""
        self.answers.append(Deferred())
        return self.answers[-1]


class RangeTests(SynchronousTestCase):
    """Requests for a range of a recording of every call."""

    def setUp(self) -> None:
        """Serve a recording of which the whole has twice as many calls as the range."""
        self.recording = FakeRecording()
        session = FakeSession.of(delta_of(SOME), delta_of(SOME))
        ranges = Ranges(cast("Any", session), cast("Any", self.recording))
        self.served = Served(session=session, ranges=ranges)

    def ask(self, path: str) -> Any:
        """Send a request, and return the JSON of the answer once the range has been read."""
        connection = self.served.connect()
        self.assertEqual(b"", connection.send(request(path)))
        self.recording.answers[-1].callback(delta_of(SOME))
        return Response.of(bytes(connection.transport.value())).json

    def test_dashboard(self) -> None:
        """The rows, with percentiles, are those of the range; the status is that of the whole."""
        board = self.ask(f"/api/dashboard?with=objects,processes,files&{_RANGE}")
        self.assertTrue(board["ExactRange"])
        self.assertEqual((_BEGUN_MS + 3, _BEGUN_MS + 900), _limits(board["Time"]))
        rows = {row["Name"]: row for row in board["Stats"]}
        self.assertEqual((1, 900_000_000), (rows["recvfrom"]["Count"], rows["recvfrom"]["P95"]))
        self.assertEqual(2 * (len(SOME) - 1), board["Status"]["Total"])
        self.assertEqual([5, 2], [each["Count"] for each in board["Processes"]])
        self.assertEqual(
            3, sum(each["Count"] for each in board["Objects"] if "hosts" in each["Name"])
        )

    def test_others(self) -> None:
        """The endpoints with a range have the numbers of the range."""
        self.assertEqual((_BEGUN_MS + 3, _BEGUN_MS + 900), _limits(self.ask(f"/api/time?{_RANGE}")))
        objects = self.served.get(f"/api/objects?{_RANGE}").json
        self.assertEqual(3, sum(each["Count"] for each in objects if "hosts" in each["Name"]))
        threads = self.served.get(f"/api/threads?{_RANGE}").json["Threads"]
        self.assertEqual(len(SOME) - 1, sum(each["Calls"] for each in threads))
        slowest = self.served.get(f"/api/slowest?{_RANGE}").json
        self.assertEqual([], slowest)
        self.assertEqual(1, len(self.recording.answers))

    def test_calls(self) -> None:
        """The calls, and one of them, are those of the range, and said to be."""
        stats = {row["Name"]: row["Count"] for row in self.ask(f"/api/stats?{_RANGE}")}
        self.assertEqual(2, stats["openat"])
        detail = self.served.get(f"/api/syscall/openat?{_RANGE}").json
        self.assertEqual((2, 1), (detail["Count"], detail["Errors"]))
        self.assertEqual((_BEGUN_MS + 3, _BEGUN_MS + 900), _limits(detail))
        self.assertTrue(detail["ExactRange"])
        board = self.served.get(f"/api/dashboard/openat?{_RANGE}").json
        self.assertEqual((detail["P95"], True), (board["Call"]["P95"], board["Replay"]))
        self.assertEqual(2 * (len(SOME) - 1), board["Status"]["Total"])
        self.assertEqual(1, len(self.recording.answers))

    def test_call_of_another_time(self) -> None:
        """A call that was not made in the range has zeroes; one that was never made is unknown."""
        other = f"from={_BEGUN_MS + 5000}&to={_BEGUN_MS + 5001}"
        connection = self.served.connect()
        connection.send(request(f"/api/syscall/openat?{other}"))
        self.recording.answers[-1].callback(Delta())
        detail = Response.of(bytes(connection.transport.value())).json
        self.assertEqual((0, 0), (detail["Count"], detail["P99"]))
        self.assertEqual(404, self.served.get(f"/api/syscall/mkdir?{other}").status)

    def test_whole_call(self) -> None:
        """Without a range, there is no word of one."""
        detail = self.served.get("/api/syscall/openat").json
        self.assertEqual(4, detail["Count"])
        self.assertNotIn("ExactRange", detail)
        self.assertTrue(self.served.get("/api/dashboard").json["Replay"])

    def test_no_replay(self) -> None:
        """Where the calls of a range are not known exactly, the range is refused."""
        served = Served(session=FakeSession.of(delta_of(SOME)))
        for path in ("/api/stats", "/api/syscall/openat", "/api/dashboard/openat"):
            answer = served.get(f"{path}?{_RANGE}")
            self.assertEqual((400, "no_exact_range"), (answer.status, answer.json["error"]))
            self.assertIn("syswatch replay", answer.json["message"])
        self.assertFalse(served.get(f"/api/time?{_RANGE}").json["ExactRange"])

    def test_whole(self) -> None:
        """Without a range, nothing is read."""
        board = self.served.get("/api/dashboard").json
        self.assertNotIn("ExactRange", board)
        self.assertEqual([], self.recording.answers)

    def test_unreadable(self) -> None:
        """A range that cannot be read is an error of one sentence."""
        connection = self.served.connect()
        connection.send(request(f"/api/time?{_RANGE}"))
        self.recording.answers[0].errback(ReaderError("the disk is gone"))
        answer = Response.of(bytes(connection.transport.value()))
        self.assertEqual((503, "not_readable"), (answer.status, answer.json["error"]))
        self.assertEqual("This range cannot be read: the disk is gone.", answer.json["message"])

    def test_gone(self) -> None:
        """A client that does not wait for the answer harms nothing."""
        connection = self.served.connect()
        connection.send(request(f"/api/time?{_RANGE}"))
        connection.lose()
        self.recording.answers[0].callback(delta_of(SOME))
        self.assertEqual([], self.flushLoggedErrors())


def _limits(time: Any) -> tuple[int, int]:
    return time["FromMs"], time["ToMs"]
