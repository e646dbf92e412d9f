"""A recording full of hostile text, shown in a real terminal."""

from tests.hostile import HOSTILE, forbidden
from tests.system.hostile_sources import recording

from .tmux import TerminalTestCase


class HostileTextTests(TerminalTestCase):
    """Names, arguments, paths and errors that another program chose."""

    def test_screen(self) -> None:
        """The UI escapes it; the terminal keeps its title and its modes."""
        title = self.terminal.tmux("display", "-p", "#{pane_title}")
        file = recording(self.terminal.folder / "recording")
        self.terminal.start("stats", str(file))
        self.terminal.wait_for_text("ended  ? help")
        for key, wanted in (("Enter", "Recent errors"), ("f", "\\x1b["), ("l", "\\u202e")):
            self.terminal.press(key)
            self.terminal.wait_for_text("esc back")
            screen = self.terminal.wait_for_text(wanted)
            self.assertEqual(set(), forbidden(screen, but="\n"))
            self.return_to_table("Escape")
        self.quit()
        self.assertEqual(title, self.terminal.tmux("display", "-p", "#{pane_title}"))

    def test_summary(self) -> None:
        """The summary and the messages of `--debug` escape it."""
        title = self.terminal.tmux("display", "-p", "#{pane_title}")
        file = recording(self.terminal.folder / "recording")
        self.terminal.start("stats", "--tui", "never", "--debug", "--per-pid", str(file))
        self.assertEqual(0, self.terminal.status())
        screen = self.terminal.history
        self.assertEqual(set(), forbidden(screen, but="\n"))
        self.assertIn(HOSTILE[b"\x1b[31mred"], screen)
        self.assertEqual(title, self.terminal.tmux("display", "-p", "#{pane_title}"))
