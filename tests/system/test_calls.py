"""`--calls` and `-o` of `syswatch run`: a line for each call, as users of strace expect them."""

import csv
import io
import json
import os
import subprocess
from pathlib import Path
from typing import ClassVar

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S, SYSWATCH, wait_for
from tests.system.shell import run
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

_SCRIPT = "dd if=/dev/zero of=/dev/null bs=1 count=300 2>&1; ls /absent 2>&1; exit 3"
_COPY = "dd if=/dev/zero of=/dev/null bs=1 count=20000; : >done"
# What the summary and a log of the same calls must agree in.
_EXACT = ("Name", "Count", "Errors", "TotalTime", "MinTime", "MaxTime")


class CallsCase(SynchronousTestCase):
    """Runs of one backend."""

    backend: ClassVar[str]

    def setUp(self) -> None:
        """Skip the test if this backend does not work here; create a directory."""
        self.require()
        require_tracing()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def require(self) -> None:
        """Skip the test if this backend does not work here."""

    def words(self, *options: str) -> list[str]:
        """Return the beginning of a command line."""
        return [*SYSWATCH, "run", "--backend", self.backend, *options, "--"]


class EbpfCallsTests(CallsCase):
    """Every call with eBPF."""

    backend: ClassVar[str] = "ebpf"

    def require(self) -> None:
        """Skip the test if eBPF does not work here."""
        require_ebpf()

    def test_as_strace(self) -> None:
        """There are as many lines as with strace, and the same ends."""
        command = ("sh", "-c", _SCRIPT)
        theirs, ours = self.folder / "theirs", self.folder / "ours"
        run(["strace", "-f", "-qq", "-e", "signal=none", "-o", str(theirs), *command])
        result = run([*self.words("-f", "-ttt", "-T", "-o", str(ours)), *command])
        self.assertEqual(3, result.returncode)
        self.assertIn("300 bytes", result.stdout)
        self.assertEqual(
            sum("resumed>" not in line for line in theirs.read_text().splitlines()),
            sum("+++" not in line for line in ours.read_text().splitlines()),
        )
        endings = [line.split("+++")[1] for line in ours.read_text().splitlines() if "+++" in line]
        self.assertEqual([" exited with 0 ", " exited with 2 ", " exited with 3 "], sorted(endings))
        self.assertEqual(0o600, ours.stat().st_mode & 0o777)

    def test_stats(self) -> None:
        """A summary of the lines has the same counts, errors and times."""
        calls, summary = self.folder / "calls", self.folder / "summary"
        words = self.words("--calls", str(calls), "--format", "csv", "-o", str(summary))
        self.assertEqual(3, run([*words, "sh", "-c", _SCRIPT]).returncode)
        result = run([*SYSWATCH, "stats", "--format", "csv", str(calls)])
        self.assertEqual(_rows(summary.read_text()), _rows(result.stdout))

    def test_json(self) -> None:
        """Lines of JSON have the same calls."""
        calls, summary = self.folder / "calls", self.folder / "summary"
        options = ("--calls", str(calls), "--calls-format", "ndjson", "--format", "csv")
        words = self.words(*options, "--output", str(summary))
        self.assertEqual(3, run([*words, "sh", "-c", _SCRIPT]).returncode)
        records = [json.loads(line) for line in calls.read_text().splitlines()]
        returned = [each for each in records if each["type"] == "call" and each["ret"] is not None]
        rows = csv.DictReader(io.StringIO(summary.read_text()))
        self.assertEqual(sum(int(row["Count"]) for row in rows), len(returned))
        self.assertEqual(3, sum(each["type"] == "end" for each in records))

    def test_standard_output(self) -> None:
        """With `-`, the lines are on standard output, and nothing else is there or shown."""
        result = run([*self.words("--calls", "-"), "true"])
        self.assertEqual(0, result.returncode)
        lines = result.stdout.splitlines()
        self.assertIn(' execve("', lines[0])
        self.assertTrue(lines[-1].endswith(" +++ exited with 0 +++"), lines[-1])

    def test_enough(self) -> None:
        """A reader that has read enough ends the lines, and not the trace."""
        words = [*self.words("--calls", "-"), "sh", "-c", "cd $0; " + _COPY, str(self.folder)]
        with subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            messages = process.stderr.read().decode()
            self.assertEqual(0, process.wait(PATIENCE_S))
        self.assertTrue((self.folder / "done").exists())
        self.assertNotIn("list of calls", messages)

    def test_slow_reader(self) -> None:
        """The command does not wait for a reader, which gets every line later."""
        pipe, done = self.folder / "pipe", self.folder / "done"
        os.mkfifo(pipe)
        words = [*self.words("-e", "read,write", "-o", str(pipe)), "sh", "-c", _COPY]
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(reader, True)
        with subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder
        ) as process:
            wait_for(done.exists)
            with open(reader, "rb") as file:  # noqa: PTH123  it is open
                lines = file.read().splitlines()
            self.assertEqual(0, process.wait(PATIENCE_S))
        missing = sum(int(line.split()[3]) for line in lines if b"missing" in line)
        returned = sum(b"+++" not in line and b"missing" not in line for line in lines)
        self.assertLess(40_000, returned + missing)

    def test_no_reader(self) -> None:
        """A pipe that no process opens is given up, in words; the command is not delayed."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        result = run([*self.words("-o", str(pipe)), "echo", "here"])
        self.assertEqual((1, "here\n"), (result.returncode, result.stdout))
        self.assertIn(f"{pipe} has stopped: no process has opened it", result.stderr)

    def test_full(self) -> None:
        """A full disk ends the lines in words, and not the trace."""
        result = run([*self.words("-o", "/dev/full"), "echo", "here"])
        self.assertEqual((1, "here\n"), (result.returncode, result.stdout))
        self.assertIn("list of calls /dev/full has stopped: No space left", result.stderr)

    def test_hidden(self) -> None:
        """Arguments are shown as the options for them say."""
        for options, shown in (
            (("--no-args",), "execve(...)"),
            (("--redact", "secret"), '"[redacted]"'),
        ):
            result = run([*self.words("--calls", "-", *options), "true", "secret"])
            self.assertIn(shown, result.stdout.splitlines()[0])
            self.assertNotIn("secret", result.stdout)


def _rows(text: str) -> list[tuple[str, ...]]:
    rows = csv.DictReader(io.StringIO(text))
    return [tuple(row[key] for key in _EXACT) for row in rows]
