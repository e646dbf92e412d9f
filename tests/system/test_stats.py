"""Tests of `syswatch stats` as users type it."""

import csv
import gzip
import io
import json
import os
import pty
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping

from syswatch.recording import manifest
from tests import samples
from tests.system.servers import PATIENCE_S, SYSWATCH, TWISTD
from tests.system.shell import run
from tests.system.stats_case import LINE, LOG, StatsTestCase, stats


class SummaryTests(StatsTestCase):
    """The summary of `stats`."""

    def test_table(self) -> None:
        """The table is printed on stdout, with colours only on a terminal."""
        printed = self.assert_well(stats(LOG))

        self.assertRegex(printed, r"(?m)^\d+ calls \(\d+ distinct\) in ")
        self.assertRegex(printed, r"(?m)^nanosleep|^clock_nanosleep")
        self.assertNotIn("\x1b", printed)

    def test_formats(self) -> None:
        """The machine-readable tables agree with strace's table and with each other."""
        counted = samples.table(LOG.read_bytes())
        expected = {name: (row.calls, row.errors) for name, row in counted.items()}

        whole = json.loads(self.assert_well(stats("--format", "json", LOG)))
        lines = self.assert_well(stats("--format", "ndjson", LOG)).splitlines()
        rows = list(csv.DictReader(io.StringIO(self.assert_well(stats("--format", "csv", LOG)))))

        self.assertEqual(expected, {r["Name"]: (r["Count"], r["Errors"]) for r in whole["Stats"]})
        # A line has what fits into a row, so not the histogram.
        table = [{k: v for k, v in row.items() if k != "Histogram"} for row in whole["Stats"]]
        self.assertEqual(table, [json.loads(line) for line in lines])
        self.assertEqual(expected, {r["Name"]: (int(r["Count"]), int(r["Errors"])) for r in rows})
        self.assertEqual("./waits", whole["Status"]["Proc"]["Exe"])
        self.assertTrue(whole["Status"]["Done"])

    def test_all_ways_in(self) -> None:
        """A file, a compressed file and standard input give the same table."""
        whole = self.assert_well(stats(LOG))
        packed = self.file("log.gz", gzip.compress(LOG.read_bytes()))

        self.assertEqual(whole, self.assert_well(stats(packed)))
        for path in (LOG, packed):
            with path.open("rb") as log:
                self.assertEqual(whole, self.assert_well(stats("-", stdin=log.fileno())))

    def test_several_files(self) -> None:
        """The files of several processes are summed, with a table per process if requested."""
        files = [self.file(f"ff.{pid}", b"close(3) = 0 <0.000001>\n" * pid) for pid in (2, 3)]

        whole = json.loads(self.assert_well(stats("--format", "json", "--per-pid", *files)))
        printed = self.assert_well(stats("--per-pid", *files))

        self.assertEqual(5, whole["Status"]["Total"])
        self.assertEqual([(2, 2), (3, 3)], [(p["PID"], p["Count"]) for p in whole["Processes"]])
        self.assertIn("process 2\n", printed)

    def test_flags_before_and_after(self) -> None:
        """Options are accepted before and after the command name, also under twistd."""
        expected = self.assert_well(stats("--format", "ndjson", LOG))
        twistd = [*TWISTD, "--nodaemon", "--pidfile=", "--logfile=/dev/null", "syswatch"]

        for command in (
            [*SYSWATCH, "--format", "ndjson", "stats", str(LOG)],
            [*twistd, "--format", "ndjson", "stats", str(LOG)],
            [*twistd, "stats", "--format", "ndjson", str(LOG)],
        ):
            self.assertEqual(expected, run(command).stdout, command)

    def test_odd_lines(self) -> None:
        """Lines that cannot be parsed are counted, and shown with --debug."""
        path = self.file("log", LINE + b"what\x1b[31m?\n")

        self.assertIn("1 log line that is not a known", self.assert_well(stats(path)))
        self.assertNotIn("what", stats(path).stdout)
        debugging = stats("--debug", path)
        self.assertIn("what\\x1b[31m?", debugging.stdout + debugging.stderr)
        self.assertNotIn("\x1b", debugging.stdout + debugging.stderr)

    def test_recording(self) -> None:
        """A recording gives the same answers as the log that it was made from."""
        recording = self.folder / "recording"
        log = samples.LOGS / "threads.log"
        expected = self.assert_well(stats("--format", "json", log))
        stats("--record", recording, log)

        self.assertEqual(
            expected, self.assert_well(stats("--format", "json", recording / "deltas"))
        )

    def test_recorded_ending(self) -> None:
        """A recording holds how the command ended; `stats` itself succeeds."""
        recording = self.folder / "recording"
        for code, expected in (("exit 3", (3, None)), ("kill -9 $$", (None, 9))):
            command = [*SYSWATCH, "run", "--backend", "ptrace", "--record", str(recording)]
            run([*command, "--", "sh", "-c", code])

            about = manifest.read(recording)
            self.assertEqual(expected, (about.exit_code, about.exit_signal))
            summary = self.assert_well(stats("--format", "json", recording / "deltas"))
            shutil.rmtree(recording)
            status = json.loads(summary)["Status"]
            self.assertEqual(expected, (status["ExitCode"], status["ExitSignal"]))

    def test_filters(self) -> None:
        """Logs are filtered with the same expressions as live traces."""
        whole = json.loads(self.assert_well(stats("-e", "%file", "--format", "json", LOG)))

        self.assertEqual("-e %file", whole["Status"]["Only"])
        self.assertIn("execve", {row["Name"] for row in whole["Stats"]})
        self.assertNotIn("clock_nanosleep", {row["Name"] for row in whole["Stats"]})
        for words in (("-e", "nonsense"), ("--status", "x"), ("--redact", "("), ("-s", "x")):
            self.assert_refused(2, command=[*SYSWATCH, "stats", *words, str(LOG)])

    def test_filters_of_recordings(self) -> None:
        """A filter that needs single calls is refused for a recording."""
        recording = self.folder / "recording"
        stats("--record", recording, LOG)

        for words in (("-P", "/a"), ("--status", "failed"), ("--per-pid",)):
            command = [*SYSWATCH, "stats", *words, str(recording / "deltas")]
            self.assert_refused(2, "recording", command=command)

    def test_report(self) -> None:
        """A report is one self-contained file."""
        report = self.folder / "report.html"
        self.assert_well(stats("--report", report, "--report-top-files", "3", LOG))
        page = report.read_text("utf-8")

        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertIn("clock_nanosleep", page)
        self.assertNotRegex(page, r"(?:src|href)=\"https?://")
        self.assertEqual([report], list(self.folder.iterdir()))

    def test_ascii_terminal(self) -> None:
        """On an ASCII terminal, other characters are escaped."""
        result = subprocess.run(
            [*SYSWATCH, "stats", str(LOG)],
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            timeout=PATIENCE_S,
            check=False,
        )

        self.assertEqual((0, b""), (result.returncode, result.stderr))
        self.assertIn(b"\\xb5s", result.stdout)

    def test_nobody_reads_on(self) -> None:
        """A closed pipe is not an error."""
        with subprocess.Popen(
            [*SYSWATCH, "stats", str(LOG)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            self.assertEqual(b"", process.stderr.read())


class TerminalTests(StatsTestCase):
    """Output on a terminal."""

    def on_terminal(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        stdin: int,
        look: Callable[[bytes], None] = lambda _: None,
    ) -> str:
        """Run it on a new terminal; pass its output to `look`, and return all of it."""
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
        except OSError:  # The end of a terminal.
            pass
        os.close(ours)
        self.assertEqual(0, process.wait(PATIENCE_S), shown)
        return shown.decode()

    def test_colours(self) -> None:
        """Terminals get colours, unless NO_COLOR is set."""
        with LOG.open("rb") as log:
            self.assertIn("\x1b[", self.on_terminal("-", stdin=log.fileno()))
        for environment in ({"NO_COLOR": "1"}, {"NO_COLOR": "yes"}):
            with LOG.open("rb") as log:
                shown = self.on_terminal("-", environment=environment, stdin=log.fileno())
            self.assertNotRegex(shown, r"\x1b\[\d+m")

    def test_progress(self) -> None:
        """Progress is shown while a log is read, and erased at the end."""
        progress = r"5 lines  \d+ B/s"
        reading, writing = os.pipe()
        log = os.fdopen(writing, "wb", buffering=0)
        self.addCleanup(log.close)
        log.write(LINE * 5)

        def end_when_seen(shown: bytes) -> None:
            if re.search(progress.encode(), shown):
                log.close()

        shown = self.on_terminal("-", stdin=reading, look=end_when_seen)
        os.close(reading)

        self.assertRegex(shown, progress + r"\r\x1b\[K")
        last = re.split(r"\r\x1b\[K", shown)[-1]
        self.assertNotIn("B/s", last)
        self.assertIn("5 calls (1 distinct)", last)
