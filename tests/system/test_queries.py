"""Tests of the command `query`."""

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.event_frames import Loss
from tests import samples as logs
from tests.options.parsing import error_of, text_of
from tests.recording import samples
from tests.system.servers import PATIENCE_S, SYSWATCH, wait_for
from tests.system.shell import run, shell

_LOG = logs.LOGS / "threads.log"
_COUNT = "SELECT count(*) AS calls FROM calls"
# Takes longer than any test.
_ENDLESS = "SELECT count(*) FROM range(1_000_000_000_000) AS r WHERE sqrt(r.range) = 2.5"
_WITHOUT = """
import sys
sys.modules["{package}"] = None
from syswatch.app.cli import main
main(sys.argv[1:])
"""


class QueryTests(SynchronousTestCase):
    """Queries and their output."""

    def setUp(self) -> None:
        """Write a recording."""
        self.folder = str(samples.write(Path(self.mktemp())))

    def _query(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return run([*SYSWATCH, "query", *words])

    def test_table(self) -> None:
        """A query prints a table."""
        result = self._query(self.folder, _COUNT)
        self.assertEqual(
            ("calls\n    7\n", "", 0), (result.stdout, result.stderr, result.returncode)
        )

    def test_several(self) -> None:
        """Several recordings are queried together; a column has their names."""
        parent = Path(self.mktemp())
        parent.mkdir()
        names = [str(parent / name) for name in ("a", "b's", "c")]
        for name, calls in zip(names, (samples.SOME, samples.SOME[:3], ()), strict=True):
            samples.write(Path(name), calls)
        sql = (
            "SELECT recording, count(*) AS calls, count(object_name) AS named"
            " FROM calls_with_objects GROUP BY ALL ORDER BY ALL"
        )
        alone = [
            row
            for name in names
            for row in json.loads(self._query(name, sql, "--format", "json").stdout)
        ]
        together = self._query(*names, sql, "--format", "json")
        self.assertEqual(alone, json.loads(together.stdout))
        self.assertEqual(names[:2], [row["recording"] for row in alone])
        self.assertEqual(
            together.stdout, self._query(f"{parent}/*", sql, "--format", "json").stdout
        )
        # One that is named again, by a pattern or another path, is the same.
        again = (f"{parent}/*", names[0], os.path.relpath(names[2]), f"{names[2]}/")
        self.assertEqual(together.stdout, self._query(*again, sql, "--format", "json").stdout)

    def test_several_losses(self) -> None:
        """What is missing is said of the recording that lacks it, and damage of one is named."""
        cut = str(samples.write(Path(self.mktemp()), losses=[Loss(7, 1_700_000_000, 5)]))
        result = self._query(self.folder, cut, _COUNT)
        self.assertEqual("calls\n   14\n", result.stdout)
        self.assertIn(f"syswatch: {cut}: 5 calls are missing", result.stderr)
        result = self._query(self.folder, __file__, _COUNT)
        self.assertIn(f"syswatch: no system calls in {__file__}: not a log", result.stderr)

    def test_logs(self) -> None:
        """Logs are queried together with recordings, on this machine or a cluster of it."""
        place = Path(self.mktemp())
        place.mkdir()
        compressed = place / "threads.log.gz"
        compressed.write_bytes(gzip.compress(_LOG.read_bytes()))
        sql = "SELECT recording, count(*) AS calls FROM calls GROUP BY ALL ORDER BY ALL"
        names = (str(_LOG), str(compressed), self.folder)
        answers = [
            run(["env", f"TMPDIR={place}", *SYSWATCH, "query", *engine, *names, sql])
            for engine in ((), ("--engine", "dask"))
        ]
        self.assertEqual(["", ""], [each.stderr for each in answers])
        self.assertEqual(answers[0].stdout, answers[1].stdout)
        self.assertIn(f"{compressed}  ", answers[0].stdout)
        self.assertEqual(4, answers[0].stdout.count("\n"))
        # What logs were imported to is gone.
        self.assertEqual([], list(place.glob("syswatch-*")))

    def test_question_about_log(self) -> None:
        """A ready-made question is about a log, too."""
        result = self._query(str(_LOG), "--ask", "summary")
        self.assertEqual("235 calls, 62 of them failed", result.stdout.partition("\n")[0])

    def test_question(self) -> None:
        """A ready-made question prints its answer first, but not into other formats."""
        words = (self.folder, "--ask", "not-returned")
        self.assertEqual("1 call did not return", self._query(*words).stdout.split("\n")[0])
        rows = json.loads(self._query(*words, "--format", "json").stdout)
        self.assertEqual(["read"], [row["name"] for row in rows])

    def test_list(self) -> None:
        """The list needs no recording."""
        self.assertIn("slowest-calls: Which calls took longest?", text_of("query", "--list"))

    def test_losses(self) -> None:
        """What is missing is said on stderr."""
        folder = samples.write(Path(self.mktemp()), losses=[Loss(7, 1_700_000_000, 5)])
        result = self._query(str(folder), _COUNT)
        self.assertIn("5 calls are missing from the recording", result.stderr)
        self.assertEqual(0, result.returncode)

    def test_file(self) -> None:
        """A file is private, and keeps its former content if the query fails."""
        file = Path(self.mktemp())
        words = (self.folder, "--format", "csv", "-o", str(file))
        self.assertEqual(0, self._query(*words, _COUNT).returncode)
        self.assertEqual("calls\n7\n", file.read_text())
        self.assertEqual(0o600, file.stat().st_mode & 0o777)
        failing = "SELECT CASE WHEN range < 90000 THEN '1' ELSE 'x' END::INTEGER FROM range(99999)"
        self.assertEqual(1, self._query(*words, failing).returncode)
        self.assertEqual("calls\n7\n", file.read_text())
        self.assertEqual([], list(file.parent.glob(f".{file.name}*")))

    def test_errors(self) -> None:
        """A mistake in SQL is one sentence and a status."""
        for words, message in (
            (
                (str(_LOG), "--engine", "dask", "SELEC"),
                'syntax error at or near "SELEC", at line 1, column 1',
            ),
            ((self.folder, "SELEC"), 'syntax error at or near "SELEC", at line 1, column 1'),
            ((self.folder, "COPY calls TO 'x'"), "only SELECT is possible, and not COPY"),
        ):
            result = self._query(*words)
            self.assertEqual((f"syswatch: {message}\n", 1), (result.stderr, result.returncode))

    def test_unreadable(self) -> None:
        """An input that cannot be read is one sentence, and has the status of other commands."""
        empty, noise = Path(self.mktemp()), Path(self.mktemp())
        empty.mkdir()
        noise.write_text("hello\n")
        for name, message in (
            ("/none", "/none: No such file or directory"),
            ("xyz://a/*", "xyz://a/*: the scheme 'xyz' is not supported"),
            (str(empty), f"{empty}: it is a directory without a recording: it has no manifest"),
            (str(noise), f"no system calls in {noise}: not a log of strace, or only its summary"),
        ):
            result = self._query(name, _COUNT)
            self.assertEqual(2, result.returncode, result.stderr)
            self.assertTrue(result.stderr.startswith(f"syswatch: {message}"), result.stderr)

    def test_questions(self) -> None:
        """A question that does not exist, or with a value that is not valid, is a usage error."""
        for words, message in (
            (("--ask", "nothing"), "no question 'nothing' (--list shows all)"),
            (
                ("--ask", "slowest-calls", "--set", "limit=-1"),
                "limit: invalid value '-1' (expected a whole number from 0 to 1000000000)",
            ),
        ):
            result = self._query(self.folder, *words)
            self.assertEqual((f"syswatch: {message}\n", 2), (result.stderr, result.returncode))

    def test_command_line(self) -> None:
        """Mistakes on the command line are found before anything is read."""
        for words, message in (
            ((), "query: missing INPUT, a recording or a log"),
            (("--list", "--engine", "dask"), "--engine has no effect with --list"),
            ((self.folder, _COUNT, "--engine", "spark"), "--engine: invalid value 'spark'"),
            (("-", _COUNT, "--engine", "dask"), "cannot read standard input ('-')"),
            ((self.folder,), "expected either a query in SQL or --ask NAME"),
            ((self.folder, self.folder, "--ask", "errors"), "--ask is about one recording"),
            (("/none/*", _COUNT), "/none/*: no file matches this pattern"),
            ((self.folder, _COUNT, "--ask", "errors"), "expected either a query in SQL or --ask"),
            ((self.folder, "SELECT", "1"), "the query must be one argument: put it into quotes"),
            (("SELECT 1", self.folder), "'SELECT 1' (the query is the last word)"),
            ((self.folder, _COUNT, "--set", "limit=1"), "--set has no effect without --ask"),
            ((self.folder, "--ask", "around", "--set", "x"), "--set: invalid value 'x'"),
            ((self.folder, _COUNT, "--format", "xml"), "--format: invalid value 'xml'"),
        ):
            self.assertIn(message, error_of("query", *words))

    def test_missing_package(self) -> None:
        """Without the extra, one sentence names it."""
        for package in ("duckdb", "pyarrow"):
            code = _WITHOUT.format(package=package)
            result = run([sys.executable, "-c", code, "query", self.folder, _COUNT])
            message = f"recordings need the package {package}: pip install 'syswatch[record]'"
            self.assertEqual((f"syswatch: {message}\n", 1), (result.stderr, result.returncode))

    def test_closed_reader(self) -> None:
        """A reader that has seen enough is no error."""
        sql = "SELECT * FROM range(1_000_000)"
        words = [*shell("| head -n 2"), *SYSWATCH, "query", self.folder, "--format", "csv", sql]
        words[2] = '"$@" | head -n 2; exit ${PIPESTATUS[0]}'
        result = run(["bash", *words[1:]])
        self.assertEqual(("range\n0\n", "", 0), (result.stdout, result.stderr, result.returncode))

    def test_full_disk(self) -> None:
        """A disk that is full is one sentence."""
        sql = "SELECT * FROM range(1_000_000)"
        result = self._query(self.folder, "--format", "csv", "-o", "/dev/full", sql)
        self.assertEqual(
            ("syswatch: /dev/full: No space left on device\n", 1),
            (result.stderr, result.returncode),
        )

    def test_interrupt(self) -> None:
        """Ctrl+C stops a query that runs, and leaves no file."""
        file = Path(self.mktemp())
        # It has printed the notes when the query is about to run.
        folder = samples.write(Path(self.mktemp()), losses=[Loss(7, 1_700_000_000, 5)])
        process = subprocess.Popen(
            [*SYSWATCH, "query", str(folder), _ENDLESS, "-o", str(file)],
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            assert process.stderr is not None
            self.assertIn("5 calls are missing", process.stderr.readline())
            process.send_signal(signal.SIGINT)
            self.assertEqual(-signal.SIGINT, process.wait(PATIENCE_S))
        self.assertEqual([], list(file.parent.glob(f"*{file.name}*")))

    def test_interrupt_of_log(self) -> None:
        """Ctrl+C leaves nothing of a log that was imported for the query."""
        place = Path(self.mktemp())
        place.mkdir()
        process = subprocess.Popen(
            [*SYSWATCH, "query", str(_LOG), _ENDLESS], env={**os.environ, "TMPDIR": str(place)}
        )
        with process:
            wait_for(lambda: list(place.glob("*/0/calls")))
            process.send_signal(signal.SIGINT)
            self.assertEqual(-signal.SIGINT, process.wait(PATIENCE_S))
        self.assertEqual([], list(place.iterdir()))

    def test_standard_input(self) -> None:
        """A log may come from a pipe."""
        result = run(["bash", "-c", 'cat "$0" | "$@"', str(_LOG), *SYSWATCH, "query", "-", _COUNT])
        self.assertEqual(("calls\n  235\n", ""), (result.stdout, result.stderr))

    def test_terminal(self) -> None:
        """Parquet is not written to a terminal."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        try:
            result = subprocess.run(
                [*SYSWATCH, "query", self.folder, _COUNT, "--format", "parquet"],
                stdout=theirs,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        finally:
            os.close(theirs)
        self.assertEqual(
            "syswatch: parquet is not text: write it to a file with -o FILE\n", result.stderr
        )
