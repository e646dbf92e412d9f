"""Tests of the endpoints for the timeline of a recording."""

from pathlib import Path

from jsonschema import Draft202012Validator
from twisted.trial.unittest import SynchronousTestCase

from syswatch.recording import manifest
from syswatch.settings.access import Access, Token
from tests.recording import samples

from .recorded import DirectReader
from .served import Response, Served

_PATHS = ("lanes", "timeline?to=3000000000", "calls/0-0", "search?text=read")


class TimelineApiTests(SynchronousTestCase):
    """A recording of a few calls."""

    def setUp(self) -> None:
        """Serve the recording."""
        self.folder = samples.write(Path(self.mktemp()))
        self.served = Served(recording=DirectReader.of(self.folder))

    def get(self, path: str) -> Response:
        """Request a path below that of the recording."""
        return self.served.get(f"/api/recording/{path}")

    def test_described(self) -> None:
        """The answers have the described form."""
        document = self.served.get("/api/openapi.json").json
        names = ("lanes", "timeline", "calls/{id}", "search")
        for path, name in zip(_PATHS, names, strict=True):
            said = document["paths"][f"/api/recording/{name}"]["get"]["responses"]["200"]
            schema = {
                **said["content"]["application/json"]["schema"],
                "components": document["components"],
            }
            response = self.get(path)
            self.assertEqual(200, response.status, response.body)
            self.assertEqual("application/json", response.headers["content-type"])
            Draft202012Validator(schema).validate(response.json)

    def test_lanes(self) -> None:
        """There is a lane for each thread."""
        self.assertEqual([7, 8, 9], sorted(each["TID"] for each in self.get("lanes").json["Lanes"]))

    def test_range(self) -> None:
        """A range, a width and lanes limit what is sent."""
        first = self.get("timeline?from=0&to=100000").json["Slices"]
        self.assertEqual([1000, 10_000, 20_000], first["Start"])
        lane = next(each for each in self.get("lanes").json["Lanes"] if each["TID"] == 9)["Lane"]
        some = self.get(f"timeline?to=3000000000&lanes={lane}&width=999999").json
        self.assertEqual((2, {lane}), (some["Calls"], set(some["Slices"]["Lane"])))

    def test_call(self) -> None:
        """A call is found by what a picture calls it."""
        identifier = self.get("timeline?to=100000").json["Slices"]["ID"][2]
        found = self.get(f"calls/{identifier}").json
        self.assertEqual(('"/nowhere"', "ENOENT"), (found["Args"], found["Errno"]))

    def test_refused(self) -> None:
        """Invalid requests get a sentence."""
        for path, status, part in (
            ("timeline?from=9&to=8", 400, "to must be later"),
            ("timeline?from=-1", 400, "from must be"),
            ("timeline?width=0", 400, "width must be"),
            ("timeline?lanes=1,x", 400, "lanes must be"),
            (f"timeline?lanes={','.join(['1'] * 1001)}", 400, "at most 1000"),
            ("search", 400, "text must have"),
            (f"search?text={'x' * 201}", 400, "text must have"),
            ("calls/9-9", 404, "No recorded call has the ID 9-9"),
            ("calls/%3Cscript%3E", 404, "<script>"),
        ):
            response = self.get(path)
            self.assertEqual(status, response.status, path)
            self.assertIn(part, response.json["message"])

    def test_no_recording(self) -> None:
        """Without a recording, the sentence says how to make one."""
        served = Served()
        for path in _PATHS:
            response = served.get(f"/api/recording/{path}")
            self.assertEqual((404, "no_recording"), (response.status, response.json["error"]))
            self.assertIn("--record DIR", response.json["message"])

    def test_unreadable(self) -> None:
        """A recording that cannot be read any more is an error, with the reason."""
        (self.folder / manifest.NAME).unlink()
        response = self.get("lanes")
        self.assertEqual((503, "unreadable_recording"), (response.status, response.json["error"]))
        self.assertIn("it has no manifest", response.json["message"])

    def test_token(self) -> None:
        """Single calls need the token."""
        reader = DirectReader.of(self.folder)
        served = Served(Access(http_token=Token(b"sesame")), recording=reader)
        for path in _PATHS:
            self.assertEqual(401, served.get(f"/api/recording/{path}").status)
