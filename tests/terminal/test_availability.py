"""Tests of whether the terminal UI can be shown, and of an installation without Textual."""

import ast
import os
import pty
import sys
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

import syswatch
from syswatch.terminal.availability import TEXTUAL_MISSING, unavailable_reason
from tests.system.servers import LOG, PATIENCE_S
from tests.system.shell import run

from .ui.tmux import TerminalTestCase

# As where neither Textual nor what only it needs is installed.
BLOCKER = "import sys; sys.modules |= dict.fromkeys(('textual', 'rich')); "
WITHOUT_TEXTUAL = (sys.executable, "-c", BLOCKER + "from syswatch.app.cli import main; main()")


class UnavailableReasonTests(SynchronousTestCase):
    """Why the terminal UI cannot be shown."""

    def reason(self, environment: Mapping[str, str]) -> str:
        """Return the reason on a pseudo-terminal."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        with open(slave, "r+b", buffering=0) as raw:  # noqa: PTH123  a descriptor
            terminal = mock.Mock(isatty=raw.isatty)
            return unavailable_reason(terminal, terminal, environment)

    def test_available(self) -> None:
        """There is no reason on a terminal of a known type."""
        self.assertEqual("", self.reason({"TERM": "xterm"}))

    def test_streams(self) -> None:
        """Both standard streams must be open terminals; the first that is not is named."""
        with open(os.devnull) as null:  # noqa: PTH123  not a file
            self.assertEqual("standard input is not a terminal", unavailable_reason(null, null, {}))
            terminal = mock.Mock(isatty=lambda: True)
            self.assertEqual(
                "standard output is not a terminal", unavailable_reason(terminal, null, {})
            )
        for closed in (null, None):
            self.assertIn("not a terminal", unavailable_reason(closed, closed, {}))

    def test_dumb(self) -> None:
        """TERM must be set to more than "dumb"."""
        for environment in ({}, {"TERM": ""}, {"TERM": "dumb"}):
            self.assertEqual("TERM is not set, or is 'dumb'", self.reason(environment))

    def test_no_textual(self) -> None:
        """Textual must be installed; the reason has the command that installs it."""
        self.patch(sys, "modules", {**sys.modules, "textual": None})
        self.assertEqual(TEXTUAL_MISSING, self.reason({"TERM": "xterm"}))
        self.assertIn("python3 -m pip install textual", TEXTUAL_MISSING)


def imported(module: Path) -> set[str]:
    """Return the top-level packages that a module imports, anywhere in it."""
    packages = set()
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            packages |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            packages.add(str(node.module).partition(".")[0])
    return packages


class WithoutTextualTests(TerminalTestCase):
    """An installation without Textual."""

    def test_imports(self) -> None:
        """Only the UI imports Textual and Rich."""
        root = Path(syswatch.__file__).parent
        using = {path for path in root.rglob("*.py") if imported(path) & {"textual", "rich"}}
        self.assertEqual({root / "terminal" / "ui"}, {path.parent for path in using})

    def test_commands(self) -> None:
        """Commands work without a terminal, and print nothing about Textual."""
        for arguments, expected in (
            (["--help"], "attach"),
            (["run", "--help"], "--tui"),
            (["stats", str(LOG)], "openat"),
            (["stats", "--format", "json", str(LOG)], '"Status"'),
            (["doctor"], "ptrace"),
            (["run", "echo", "hello"], "hello"),
        ):
            result = run([*WITHOUT_TEXTUAL, *arguments], timeout=PATIENCE_S)
            self.assertEqual(0, result.returncode, (arguments, result.stderr))
            self.assertIn(expected, result.stdout + result.stderr, arguments)
            self.assertNotIn("textual", result.stderr.lower(), arguments)

    def start(self, *arguments: str) -> None:
        """Start a command in the terminal."""
        program = self.terminal.folder / "without_textual.py"
        program.write_text(BLOCKER + "\nfrom syswatch.app.cli import main\nmain()\n")
        self.terminal.start_program(str(program), *arguments)

    def test_hint(self) -> None:
        """On a terminal one line says how to install it, and the summary is printed."""
        for arguments in (("run", "true"), ("stats", str(LOG))):
            self.start(*arguments)
            self.assertEqual(0, self.terminal.status())
            self.assertEqual(1, self.terminal.history.count(TEXTUAL_MISSING), arguments)
            self.assertIn("TOP ERRNO", self.terminal.history)
            self.terminal.tmux("clear-history")

    def test_always(self) -> None:
        """`--tui always` exits with status 2 and says how to install it."""
        self.start("run", "--tui", "always", "true")
        self.assertEqual(2, self.terminal.status())
        self.assertIn(f"--tui always: {TEXTUAL_MISSING}", self.terminal.history)
