"""Tests of the endpoint that saves a flight recorder."""

from twisted.internet.defer import Deferred, fail, succeed
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.recording import Save
from syswatch.service.recorder_process import NotSavedError
from syswatch.settings.access import Access, Token

from .served import Response, Served, request

_PATH = "/api/recording/save"
_SAVE = Save(1, "x/saves/a", "HTTP request")


class SavingApiTests(SynchronousTestCase):
    """Requests to save."""

    def setUp(self) -> None:
        """Count the requests."""
        self.reasons: list[str] = []

    def save(self, reason: str) -> Deferred[Save]:
        """Save at once."""
        self.reasons.append(reason)
        return succeed(_SAVE)

    def test_saved(self) -> None:
        """The answer says where it was saved, and why."""
        answer = Served(save=self.save).get(_PATH, method="POST")
        self.assertEqual(200, answer.status)
        expected = {"Place": "x/saves/a", "Reason": "HTTP request", "Trouble": ""}
        self.assertEqual(expected, answer.json)
        self.assertEqual(["HTTP request"], self.reasons)
        self.assertNotIn("etag", answer.headers)

    def test_later(self) -> None:
        """The answer is sent when the save is made."""
        waiting: Deferred[Save] = Deferred()
        connection = Served(save=lambda _: waiting).connect()
        self.assertEqual(b"", connection.send(request(_PATH, method="POST")))
        waiting.callback(_SAVE)
        answer = Response.of(bytes(connection.transport.value()))
        self.assertEqual("x/saves/a", answer.json["Place"])

    def test_methods(self) -> None:
        """Only POST saves."""
        served = Served(save=self.save)
        for method in ("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "post"):
            answer = served.get(_PATH, method=method)
            self.assertEqual((405, "POST"), (answer.status, answer.headers["allow"]), method)
        self.assertEqual([], self.reasons)

    def test_other_pages(self) -> None:
        """Pages of other origins cannot save, and a token is needed if there is one."""
        served = Served(Access(http_token=Token(b"sesame")), save=self.save)
        self.assertEqual(401, served.get(_PATH, method="POST").status)
        token = {"Authorization": "Bearer sesame"}
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        ):
            answer = served.get(_PATH, {**token, **headers}, "POST")
            self.assertEqual((403, "forbidden_origin"), (answer.status, answer.json["error"]))
        self.assertEqual([], self.reasons)
        own = {**token, "Origin": "http://127.0.0.1:8080"}
        self.assertEqual(200, served.get(_PATH, own, "POST").status)

    def test_refused(self) -> None:
        """Without a flight recorder, and if it fails, an error says why."""
        answer = Served().get(_PATH, method="POST")
        self.assertEqual((404, "nothing_to_save"), (answer.status, answer.json["error"]))
        full = Served(save=lambda _: fail(NotSavedError("No space left on device")))
        answer = full.get(_PATH, method="POST")
        self.assertEqual((503, "not_saved"), (answer.status, answer.json["error"]))
        message = "The recording cannot be saved: No space left on device."
        self.assertEqual(message, answer.json["message"])

    def test_described(self) -> None:
        """It is described with its method."""
        served = Served()
        paths = served.get("/api/openapi.json").json["paths"]
        self.assertEqual(["post"], list(paths[_PATH]))
        self.assertNotIn("304", paths[_PATH]["post"]["responses"])
        items = served.get("/api?per_page=100").json["items"]
        methods = {item["path"]: item["method"] for item in items}
        self.assertEqual(("POST", "GET"), (methods[_PATH], methods["/api/stats"]))
