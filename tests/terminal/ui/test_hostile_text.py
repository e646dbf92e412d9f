"""The UI with a recording whose every text is hostile, in a real terminal."""

from twisted.trial.unittest import SkipTest, TestCase

from tests.hostile import HOSTILE, forbidden
from tests.system.hostile_sources import recording

from .tmux import MISSING, Terminal


class HostileTextTests(TestCase):
    """Names, arguments, paths and errors that another program has chosen."""

    def setUp(self) -> None:
        """Open a window."""
        if MISSING:
            raise SkipTest(MISSING)
        self.terminal = Terminal()
        self.addCleanup(self.terminal.close)

    def test_screen(self) -> None:
        """It is shown escaped, and the terminal keeps its title and its modes."""
        title = self.terminal.tmux("display", "-p", "#{pane_title}")
        file = recording(self.terminal.folder / "recording")
        self.terminal.start("stats", str(file))
        self.terminal.see("final")
        for key, wanted in (("Enter", "The newest failures"), ("f", "\\x1b["), ("l", "\\u202e")):
            self.terminal.press(key)
            self.terminal.see("esc back")
            seen = self.terminal.see(wanted)
            self.assertEqual(set(), forbidden(seen, but="\n"))
            self.terminal.press("Escape")
            # Together with the next key it would be another key.
            self.terminal.see("final")
        self.terminal.press("q")
        self.assertEqual(0, self.terminal.status())
        self.assertEqual(title, self.terminal.tmux("display", "-p", "#{pane_title}"))

    def test_summary(self) -> None:
        """So it is in the summary and in what `--debug` adds."""
        title = self.terminal.tmux("display", "-p", "#{pane_title}")
        file = recording(self.terminal.folder / "recording")
        self.terminal.start("stats", "--tui", "never", "--debug", "--per-pid", str(file))
        self.assertEqual(0, self.terminal.status())
        seen = self.terminal.history
        self.assertEqual(set(), forbidden(seen, but="\n"))
        self.assertIn(HOSTILE[b"\x1b[31mred"], seen)
        self.assertEqual(title, self.terminal.tmux("display", "-p", "#{pane_title}"))
