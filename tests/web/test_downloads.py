"""Tests of the downloads: tables, and the recording as a whole."""

import csv
import io
from pathlib import Path
from typing import Any
from urllib.parse import quote

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.trial.unittest import SynchronousTestCase

from syswatch.recording.packing import packed
from syswatch.settings.access import Access, Token
from syswatch.web import recording_download
from tests.recording import samples
from tests.recording.samples import SOME, delta_of

from .recorded import DirectReader
from .served import FakeSession, Served, request

_PATH = "/api/recording/download"


class TableTests(SynchronousTestCase):
    """The tables of the dashboard."""

    def setUp(self) -> None:
        """Serve some calls."""
        self.served = Served(session=FakeSession.of(delta_of(SOME)))

    def rows(self, query: str = "") -> list[dict[str, str]]:
        """Return the rows of a table as CSV."""
        response = self.served.get(f"/api/download?{query}")
        self.assertEqual(200, response.status, response.body)
        self.assertEqual("text/csv; charset=utf-8", response.headers["content-type"])
        return list(csv.DictReader(io.StringIO(response.body.decode())))

    def test_calls(self) -> None:
        """The calls have the numbers of the API."""
        rows = {row["Name"]: row for row in self.rows()}
        for each in self.served.get("/api/stats").json:
            for key in ("Count", "Errors", "TotalTime", "P99"):
                self.assertEqual(str(each[key]), rows[each["Name"]][key])

    def test_filters(self) -> None:
        """The filters of the dashboard limit the rows."""
        self.assertEqual(["openat"], [row["Name"] for row in self.rows("filter=PENAT")])
        names = {row["Name"] for row in self.rows("kinds=NET,PROC")}
        self.assertEqual({"recvfrom", "getpid"}, names)
        self.assertEqual([], self.rows("filter=nothing"))
        objects = self.rows("table=objects&kinds=tcp")
        self.assertEqual(["tcp"], [row["Kind"] for row in objects])
        self.rows("table=objects&kinds=idle")
        refused = self.served.get("/api/download?kinds=NET,sockets")
        self.assertEqual(400, refused.status)
        self.assertIn("kinds must be a list of: FS, I/O", refused.json["message"])

    def test_every_table(self) -> None:
        """Every table can be downloaded in both forms, with the same rows."""
        for table in ("calls", "objects", "threads", "slowest", "log", "files", "processes"):
            rows = self.rows(f"table={table}")
            response = self.served.get(f"/api/download?table={table}&format=json")
            self.assertEqual(
                f'attachment; filename="{table}.json"', response.headers["content-disposition"]
            )
            self.assertEqual(len(rows), len(response.json), table)
            # In CSV, a column that few rows have is there for all.
            self.assertLessEqual({key for row in response.json for key in row}, self.titles(table))

    def test_no_rows(self) -> None:
        """The titles are there without rows; only errors that happened add some."""
        for table in ("calls", "slowest", "processes"):
            titles = self.titles(table, "nothing of this name")
            more = self.titles(table) - titles
            self.assertEqual({"ErrorBreakdown.ENOENT"} if table == "calls" else set(), more)
            self.assertIn("Count" if table == "calls" else "PID", titles)

    def titles(self, table: str, text: str = "") -> set[str]:
        """Return the titles of a table of CSV."""
        response = self.served.get(f"/api/download?table={table}&filter={quote(text)}")
        return set(next(csv.reader(io.StringIO(response.body.decode()))))

    def test_range(self) -> None:
        """A range is refused where it would not be exact."""
        first = samples.BEGUN_NS // 1_000_000
        refused = self.served.get(f"/api/download?from={first}&to={first + 9}")
        self.assertEqual((400, "no_exact_range"), (refused.status, refused.json["error"]))
        self.assertNotIn("content-disposition", refused.headers)
        self.rows(f"table=threads&from={first}&to={first + 9}")


class RecordingTests(SynchronousTestCase):
    """The recording as an archive."""

    def setUp(self) -> None:
        """Serve a recording, and read it without threads."""
        self.patch(recording_download, "deferToThread", maybeDeferred)
        self.folder = samples.write(Path(self.mktemp()).absolute() / "app.rec")
        self.served = Served(recording=DirectReader.of(self.folder))

    def test_whole(self) -> None:
        """The archive is the same recording."""
        response = self.served.get(_PATH)
        self.assertEqual("application/x-tar", response.headers["content-type"])
        self.assertEqual(
            'attachment; filename="app.rec.tar"', response.headers["content-disposition"]
        )
        self.assertEqual(b"".join(packed(self.folder)), _unchunked(response.body))

    def test_link(self) -> None:
        """A link in place of a file breaks the connection off, unless nothing was sent yet."""
        path = self.folder / "calls" / "00000009.parquet"
        path.symlink_to("/etc/passwd")
        connection = self.served.connect()
        body = connection.send(request(_PATH))
        self.assertTrue(connection.transport.disconnecting or connection.transport.disconnected)
        self.assertNotIn(b"root:", body)
        connection.lose()
        self.assertFalse(bytes(connection.transport.value()).endswith(b"0\r\n\r\n"))
        (self.folder / "deltas").unlink()
        (self.folder / "deltas").symlink_to("/etc/passwd")
        response = self.served.get(_PATH)
        self.assertEqual((503, "unreadable_recording"), (response.status, response.json["error"]))

    def test_slow_client(self) -> None:
        """Nothing is sent while the client is behind, and nothing is read after it has gone."""
        reads = self.delayed_reads()
        connection = self.served.connect()
        connection.send(request(_PATH))
        reads[0].callback(None)  # The manifest.
        reads[1].callback(None)
        connection.transport.protocol.pauseProducing()
        sent = connection.transport.value()
        reads[2].callback(None)
        self.assertEqual((3, sent), (len(reads), connection.transport.value()))
        connection.transport.protocol.resumeProducing()
        self.assertEqual(4, len(reads))
        self.assertNotEqual(sent, connection.transport.value())
        connection.lose()
        reads[3].callback(None)
        self.assertEqual(4, len(reads))

    def test_gone_early(self) -> None:
        """A client may go before anything is read."""
        reads = self.delayed_reads()
        connection = self.served.connect()
        connection.send(request(_PATH))
        connection.lose()
        reads[0].callback(None)
        reads[1].callback(None)
        self.assertEqual(2, len(reads))
        self.assertEqual([], self.flushLoggedErrors())

    def test_unreadable(self) -> None:
        """What cannot be read at all is an error with a reason."""
        (self.folder / "manifest.json").write_text("{")
        response = self.served.get(_PATH)
        self.assertEqual((503, "unreadable_recording"), (response.status, response.json["error"]))
        self.assertIn("manifest is damaged", response.json["message"])
        self.assertNotIn("content-disposition", response.headers)

    def delayed_reads(self) -> list[Deferred[Any]]:
        """Return what tests fire to let something be read."""
        reads: list[Deferred[Any]] = []

        def later(function: Any, *arguments: Any) -> Deferred[Any]:
            reads.append(Deferred())
            return reads[-1].addCallback(lambda _: function(*arguments))

        self.patch(recording_download, "deferToThread", later)
        return reads

    def test_limit(self) -> None:
        """Only a few downloads are in progress at a time."""
        self.patch(recording_download, "deferToThread", lambda *_: Deferred())
        for _ in range(4):
            self.served.connect().send(request(_PATH))
        refused = self.served.get(_PATH)
        self.assertEqual((503, "too_many_downloads"), (refused.status, refused.json["error"]))

    def test_guarded(self) -> None:
        """It needs the token, a recording, and a page of this server."""
        guarded = Served(
            Access(http_token=Token(b"sesame")), recording=DirectReader.of(self.folder)
        )
        self.assertEqual(401, guarded.get(_PATH).status)
        self.assertEqual(404, Served().get(_PATH).status)
        self.assertEqual(403, self.served.get(_PATH, {"Origin": "http://evil.example"}).status)
        head = self.served.get(_PATH, method="HEAD")
        self.assertEqual((200, b""), (head.status, head.body))


def _unchunked(body: bytes) -> bytes:
    """Return what was sent in chunks."""
    found = b""
    while True:
        size, _, body = body.partition(b"\r\n")
        if not int(size, 16):
            return found
        found, body = found + body[: int(size, 16)], body[int(size, 16) + 2 :]
