"""Tests of the endpoints for queries of a recording."""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import attrs
from jsonschema import Draft202012Validator
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from syswatch.recording.questions import Rows
from syswatch.service.reader_process import ReaderError
from syswatch.settings.access import Access, Token
from tests.recording import samples

from .recorded import DirectReader
from .served import Response, Served, request

_COUNTS = (
    "SELECT name, count(*) AS calls, sum(errors) AS errors FROM calls GROUP BY name ORDER BY name"
)


@attrs.define
class FakeReader:
    """A recording that answers when the test wants it to."""

    answers: list[Deferred[Any]] = attrs.field(factory=list)
    folder: str = "nowhere"

    def ask(self, *_: object) -> Deferred[Any]:
        """Return an answer that is not there yet."""
        self.answers.append(Deferred())
        return self.answers[-1]


class QueryApiTests(SynchronousTestCase):
    """A recording of a few calls."""

    def setUp(self) -> None:
        """Serve the recording."""
        self.reader = DirectReader.of(samples.write(Path(self.mktemp())))
        self.served = Served(recording=self.reader)

    def query(self, **parameters: object) -> Response:
        """Send a query."""
        return self.served.get(f"/api/recording/query?{urlencode(parameters, doseq=True)}")

    def test_described(self) -> None:
        """The answers have the described form."""
        document = self.served.get("/api/openapi.json").json
        for path, asked in (("questions", ""), ("query", "?ask=errors")):
            said = document["paths"][f"/api/recording/{path}"]["get"]["responses"]["200"]
            schema = {
                **said["content"]["application/json"]["schema"],
                "components": document["components"],
            }
            response = self.served.get(f"/api/recording/{path}{asked}")
            self.assertEqual(200, response.status, response.body)
            Draft202012Validator(schema).validate(response.json)

    def test_sql(self) -> None:
        """A query has columns and rows."""
        answer = self.query(sql=_COUNTS).json
        self.assertEqual(["name", "calls", "errors"], answer["Columns"])
        self.assertIn(["openat", 2, 1], answer["Rows"])
        self.assertEqual(("", False), (answer["Answer"], answer["HasMore"]))

    def test_limit(self) -> None:
        """A long answer is cut, and says so."""
        answer = self.query(sql="SELECT name FROM calls", limit=2).json
        self.assertEqual((2, True), (len(answer["Rows"]), answer["HasMore"]))

    def test_exact(self) -> None:
        """No digit is lost in a browser."""
        sql = (
            "SELECT 9007199254740992 AS a, 9007199254740993 AS b, -9007199254740993 AS c, NULL AS d"
        )
        self.assertEqual(
            [[9007199254740992, "9007199254740993", "-9007199254740993", None]],
            self.query(sql=sql).json["Rows"],
        )

    def test_question(self) -> None:
        """A ready-made question with a parameter has an answer in words."""
        listed = self.served.get("/api/recording/questions").json
        slowest = next(each for each in listed["Questions"] if each["Name"] == "slowest-calls")
        self.assertEqual(("limit", 20), tuple(slowest["Parameters"][0].values())[:2])
        self.assertIn("duration", next(each["Columns"] for each in listed["Views"]))
        answer = self.query(ask="slowest-calls", set=["limit=1"]).json
        self.assertEqual("The slowest call was recvfrom of thread 7: 900.0 ms", answer["Answer"])
        self.assertEqual(1, len(answer["Rows"]))

    def test_mistakes(self) -> None:
        """A mistake is one sentence, with its position."""
        for parameters, part in (
            ({"sql": "SELECT nme FROM calls"}, 'Referenced column "nme" not found'),
            ({"sql": "SELECT\n FROM WHERE"}, "line 2"),
            ({"sql": "COPY calls TO 'x'"}, "Only SELECT is possible"),
            ({"sql": "SELECT * FROM read_text('/etc/passwd')"}, "/etc/passwd"),
            ({"sql": "SET memory_limit='9GB'"}, "Only SELECT"),
            ({"sql": "SELECT 1; SELECT 2"}, "one SELECT statement"),
            ({"ask": "nothing"}, "No question 'nothing'"),
            ({"ask": "errors", "set": ["color=red"]}, "has no parameter 'color'"),
            ({"ask": "slowest-calls", "set": ["limit=x"]}, "invalid value 'x'"),
            ({"ask": "errors", "set": ["limit"]}, "set must be NAME=VALUE"),
            ({"sql": "SELECT 1", "ask": "errors"}, "either sql or ask"),
            ({}, "either sql or ask"),
        ):
            response = self.query(**parameters)
            self.assertEqual(400, response.status, parameters)
            message = response.json["message"]
            self.assertIn(part.lower(), message.lower())
            self.assertTrue(message.endswith("."), message)
            self.assertNotIn("\n", message)

    def test_one_at_a_time(self) -> None:
        """A second query is refused while the first one is running, and possible after it."""
        reader = FakeReader()
        served = Served(recording=reader)
        first = served.connect()
        first.send(request("/api/recording/query?sql=SELECT+1"))
        second = served.get("/api/recording/query?sql=SELECT+2")
        self.assertEqual((409, "query_running"), (second.status, second.json["error"]))
        reader.answers[0].callback(Rows("", ("a",), [(1,)]))
        self.assertEqual([[1]], Response.of(bytes(first.transport.value())).json["Rows"])
        third = served.connect()
        third.send(request("/api/recording/query?sql=SELECT+3"))
        reader.answers[1].errback(ReaderError("the disk is gone"))
        answer = Response.of(bytes(third.transport.value()))
        self.assertEqual((503, "unreadable_recording"), (answer.status, answer.json["error"]))

    def test_guarded(self) -> None:
        """It needs the token, and pages of other origins can neither ask nor link to it."""
        served = Served(Access(http_token=Token(b"sesame")), recording=self.reader)
        for path in ("query?ask=errors", "questions"):
            self.assertEqual(401, served.get(f"/api/recording/{path}").status)
        foreign = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        foreign["Sec-Fetch-Dest"] = "document"
        response = self.served.connect().get("/api/recording/query?ask=errors", foreign)
        self.assertEqual((403, "forbidden_origin"), (response.status, response.json["error"]))

    def test_no_recording(self) -> None:
        """Without a recording, the sentence says how to make one."""
        for path in ("query?ask=errors", "questions"):
            response = Served().get(f"/api/recording/{path}")
            self.assertEqual((404, "no_recording"), (response.status, response.json["error"]))
