"""Tests of the endpoints for the profile that the traced program needs."""

import json
import platform
import shutil
from typing import Any, cast

import attrs
from jsonschema import Draft202012Validator
from treq.testing import StubTreq
from twisted.internet.defer import maybeDeferred
from twisted.trial.unittest import SynchronousTestCase
from twisted.web.resource import IResource

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta, Span
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.times import SECOND_NS
from syswatch.profiles.argument_rules import Level
from syswatch.profiles.basis import Basis
from syswatch.profiles.formats import CONTENTS, bwrap, json_form, registry
from syswatch.profiles.formats.outcome import FormatError, Target
from syswatch.profiles.formats.registry import WRITERS, read_any
from syswatch.profiles.making import make
from syswatch.profiles.needs import Wanted, needed
from syswatch.profiles.profile import Profile
from syswatch.settings.access import Access, Token
from syswatch.web import slow_responses
from tests.profiles.samples import DAY_NS, SERVER, refused, seen

from .served import EXAMPLE, FakeSession, Served

_TRACED = Delta(
    evidence={**SERVER, **refused("ptrace", 16)},
    span=Span(DAY_NS - SECOND_NS, DAY_NS + 20 * SECOND_NS),
)


class ProfileApiTests(SynchronousTestCase):
    """A trace with evidence."""

    def setUp(self) -> None:
        """Serve a trace, and compute at once."""
        self.patch(slow_responses, "deferToThread", maybeDeferred)
        self.patch(platform, "machine", lambda: "x86_64")
        self.served = Served(session=FakeSession.of(_TRACED))

    def test_formats(self) -> None:
        """Each format is what `syswatch profile` writes, with a type and a name of its own."""
        names = set()
        for form in CONTENTS:
            response = self.served.get(f"/api/profile?format={form}")
            self.assertEqual(200, response.status, form)
            names.add(response.headers.get("content-disposition"))
            if form != "json":
                expected = WRITERS[form](needed(SERVER, Wanted())).content
                self.assertEqual(expected, response.body, form)
        self.assertEqual(len(CONTENTS), len(names))
        self.assertIn('attachment; filename="seccomp.bpf"', names)
        self.assertEqual(
            self.served.get("/api/profile?format=text").body, self.served.get("/api/profile").body
        )

    def test_all_evidence(self) -> None:
        """The format that `syswatch profile` reads has all evidence, refused calls included."""
        content = self.served.get("/api/profile?format=json").body
        loaded = read_any(content, Target("x86_64"))
        assert not isinstance(loaded, bwrap.Filter)
        self.assertEqual(needed(SERVER, Wanted()), loaded.profile)
        expected = {
            key._replace(architecture=key.architecture or "x86_64"): tally
            for key, tally in _TRACED.evidence.items()
        }
        self.assertEqual(expected, json_form.read_basis(content).evidence)

    def test_levels(self) -> None:
        """A stricter level permits less."""
        sizes = [
            len(self._profile(f"/api/profile?format=json&level={level}").rules)
            for level in ("exact", "default")
        ]
        self.assertLess(*sizes)
        broad = self._profile("/api/profile?format=json&level=broad")
        self.assertEqual({"i386", "x32", "x86_64"}, {each.name for each in broad.architectures})

    def test_files(self) -> None:
        """What the trace tells of files is in the profile: what is written, and what was loaded."""
        ls = shutil.which("ls") or ""
        program, log = (ObjectInfo(ObjectKind.FILE, name) for name in (ls, "/none/such/log"))
        files = Delta(
            activity={
                ActivityKey(7, 7, program.id, "execve"): Sums(count=1),
                ActivityKey(7, 7, log.id, "write"): Sums(count=1, bytes_out=3),
            },
            objects={each.id: each for each in (program, log)},
        )
        traced = attrs.evolve(_TRACED, activity=files.activity, objects=files.objects)
        self.served.session.snapshot = FakeSession.of(traced).snapshot
        unit = self.served.get("/api/profile?format=systemd").body
        self.assertIn(b'\nReadWritePaths="-/none/such"\n', unit)
        basis = json_form.read_basis(self.served.get("/api/profile?format=json").body)
        self.assertEqual(({ls}, {"/none/such"}), (basis.loaded, basis.written))
        broad = self._profile("/api/profile?format=json&level=broad")
        expected = make(Basis.of(traced), Wanted(Level.BROAD))
        self.assertEqual(expected.profile, broad)
        likely = [each for reasons in broad.rules.values() for each in reasons.sentences]
        self.assertTrue([each for each in likely if each.startswith(f"likely: {ls} imports")])

    def test_no_files(self) -> None:
        """Where nothing is known of files, the summary says what is missing."""
        found = self.served.get("/api/profile/summary?level=broad").json
        self.assertIn(
            "Likely calls are missing: it is not known which programs and libraries were loaded.",
            found["Notes"],
        )
        (unit,) = (each for each in found["Formats"] if each["Name"] == "systemd")
        self.assertIn("it is not known which files the program writes", unit["Losses"][-1])

    def _profile(self, path: str) -> Profile:
        return json_form.read(self.served.get(path).body).profile

    def test_unknown(self) -> None:
        """An unknown format or level is refused with a list of those that exist."""
        for query, listed in (
            ("format=xml", "format must be one of: text, json, oci, systemd, kubernetes, bwrap."),
            ("level=lax", "level must be one of: exact, default, broad."),
        ):
            response = self.served.get(f"/api/profile?{query}")
            self.assertEqual((400, listed), (response.status, response.json["message"]))
        self.assertEqual(400, self.served.get("/api/profile/summary?level=lax").status)

    def test_summary(self) -> None:
        """The summary has the described form, and says when the last new call was seen."""
        document = self.served.get("/api/openapi.json").json
        said = document["paths"]["/api/profile/summary"]["get"]["responses"]["200"]
        schema = {
            **said["content"]["application/json"]["schema"],
            "components": document["components"],
        }
        found = self.served.get("/api/profile/summary").json
        Draft202012Validator(schema).validate(found)
        self.assertEqual((SECOND_NS, 20 * SECOND_NS), (found["After"], found["Quiet"]))
        self.assertEqual("8 system calls needed so far; nothing new for 20s.", found["Verdict"])

    def test_not_counted(self) -> None:
        """Without the option, one sentence names it; with it, there may be no calls yet."""
        for path in ("/api/profile", "/api/profile/summary", "/api/profile?format=oci"):
            response = Served(session=FakeSession.of(EXAMPLE)).get(path)
            self.assertEqual((404, "no_evidence"), (response.status, response.json["error"]))
            self.assertIn("--profile", response.json["message"])
        begun = Served(session=FakeSession.of(EXAMPLE), counts_evidence=True)
        self.assertEqual(
            "No call has been seen yet.", begun.get("/api/profile/summary").json["Verdict"]
        )

    def test_offered(self) -> None:
        """The dashboard learns whether evidence is counted, also from a recording that has it."""
        for served, expected in (
            (Served(session=FakeSession.of(EXAMPLE)), None),
            (Served(session=FakeSession.of(EXAMPLE), counts_evidence=True), True),
            (self.served, True),
        ):
            self.assertIs(expected, served.get("/api/dashboard").json.get("Profile"))

    def test_not_expressible(self) -> None:
        """A profile that a format cannot hold, or of an unknown machine, is refused with why."""

        def fail(_profile: Profile) -> None:
            raise FormatError("it is too long")

        self.patch(registry, "WRITERS", {**WRITERS, "bwrap": fail})
        response = self.served.get("/api/profile?format=bwrap")
        self.assertEqual((409, "not_expressible"), (response.status, response.json["error"]))
        self.assertIn("it is too long", response.json["message"])
        self.patch(platform, "machine", lambda: "vax")
        response = self.served.get("/api/profile")
        self.assertEqual(409, response.status)
        self.assertIn("is not supported", response.json["message"])

    def test_once_a_tick(self) -> None:
        """What is computed of a snapshot is kept until the next one."""
        first = self.served.get("/api/profile?format=json")
        tag = {"If-None-Match": first.headers["etag"]}
        self.assertEqual(304, self.served.get("/api/profile?format=json", tag).status)
        self.served.session.snapshot = FakeSession.of(_TRACED, Delta(evidence=seen("dup"))).snapshot
        later = json.loads(self.served.get("/api/profile?format=json", tag).body)
        self.assertIn("dup", {rule["Call"] for rule in later["Rules"]})

    def test_treq(self) -> None:
        """A client gets a file, and needs the token."""
        served = Served(Access(http_token=Token(b"sesame")), FakeSession.of(_TRACED))
        client: Any = StubTreq(cast("IResource", served.web.root))
        url = "http://127.0.0.1:8080/api/profile?format=systemd"
        refusal = self.successResultOf(client.get(url))
        self.assertEqual(401, refusal.code)
        headers: Any = {"Authorization": "Bearer sesame"}
        answer = self.successResultOf(client.get(url, headers=headers))
        self.assertEqual(200, answer.code)
        body = self.successResultOf(answer.content())
        self.assertIn(b"SystemCallFilter=", body)
