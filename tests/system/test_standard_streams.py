"""Tests with standard streams that are closed, full, or broken pipes."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.recording import samples
from tests.system.servers import LOG, PATIENCE_S, SYSWATCH, TWISTD
from tests.system.shell import shell
from tests.tracer.strace import require_tracing

_UNWRITABLE = {">/dev/full": "No space left on device", ">&-": "Bad file descriptor"}
# Reports which standard streams are open, and exits with a status of its own.
_WHAT_IS_THERE = (
    "import os\n"
    "for number in range(3):\n"
    "    path = f'/proc/self/fd/{number}'\n"
    "    print(number, os.readlink(path)[:4] if os.path.lexists(path) else 'closed')\n"
    "raise SystemExit(3)"
)


def redirected(
    how: str, *words: str, program: Sequence[str] = SYSWATCH, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run syswatch with redirections in shell syntax."""
    settings = (f"{name}={value}" for name, value in environment.items())
    return subprocess.run(  # noqa: PLW1510  it may fail
        ["env", *settings, *shell(how), *program, *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


class CommandTests(SynchronousTestCase):
    """Commands whose tracer cannot print messages."""

    def test_full(self) -> None:
        """A full stderr does not stop the command, and its exit status is passed on."""
        require_tracing()
        for words in ((), ("--debug",), ("--backend", "ptrace", "--debug")):
            result = redirected("2>/dev/full", "run", *words, "sh", "-c", "echo done; exit 3")

            self.assertEqual((3, "done\n"), (result.returncode, result.stdout))

    def test_closed(self) -> None:
        """A closed stream is closed for the command, and not a file of syswatch."""
        require_tracing()
        for program in (SYSWATCH, (*TWISTD, "-n", "--pidfile=", "syswatch")):
            words = ("run", sys.executable, "-c", _WHAT_IS_THERE)
            result = redirected("<&- 2>&-", *words, program=program)

            self.assertEqual(3, result.returncode)
            # The log of twistd goes there, too.
            seen = [line for line in result.stdout.splitlines() if line[:2] in ("0 ", "1 ", "2 ")]
            self.assertEqual(["0 closed", "1 pipe", "2 closed"], seen)


class AnswerTests(SynchronousTestCase):
    """Output that cannot be written."""

    def test_answers(self) -> None:
        """A full or closed stdout is one sentence and a failure."""
        for how, why in _UNWRITABLE.items():
            for words in (("--help",), ("run", "--help"), ("doctor",)):
                result = redirected(how, *words)

                sentence = f"syswatch: standard output cannot be written: {why}\n"
                self.assertEqual((1, sentence), (result.returncode, result.stderr))

    def test_summary(self) -> None:
        """A summary that cannot be written is a failure."""
        for how, why in _UNWRITABLE.items():
            result = redirected(how, "stats", str(LOG))
            sentence = f"syswatch: cannot write the summary: {why}\n"
            self.assertEqual((1, sentence), (result.returncode, result.stderr))

    def test_results(self) -> None:
        """A result that cannot be written is one sentence and a failure."""
        folder = Path(self.mktemp())
        samples.write(folder)
        budget = self.mktemp()
        Path(budget).write_text("[calls]\nall = 1000000\n")
        for how, why in _UNWRITABLE.items():
            for words, status in (
                (("diff", str(LOG), str(LOG)), 2),
                (("check", "--budget", budget, "--recording", str(LOG)), 2),
                (("profile", str(LOG)), 2),
                (("query", str(folder), "SELECT 1"), 1),
                (("export", str(folder), "--to", "csv"), 1),
            ):
                result = redirected(how, *words)
                sentence = f"syswatch: standard output: {why}\n"
                self.assertEqual((status, sentence), (result.returncode, result.stderr), words)

    def test_calls(self) -> None:
        """A list of calls that cannot be written is a sentence; the status of the command wins."""
        require_tracing()
        for how, why in _UNWRITABLE.items():
            for ending in (0, 3):
                words = ("run", "--backend", "ptrace", "-o", "-", "sh", "-c", f"exit {ending}")
                result = redirected(how, *words)
                sentence = f"list of calls standard output has stopped: {why}\n"
                self.assertIn(sentence, result.stderr)
                self.assertEqual(ending or 1, result.returncode)

    def test_profile_of_command(self) -> None:
        """A profile that is printed on an unwritable stderr is a failure."""
        require_tracing()
        for how in ("2>/dev/full", "2>&-"):
            result = redirected(how, "profile", "--backend", "ptrace", "--", "true")
            self.assertEqual((2, ""), (result.returncode, result.stdout), how)

    def test_reader_has_gone(self) -> None:
        """A pipe whose reader has ended is not a failure."""
        for words in (("doctor",), ("stats", str(LOG)), ("diff", str(LOG), str(LOG))):
            reading, writing = os.pipe()
            os.close(reading)
            result = subprocess.run(  # noqa: PLW1510  it may fail
                [*SYSWATCH, *words], stdout=writing, stderr=subprocess.PIPE, timeout=PATIENCE_S
            )
            os.close(writing)
            self.assertEqual((0, b""), (result.returncode, result.stderr), words)

    def test_old_terminal(self) -> None:
        """Characters that the terminal's encoding lacks are escaped."""
        result = redirected("", "doctor", PYTHONIOENCODING="ascii")

        self.assertEqual((0, ""), (result.returncode, result.stderr))
        self.assertRegex(result.stdout, r"\\u2713|\\u2717|\\xd7")
