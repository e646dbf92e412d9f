"""Tests of whether the terminal UI is shown, and of the notes that say what is missing."""

from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

from syswatch.options import terminal
from syswatch.options.config import Config
from syswatch.terminal.availability import TEXTUAL_MISSING
from tests.options.parsing import config_of
from tests.system.servers import LOG


def _config(*words: str, obstacle: str) -> Config:
    with mock.patch.object(terminal, "unavailable_reason", return_value=obstacle):
        return config_of(*words)


class TerminalTests(SynchronousTestCase):
    """Terminals that can show the terminal UI, and options that replace it."""

    def test_shown(self) -> None:
        """It is shown unless an option asks for something else."""
        for words, expected in {
            ("run", "true"): True,
            ("run", "--tui", "never", "true"): False,
            ("run", "--serve", ":0", "true"): False,
            ("run", "-c", "true"): False,
            ("run", "--calls", "-", "true"): False,
            ("run", "--calls", "calls", "true"): True,
            ("run", "-o", "calls", "true"): False,
            ("run", "-c", "--tui", "always", "true"): True,
            ("run", "true", "--serve"): True,
            ("stats", str(LOG)): True,
        }.items():
            self.assertEqual(expected, _config(*words, obstacle="").tui, words)
        self.assertFalse(_config("run", "true", obstacle="no terminal").tui)


class MissingTextualTests(SynchronousTestCase):
    """A terminal on which only Textual is missing."""

    def test_errors(self) -> None:
        """One line says how to get it."""
        for words in (("attach", "1"), ("run", "true"), ("stats", str(LOG))):
            self.assertEqual((TEXTUAL_MISSING,), _config(*words, obstacle=TEXTUAL_MISSING).notes)
        self.assertIn("pip install textual", TEXTUAL_MISSING)

    def test_not_said(self) -> None:
        """Nothing is said where it would not help, or where something else is asked for."""
        for obstacle in ("standard input is not a terminal", ""):
            self.assertEqual((), _config("attach", "1", obstacle=obstacle).notes)
        for flags in (["--tui", "never"], ["--serve", ":0"], ["--summary"]):
            config = _config("attach", *flags, "1", obstacle=TEXTUAL_MISSING)
            self.assertEqual((), config.notes, flags)
