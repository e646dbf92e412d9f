"""Tests with standard streams that are closed, full, or broken pipes."""

import subprocess
import sys
from collections.abc import Sequence

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import LOG, PATIENCE_S, SYSWATCH, TWISTD
from tests.system.shell import shell
from tests.tracer.strace import require_tracing

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

    def test_full(self) -> None:
        """A full stdout is one sentence and a failure."""
        for words in (("--help",), ("run", "--help"), ("doctor",)):
            result = redirected(">/dev/full", *words)

            sentence = "syswatch: standard output cannot be written: No space left on device\n"
            self.assertEqual((1, sentence), (result.returncode, result.stderr))

    def test_summary(self) -> None:
        """A summary that cannot be written is a failure, unless stdout is closed."""
        result = redirected(">/dev/full", "stats", str(LOG))
        sentence = "syswatch: cannot write the summary: No space left on device\n"
        self.assertEqual((1, sentence), (result.returncode, result.stderr))

        result = redirected(">&-", "stats", str(LOG))
        self.assertEqual((0, ""), (result.returncode, result.stderr))

    def test_old_terminal(self) -> None:
        """Characters that the terminal's encoding lacks are escaped."""
        result = redirected("", "doctor", PYTHONIOENCODING="ascii")

        self.assertEqual((0, ""), (result.returncode, result.stderr))
        self.assertRegex(result.stdout, r"\\u2713|\\u2717|\\xd7")
