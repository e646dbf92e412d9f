"""Tests of `syswatch stats` as users type it."""

import csv
import gzip
import io
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.wire import RECORDING_MAGIC, Decoder
from tests import samples
from tests.reading import total
from tests.system.servers import PATIENCE_S, SYSWATCH, TWISTD, running, tracers_of, wait_for
from tests.system.shell import run

_LOG = samples.LOGS / "waits.log"
_LINE = b'7 1700000000.000001 read(3, "x", 1) = 1 <0.000010>\n'


def stats(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run it."""
    return run([*SYSWATCH, "stats", *map(str, arguments)], **options)


def reads_in(recording: Path) -> int:
    """Return how many calls of read are in a recording, which may go on."""
    if not recording.exists():
        return 0
    decoder = Decoder()
    decoder.receive_data(recording.read_bytes().removeprefix(RECORDING_MAGIC))
    calls = total(list(decoder.events())).calls
    return calls["read"].count if "read" in calls else 0


class StatsTestCase(SynchronousTestCase):
    """What these tests have in common."""

    def setUp(self) -> None:
        """Have a folder."""
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def file(self, name: str, content: bytes) -> Path:
        """Make a file."""
        path = self.folder / name
        path.write_bytes(content)
        return path.absolute()

    def assert_well(self, result: subprocess.CompletedProcess[str]) -> str:
        """Check that all went well and nothing was complained about; return what was printed."""
        self.assertEqual((0, ""), (result.returncode, result.stderr))
        return result.stdout

    def assert_refused(self, status: int, *words: str, command: Sequence[str]) -> None:
        """Check that a mistake is one line with some words, and its status."""
        result = run(command)

        self.assertEqual("", result.stdout, command)
        self.assertEqual(1, result.stderr.count("\n"), result.stderr)
        self.assertTrue(result.stderr.startswith("syswatch: "), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertEqual(status, result.returncode, result.stderr)


class SummaryTests(StatsTestCase):
    """What is printed."""

    def test_table(self) -> None:
        """The table is on standard output, without colours where it is no terminal."""
        printed = self.assert_well(stats(_LOG))

        self.assertRegex(printed, r"^\d+ calls of \d+ kinds in ")
        self.assertRegex(printed, r"(?m)^nanosleep|^clock_nanosleep")
        self.assertNotIn("\x1b", printed)

    def test_formats(self) -> None:
        """The tables for programs agree with strace's own, and with each other."""
        table = samples.table(_LOG.read_bytes())
        expected = {name: (row.calls, row.errors) for name, row in table.items()}

        whole = json.loads(self.assert_well(stats("--format", "json", _LOG)))
        lines = self.assert_well(stats("--format", "ndjson", _LOG)).splitlines()
        rows = list(csv.DictReader(io.StringIO(self.assert_well(stats("--format", "csv", _LOG)))))

        self.assertEqual(expected, {r["Name"]: (r["Count"], r["Errors"]) for r in whole["Stats"]})
        self.assertEqual(whole["Stats"], [json.loads(line) for line in lines])
        self.assertEqual(expected, {r["Name"]: (int(r["Count"]), int(r["Errors"])) for r in rows})
        self.assertEqual("./waits", whole["Status"]["Proc"]["Exe"])
        self.assertTrue(whole["Status"]["Done"])

    def test_all_ways_in(self) -> None:
        """A file, a compressed file and standard input give the same table."""
        whole = self.assert_well(stats(_LOG))
        packed = self.file("log.gz", gzip.compress(_LOG.read_bytes()))

        self.assertEqual(whole, self.assert_well(stats(packed)))
        for path in (_LOG, packed):
            with path.open("rb") as log:
                self.assertEqual(whole, self.assert_well(stats("-", stdin=log.fileno())))

    def test_several_files(self) -> None:
        """A file for each process makes one picture; each can have its own table."""
        files = [self.file(f"ff.{pid}", b"close(3) = 0 <0.000001>\n" * pid) for pid in (2, 3)]

        whole = json.loads(self.assert_well(stats("--format", "json", "--per-pid", *files)))
        printed = self.assert_well(stats("--per-pid", *files))

        self.assertEqual(5, whole["Status"]["Total"])
        self.assertEqual([(2, 2), (3, 3)], [(p["PID"], p["Count"]) for p in whole["Processes"]])
        self.assertIn("process 2\n", printed)

    def test_flags_before_and_after(self) -> None:
        """A flag may stand before the word stats or after it, also under twistd."""
        expected = self.assert_well(stats("--format", "ndjson", _LOG))
        twistd = [*TWISTD, "--nodaemon", "--pidfile=", "--logfile=/dev/null", "syswatch"]

        for command in (
            [*SYSWATCH, "--format", "ndjson", "stats", str(_LOG)],
            [*twistd, "--format", "ndjson", "stats", str(_LOG)],
            [*twistd, "stats", "--format", "ndjson", str(_LOG)],
        ):
            self.assertEqual(expected, run(command).stdout, command)

    def test_odd_lines(self) -> None:
        """What was not understood is counted, and shown to those who want to know."""
        path = self.file("log", _LINE + b"what\x1b[31m?\n")

        self.assertIn("1 log line that is no record", self.assert_well(stats(path)))
        self.assertNotIn("what", stats(path).stdout)
        debugging = stats("--debug", path)
        self.assertIn("what\\x1b[31m?", debugging.stdout + debugging.stderr)
        self.assertNotIn("\x1b", debugging.stdout + debugging.stderr)

    def test_recording(self) -> None:
        """A recording gives the same answers as the log that it was made from."""
        recording = self.folder / "recording"
        log = samples.LOGS / "threads.log"
        expected = self.assert_well(stats("--format", "json", "--record", recording, log))

        self.assertEqual(expected, self.assert_well(stats("--format", "json", recording)))

    def test_report(self) -> None:
        """A report is one file that needs nothing else."""
        report = self.folder / "report.html"
        self.assert_well(stats("--report", report, "--report-top-files", "3", _LOG))
        page = report.read_text("utf-8")

        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertIn("clock_nanosleep", page)
        self.assertNotRegex(page, r"(?:src|href)=\"https?://")
        self.assertEqual([report], list(self.folder.iterdir()))

    def test_ascii_terminal(self) -> None:
        """Where the terminal knows nothing but ASCII, the rest is escaped."""
        result = subprocess.run(
            [*SYSWATCH, "stats", str(_LOG)],
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            timeout=PATIENCE_S,
            check=False,
        )

        self.assertEqual((0, b""), (result.returncode, result.stderr))
        self.assertIn(b"\\xb5s", result.stdout)

    def test_nobody_reads_on(self) -> None:
        """When the reader of a pipe has read enough, that is no error."""
        with subprocess.Popen(
            [*SYSWATCH, "stats", str(_LOG)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            self.assertEqual(b"", process.stderr.read())


class BadInputTests(StatsTestCase):
    """Mistakes: one clear line, and a status."""

    def test_files(self) -> None:
        """A file that cannot be opened is status 2."""
        empty = self.file("empty", b"")
        for path, words in {
            "/nonexistent": "No such file",
            str(self.folder): "directory",
            str(empty): "empty",
        }.items():
            self.assert_refused(2, path, words, command=[*SYSWATCH, "stats", path])

    def test_unreadable(self) -> None:
        """So is one that may not be read."""
        if os.geteuid() == 0:
            raise SkipTest("root may read everything")
        path = self.file("log", _LINE)
        path.chmod(0)

        self.assert_refused(2, "Permission denied", command=[*SYSWATCH, "stats", str(path)])

    def test_contents(self) -> None:
        """A content that holds nothing, or ends too early, is status 1."""
        binary = Path(sys.executable).resolve()
        table = self.file("table", b"% time     seconds\n------ ---\n100.00  0.1  1  2  total\n")
        for path, words in {
            binary: "no system call record",
            self.file("words", b"Hello, world.\n"): "no system call record",
            table: "only a table",
            self.file("short.gz", gzip.compress(os.urandom(9000))[:5000]): "too early",
            self.file("cut", b"syswatch recording 1\n\x10\x00\x00"): "recording",
        }.items():
            self.assert_refused(1, words, command=[*SYSWATCH, "stats", str(path)])

    def test_partly_readable(self) -> None:
        """What was read before the end came too early is shown, and the status says the rest."""
        packed = gzip.compress(b"".join(b"close(%d) = 0\n" % (n * n) for n in range(50_000)))
        path = self.file("log.gz", packed[: len(packed) // 2])

        result = stats(path)

        self.assertEqual(1, result.returncode)
        self.assertRegex(result.stdout, r"\d+ calls of 1 kind")
        self.assertRegex(result.stderr, r"\Asyswatch: .*too early\n\Z")

    def test_name_that_is_no_text(self) -> None:
        """A file name may be any bytes; what to do is said when it cannot be used."""
        path = os.fsencode(str(self.folder)) + b"/\xff.log"
        with open(path, "wb") as log:  # noqa: PTH123  a Path would need the name as a text
            log.write(_LINE)

        result = subprocess.run(
            [*map(os.fsencode, SYSWATCH), b"stats", path],
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )

        self.assertNotIn(b"Traceback", result.stderr)
        self.assertEqual(2, result.returncode)
        self.assertRegex(result.stderr, rb"\Asyswatch: .*UTF-8.*\n\Z")

    def test_words(self) -> None:
        """A word or a value that is not known is status 2."""
        log = str(_LOG)
        for arguments, words in (
            (["frobnicate"], "frobnicate"),
            ([], "command"),
            (["stats"], "FILE"),
            (["stats", "--frobnicate", log], "frobnicate"),
            (["stats", "--format", "xml", log], "xml"),
            (["stats", "--report-top-files", "many", log], "many"),
            (["stats", "--report", "/nonexistent/report.html", log], "/nonexistent"),
            (["stats", "--record", str(self.folder), log], "directory"),
            (["stats", "--serve", "nowhere", log], "nowhere"),
            (["stats", "--serve", ":99999", log], "99999"),
            (["stats", "--serve", "", log], "address"),
        ):
            self.assert_refused(2, words, command=[*SYSWATCH, *arguments])

    def test_under_twistd(self) -> None:
        """Twistd says the same, with the same status."""
        twistd = [*TWISTD, "--nodaemon", "--pidfile=", "syswatch"]
        for arguments in (
            ["stats", "/nonexistent"],
            ["frobnicate"],
            ["stats", "--serve", "x", str(_LOG)],
        ):
            self.assert_refused(2, command=[*twistd, *arguments])

    def test_port_in_use(self) -> None:
        """A port in use is said before anything is read."""
        with socket.create_server(("127.0.0.1", 0)) as other:
            address = f":{other.getsockname()[1]}"

            self.assert_refused(
                2,
                "already in use",
                address,
                command=[*SYSWATCH, "stats", "--serve", address, str(_LOG)],
            )


class ServingTests(StatsTestCase):
    """A log that is still being written."""

    def serve(self) -> tuple[Any, int]:
        """Serve what comes through a pipe; return the server and the end to write to."""
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        os.write(writing, _LINE)
        return running([*SYSWATCH, "stats", "--serve", ":0", "-"], stdin=reading), writing

    def test_answers_while_reading(self) -> None:
        """Every answer is of what was read so far, and the end is seen."""
        context, writing = self.serve()
        with context as server:
            wait_for(lambda: server.json("/api/status")["Total"] == 1)
            self.assertFalse(server.json("/api/status")["Done"])

            os.write(writing, _LINE * 4)
            wait_for(lambda: server.json("/api/status")["Total"] == 5)
            self.assertEqual(5 * len(_LINE), server.json("/api/status")["Reading"]["Bytes"])
            self.assertEqual(5, server.json("/api/syscall/read")["Count"])

            os.close(writing)
            wait_for(lambda: server.json("/api/status")["Done"])
            self.assertEqual(0.0, server.json("/api/status")["Rate"])
            self.assertEqual(0, server.end(signal.SIGINT))

    def test_interrupted_while_reading(self) -> None:
        """Ctrl+C ends it within seconds, also while the pipe is silent."""
        context, writing = self.serve()
        with context as server:
            wait_for(lambda: server.json("/api/status")["Total"] == 1)

            self.assertEqual(128 + signal.SIGINT, server.end(signal.SIGINT))

            self.assertNotIn(b"Traceback", server.output)
        os.close(writing)

    def test_tracer_is_killed(self) -> None:
        """When the tracer is killed, what was known stays, with the reason; the end is status 1."""
        context, writing = self.serve()
        with context as server:
            wait_for(lambda: server.json("/api/status")["Total"] == 1)
            (tracer,) = tracers_of(server.process.pid)

            os.kill(tracer, signal.SIGKILL)

            status = wait_for(lambda: (found := server.json("/api/status"))["Done"] and found)
            self.assertEqual(1, status["Total"])
            self.assertIn("killed by signal 9", status["Trouble"])
            self.assertEqual(1, server.json("/api/syscall/read")["Count"])
            server.end(signal.SIGTERM)
            self.assertIn(b"killed by signal 9", server.output)
        os.close(writing)

    def test_whole_file(self) -> None:
        """A file says how far it is read, and the server goes on until it is told to stop."""
        with running([*SYSWATCH, "--serve", "127.0.0.1:0", "stats", str(_LOG)]) as server:
            wait_for(lambda: server.json("/api/status")["Done"])
            reading = server.json("/api/status")["Reading"]

            self.assertEqual((100.0, _LOG.stat().st_size), (reading["Percent"], reading["Bytes"]))
            self.assertIsNone(server.process.poll())
            self.assertEqual(0, server.end(signal.SIGTERM))


class InterruptTests(StatsTestCase):
    """Ctrl+C without a server."""

    def test_numbers_until_then(self) -> None:
        """What was seen until then is printed, with the status of an interrupt."""
        reading, writing = os.pipe()
        os.write(writing, _LINE * 3)
        recording = self.folder / "recording"
        with subprocess.Popen(
            [*SYSWATCH, "stats", "--record", str(recording), "-"],
            stdin=reading,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            # What it has counted it writes down at once.
            wait_for(lambda: reads_in(recording) == 3)
            process.send_signal(signal.SIGINT)
            printed, errors = process.communicate(timeout=PATIENCE_S)
        os.close(reading)
        os.close(writing)

        self.assertEqual(130, process.returncode, errors)
        self.assertIn("3 calls of 1 kind", printed)
        self.assertRegex(errors, r"\Asyswatch: interrupted.*\n\Z")


class TerminalTests(StatsTestCase):
    """What people see who look."""

    def on_terminal(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        stdin: int,
        look: Callable[[bytes], None] = lambda _: None,
    ) -> str:
        """Run it on a terminal of our own; `look` at what it shows, and return all of that."""
        ours, theirs = pty.openpty()
        clean = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
        process = subprocess.Popen(
            [*SYSWATCH, "stats", *arguments],
            stdin=stdin,
            stdout=theirs,
            stderr=theirs,
            env={**clean, "TERM": "xterm", **(environment or {})},
        )
        os.close(theirs)
        shown = b""
        try:
            while data := os.read(ours, 65_536):
                shown += data
                look(shown)
        except OSError:  # How the end of a terminal looks.
            pass
        os.close(ours)
        self.assertEqual(0, process.wait(PATIENCE_S), shown)
        return shown.decode()

    def test_colours(self) -> None:
        """Terminals get colours, unless somebody does not want them."""
        with _LOG.open("rb") as log:
            self.assertIn("\x1b[", self.on_terminal("-", stdin=log.fileno()))
        for environment in ({"NO_COLOR": "1"}, {"NO_COLOR": "yes"}):
            with _LOG.open("rb") as log:
                shown = self.on_terminal("-", environment=environment, stdin=log.fileno())
            self.assertNotRegex(shown, r"\x1b\[\d+m")

    def test_progress(self) -> None:
        """A long reading shows how far it is, and takes that away in the end."""
        progress = r"5 lines  \d+ B/s"
        reading, writing = os.pipe()
        log = os.fdopen(writing, "wb", buffering=0)
        self.addCleanup(log.close)
        log.write(_LINE * 5)

        def end_when_seen(shown: bytes) -> None:
            if re.search(progress.encode(), shown):
                log.close()

        shown = self.on_terminal("-", stdin=reading, look=end_when_seen)
        os.close(reading)

        self.assertRegex(shown, progress + r"\r\x1b\[K")
        last = re.split(r"\r\x1b\[K", shown)[-1]
        self.assertNotIn("B/s", last)
        self.assertIn("5 calls of 1 kind", last)
