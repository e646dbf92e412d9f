"""Tests of the other formats of exports."""

import csv
import io
import json
import re
import sys
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.codec.event_frames import Loss
from syswatch.codec.events import Flag
from syswatch.model.times import SECOND_NS
from syswatch.recording.export.formats import WRITERS
from syswatch.recording.export.selection import Selection
from syswatch.recording.extra import load
from syswatch.recording.forms import EXPORTS
from syswatch.recording.read.opening import Recording
from tests.options.parsing import error_of
from tests.recording import samples
from tests.recording.samples import BEGUN_NS, Call
from tests.system.servers import SYSWATCH
from tests.system.shell import run

from .exported import exported

_BEGUN_S = BEGUN_NS // SECOND_NS


class FormatTests(TestCase):
    """What is written."""

    def setUp(self) -> None:
        """Write a recording."""
        self.losses = [Loss(7, _BEGUN_S + 1, 5)]
        self.folder = samples.write(Path(self.mktemp()), losses=self.losses)

    def test_registry(self) -> None:
        """There is a writer for every format."""
        self.assertEqual(list(EXPORTS), list(WRITERS))

    def test_chrome(self) -> None:
        """The file is JSON; every call is an event with exact times."""
        text = exported(self.folder, "chrome").decode()
        events = json.loads(text)["traceEvents"]
        calls = [event for event in events if event["ph"] in "XB"]
        self.assertEqual(len(samples.SOME), len(calls))
        for call, event in zip(sorted(samples.SOME, key=lambda c: c.start_ns), calls, strict=True):
            self.assertEqual(
                (call.name, call.pid, call.tid), (event["name"], event["pid"], event["tid"])
            )
            self.assertEqual(call.duration_ns is None, event["ph"] == "B")
            if call.duration_ns is not None:
                self.assertEqual(call.duration_ns, round(event["dur"] * 1000))
        self.assertIn('"ts":1700000000000010.000,', text)
        names = {
            e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"
        }
        self.assertEqual({"cat", "sh"}, names)
        (missing,) = [event for event in events if event["ph"] == "C"]
        self.assertEqual({"thread 7": 5}, missing["args"])

    def test_strace(self) -> None:
        """Lines are those of strace, with a line where calls are missing, and for the end."""
        lines = exported(self.folder, "strace").decode().splitlines()
        self.assertEqual('7     1700000000.000001 openat("/etc/hosts") = 3 <0.000005000>', lines[0])
        self.assertEqual(
            '7     1700000000.000020 openat("/nowhere") = -1 ENOENT (No such file or directory)'
            " <0.000000400>",
            lines[2],
        )
        self.assertIn("7     1700000001.000000 --- 5 calls missing ---", lines)
        self.assertIn("9     1700000001.300000 +++ exited with 0 +++", lines)
        self.assertEqual("7     1700000002.400000 read(0 <unfinished ...>", lines[-1])

    def test_strace_again(self) -> None:
        """What `stats` reads from it has the same calls, errors and times."""
        calls = samples.many(2000)
        folder = samples.write(Path(self.mktemp()), calls, calls_in_segment=700)
        log = Path(self.mktemp())
        log.write_bytes(exported(folder, "strace"))
        result = run([*SYSWATCH, "stats", "--format", "json", str(log)])
        found = {
            each["Name"]: (each["Count"], each["Errors"], each["TotalTime"])
            for each in json.loads(result.stdout)["Stats"]
        }
        expected: dict[str, tuple[int, int, int]] = {}
        for call in calls:
            count, errors, time_ns = expected.get(call.name, (0, 0, 0))
            errors += bool(call.errno)
            expected[call.name] = count + 1, errors, time_ns + (call.duration_ns or 0)
        self.assertEqual(expected, found)

    def test_tables(self) -> None:
        """CSV and Parquet have every call that returned, with its object."""
        lines = list(csv.DictReader(io.StringIO(exported(self.folder, "csv").decode())))
        table = load("pyarrow.parquet").read_table(io.BytesIO(exported(self.folder, "parquet")))
        returned = [call for call in samples.SOME if call.duration_ns is not None]
        for names in ([line["name"] for line in lines], table["name"].to_pylist()):
            self.assertEqual(sorted(call.name for call in returned), sorted(names))
        objects = {line["name"]: line["object_name"] for line in lines}
        self.assertEqual(samples.PEER.name, objects["recvfrom"])

    def test_folded(self) -> None:
        """Each line has a stack and microseconds."""
        lines = exported(self.folder, "folded").decode().splitlines()
        self.assertIn(f"cat 7;thread 7;recvfrom;{samples.PEER.name} 900000", lines)
        self.assertIn("sh 9;thread 9;getpid 0", lines)

    def test_range(self) -> None:
        """Calls that were in progress in a range of time are written, and no others."""
        since_ns, until_ns = BEGUN_NS + SECOND_NS, BEGUN_NS + 2 * SECOND_NS
        for form in ("strace", "csv", "chrome"):
            text = exported(self.folder, form, since_ns, until_ns).decode()
            for call in samples.SOME:
                inside = call.start_ns < 2 * SECOND_NS and call.end_ns >= SECOND_NS
                found = re.search(rf"\b{call.name}\b", text)
                self.assertEqual(inside, found is not None, (form, call.name))

    def test_ended_with_process(self) -> None:
        """A call is in progress until its process ends; one that exits ends at once."""
        folder = samples.write(Path(self.mktemp()), samples.ENDED, lives=samples.ENDED_LIVES)
        for at_s, names in ((0, {"read", "exit_group", "pause"}), (2, {"read", "pause"})):
            since_ns = BEGUN_NS + at_s * SECOND_NS
            for form in ("strace", "chrome"):
                text = exported(folder, form, since_ns, since_ns + SECOND_NS // 2).decode()
                found = set(re.findall(r"\b(?:read|exit_group|pause)\b", text))
                self.assertEqual(names, found, (form, at_s))
        self.assertNotIn(b"read", exported(folder, "strace", BEGUN_NS + 4 * SECOND_NS))
        self.assertIn(b"pause", exported(folder, "strace", BEGUN_NS + 4 * SECOND_NS))

    def test_ended_with_thread(self) -> None:
        """A call ends with its thread, too, as the deltas tell."""
        selection = Selection(Recording.open(self.folder), BEGUN_NS + 3 * SECOND_NS)
        self.assertEqual(["read"], [row.name for rows in selection.parts() for row in rows])
        selection.known.thread_ends[7] = [BEGUN_NS + 2 * SECOND_NS, BEGUN_NS + 5 * SECOND_NS // 2]
        self.assertEqual([], [row for rows in selection.parts() for row in rows])

    def test_hidden_arguments(self) -> None:
        """Arguments that were not recorded are not made up."""
        calls = [Call(1000, flags=Flag.NO_ARGUMENTS, name="read", result=5)]
        folder = samples.write(Path(self.mktemp()), calls)
        self.assertIn(b"read(...)", exported(folder, "strace"))

    def test_damaged(self) -> None:
        """A damaged segment is left out, and the others are written."""
        (self.folder / "calls" / "00000000.parquet").write_bytes(b"PAR1")
        for form in WRITERS:
            self.assertTrue(exported(self.folder, form), form)
        self.assertNotIn(b"openat", exported(self.folder, "strace"))


class CommandTests(TestCase):
    """The command `export`."""

    def test_output(self) -> None:
        """It writes to standard output, and says first what is missing."""
        folder = samples.write(Path(self.mktemp()), losses=[Loss(7, _BEGUN_S, 5)])
        result = run([*SYSWATCH, "export", str(folder), "--to", "strace", "--since", "+1"])
        self.assertIn("5 calls are missing", result.stderr)
        self.assertIn("sendfile(", result.stdout)
        self.assertNotIn("openat(", result.stdout)
        self.assertEqual(0, result.returncode)

    def test_mistakes(self) -> None:
        """A mistake is one sentence."""
        folder = samples.write(Path(self.mktemp()))
        for words, message in (
            ((str(folder),), "export: missing --to; choose from: perfetto, chrome"),
            ((str(folder), "more", "--to", "csv"), "expected one DIR, and not 'more' as well"),
            ((str(folder), "--to", "xml"), "--to: invalid value 'xml' (choose from perfetto"),
        ):
            self.assertIn(message, error_of("export", *words))
        result = run([*SYSWATCH, "export", str(folder), "--to", "csv", "--since", "noon"])
        self.assertEqual(2, result.returncode)
        self.assertIn("syswatch: invalid time 'noon' (expected", result.stderr)

    def test_unreadable(self) -> None:
        """A directory that cannot be read has the exit status of other commands."""
        folder = Path(self.mktemp())
        folder.mkdir()
        for name, reason in (
            ("/none", "no such directory"),
            (str(folder), "it is a directory without a recording: it has no manifest"),
        ):
            result = run([*SYSWATCH, "export", name, "--to", "csv"])
            self.assertEqual(
                (f"syswatch: {name}: {reason}\n", 2), (result.stderr, result.returncode)
            )

    def test_backwards(self) -> None:
        """A range that ends before it begins, or as it begins, is a usage error."""
        folder = samples.write(Path(self.mktemp()))
        file = Path(self.mktemp())
        words = [*SYSWATCH, "export", str(folder), "--to", "strace", "-o", str(file)]
        for since, until in (("+5", "+1"), ("+1", "+1"), ("+1", "22:13:20.5")):
            result = run([*words, "--since", since, "--until", until])
            message = f"--until ({until}) must be later than --since ({since})"
            self.assertEqual((2, f"syswatch: {message}\n"), (result.returncode, result.stderr))
            self.assertFalse(file.exists())
        self.assertEqual(0, run([*words, "--until", "+0"]).returncode)

    def test_missing_package(self) -> None:
        """Without the extra, one sentence names it."""
        folder = samples.write(Path(self.mktemp()))
        code = (
            "import sys; sys.modules['perfetto.protos'] = None;"
            "from syswatch.app.cli import main; main(sys.argv[1:])"
        )
        out = Path(self.mktemp())
        words = ("export", str(folder), "--to", "perfetto", "-o", str(out))
        result = run([sys.executable, "-c", code, *words])
        message = "recordings need the package perfetto: pip install 'syswatch[record]'"
        self.assertEqual((f"syswatch: {message}\n", 1), (result.stderr, result.returncode))
        self.assertFalse(out.exists())
