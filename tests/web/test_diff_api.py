"""Tests of the endpoint that compares the trace with baselines."""

from typing import Any, cast

import attrs
from jsonschema import Draft202012Validator
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.of_delta import run_of_delta
from syswatch.model.delta import Delta
from syswatch.service.ranges import Ranges
from syswatch.service.reader_process import ReaderError
from syswatch.settings.access import Access, Token
from syswatch.web import diff_api, slow_responses
from tests.recording.samples import BEGUN_NS, SOME, delta_of

from .served import EXAMPLE, FakeSession, Response, Served, request, snapshot_of
from .test_ranges import FakeRecording

_BASELINES = [run_of_delta(delta_of(SOME), "old.rec")]
_BEGUN_MS = BEGUN_NS // 1_000_000
_RANGE = f"from={_BEGUN_MS + 3}&to={_BEGUN_MS + 900}"


@attrs.define
class Threads:
    """Threads that compute when the test wants it."""

    waiting: list[tuple[Any, ...]] = attrs.field(factory=list)

    def defer(self, *call: Any) -> Deferred[Any]:
        """Do what `deferToThread` does, later."""
        result: Deferred[Any] = Deferred()
        self.waiting.append((result, *call))
        return result

    def finish(self) -> None:
        """Compute what has waited longest."""
        result, function, *arguments = self.waiting.pop(0)
        result.callback(function(*arguments))


class DiffApiTests(SynchronousTestCase):
    """A trace that is compared with one run."""

    def setUp(self) -> None:
        """Serve another trace than the baseline."""
        self.patch(slow_responses, "deferToThread", maybeDeferred)
        self.session = FakeSession.of(EXAMPLE)
        self.served = Served(session=self.session, baselines=_BASELINES)

    def test_described(self) -> None:
        """The answer has the described form, and says what changed."""
        document = self.served.get("/api/openapi.json").json
        said = document["paths"]["/api/diff"]["get"]["responses"]["200"]
        schema = {
            **said["content"]["application/json"]["schema"],
            "components": document["components"],
        }
        response = self.served.get("/api/diff")
        self.assertEqual(200, response.status, response.body)
        Draft202012Validator(schema).validate(response.json)
        self.assertTrue(response.json["Changed"])
        self.assertEqual(["old.rec"], [each["Name"] for each in response.json["Before"]])
        self.assertEqual(["cat (PID 42)"], [each["Name"] for each in response.json["After"]])

    def test_limit(self) -> None:
        """The changes can be limited, but not to none."""
        found = self.served.get("/api/diff?limit=1").json
        self.assertEqual((1, 1), (len(found["Changes"]), len(found["Rows"])))
        self.assertGreater(found["Total"], 1)
        self.assertEqual(400, self.served.get("/api/diff?limit=0").status)

    def test_once_a_tick(self) -> None:
        """Requests share what is computed of a snapshot, and nothing is computed before one."""
        threads = Threads()
        self.patch(slow_responses, "deferToThread", threads.defer)
        clients = [self.served.connect() for _ in range(3)]
        for client in clients:
            self.assertEqual(b"", client.send(request("/api/diff")))
        self.assertEqual(1, len(threads.waiting))
        threads.finish()
        answers = {Response.of(bytes(each.transport.value())).body for each in clients}
        self.assertEqual((1, []), (len(answers), threads.waiting))
        self.assertEqual(200, self.served.get("/api/diff").status)
        self.session.snapshot = snapshot_of(EXAMPLE, delta_of(SOME))
        later = self.served.connect()
        later.send(request("/api/diff"))
        threads.finish()
        self.assertNotIn(Response.of(bytes(later.transport.value())).body, answers)

    def test_one_at_a_time(self) -> None:
        """Other requests are answered while one waits; another comparison waits for the first."""
        threads = Threads()
        self.patch(slow_responses, "deferToThread", threads.defer)
        clients = [self.served.connect() for _ in range(2)]
        for number, client in enumerate(clients):
            client.send(request(f"/api/diff?limit={number + 1}"))
        self.assertEqual(1, len(threads.waiting))
        self.assertEqual(200, self.served.get("/api/stats").status)
        clients[0].lose()
        threads.finish()
        threads.finish()
        found = Response.of(bytes(clients[1].transport.value()))
        self.assertEqual(2, len(found.json["Changes"]))

    def test_failure(self) -> None:
        """An internal error is answered, and does not block the next request."""

        def fail(*_: object) -> Response:
            raise ZeroDivisionError

        self.patch(diff_api, "_compared", fail)
        for _ in range(2):
            response = self.served.get("/api/diff")
            self.assertEqual((500, "internal_error"), (response.status, response.json["error"]))
        self.assertEqual(2, len(self.flushLoggedErrors(ZeroDivisionError)))

    def test_unchanged(self) -> None:
        """An answer that the client has is 304."""
        tag = self.served.get("/api/diff").headers["etag"]
        self.assertEqual(304, self.served.get("/api/diff", {"If-None-Match": tag}).status)

    def test_no_baseline(self) -> None:
        """Without a baseline, the sentence says how to have one."""
        response = Served().get("/api/diff")
        self.assertEqual((404, "no_baseline"), (response.status, response.json["error"]))
        self.assertIn("--baseline SOURCE", response.json["message"])

    def test_guarded(self) -> None:
        """It needs the token."""
        served = Served(Access(http_token=Token(b"sesame")), baselines=_BASELINES)
        self.assertEqual(401, served.get("/api/diff").status)

    def test_offered(self) -> None:
        """The dashboard offers the comparison only if there is one."""
        self.assertTrue(self.served.get("/api/dashboard").json["Baselines"])
        self.assertNotIn("Baselines", Served().get("/api/dashboard").json)


class RangeTests(SynchronousTestCase):
    """A range of a replay."""

    def setUp(self) -> None:
        """Serve a recording of which the whole has twice as many calls as the range."""
        self.patch(slow_responses, "deferToThread", maybeDeferred)
        self.recording = FakeRecording()
        session = FakeSession.of(delta_of(SOME), delta_of(SOME))
        ranges = Ranges(cast("Any", session), cast("Any", self.recording))
        self.served = Served(session=session, ranges=ranges, baselines=_BASELINES)

    def ask(self, of_range: Delta) -> Any:
        """Send a request, and return the JSON of the answer once the range has been read."""
        connection = self.served.connect()
        self.assertEqual(b"", connection.send(request(f"/api/diff?{_RANGE}")))
        self.recording.answers[-1].callback(of_range)
        return Response.of(bytes(connection.transport.value())).json

    def test_range(self) -> None:
        """Only the calls of the range are compared."""
        whole = self.served.get("/api/diff").json
        self.assertEqual((True, False), (whole["Changed"], whole["Part"]))
        found = self.ask(delta_of(SOME))
        self.assertEqual((False, True), (found["Changed"], found["Part"]))

    def test_empty(self) -> None:
        """What a range lacks is no change."""
        self.assertEqual([], self.ask(Delta())["Changes"])

    def test_unreadable(self) -> None:
        """A range that cannot be read is an error."""
        connection = self.served.connect()
        connection.send(request(f"/api/diff?{_RANGE}"))
        self.recording.answers[-1].errback(ReaderError("the disk is gone"))
        response = Response.of(bytes(connection.transport.value()))
        self.assertEqual((503, "not_readable"), (response.status, response.json["error"]))

    def test_not_exact(self) -> None:
        """Without a recording of every call, a range is refused."""
        response = Served(baselines=_BASELINES).get(f"/api/diff?{_RANGE}")
        self.assertEqual((400, "no_exact_range"), (response.status, response.json["error"]))
