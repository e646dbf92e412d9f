"""Tests of what is said to those who might expect a screen."""

from unittest import mock

from syswatch.app.actions import Options
from twisted.trial.unittest import SynchronousTestCase

from syswatch.options import screen
from syswatch.options.config import Config
from syswatch.terminal.availability import TEXTUAL_MISSING


class HintTests(SynchronousTestCase):
    """`attach` without a screen is silent until it ends."""

    def hint(self, *words: str, unavailable_reason: str = TEXTUAL_MISSING) -> str:
        """Return what is said, on a machine with something in the way of a screen."""
        options = Options()
        with mock.patch.object(screen, "unavailable_reason", return_value=unavailable_reason):
            options.parseOptions(list(words))
        assert isinstance(options.checked, Config)
        return options.checked.hint

    def test_said(self) -> None:
        """Who has only not installed the extra is told how to."""
        said = self.hint("attach", "1")
        self.assertEqual(TEXTUAL_MISSING, said)

    def test_not_said(self) -> None:
        """It is not said where it would not help, or where something else is wanted or seen."""
        self.assertEqual(
            "", self.hint("attach", "1", unavailable_reason="standard input is not a terminal")
        )
        self.assertEqual("", self.hint("attach", "1", unavailable_reason=""))
        for flags in (["--tui", "never"], ["--serve", ":0"], ["--summary"]):
            self.assertEqual("", self.hint("attach", *flags, "1"), flags)
        self.assertEqual("", self.hint("run", "true"))
