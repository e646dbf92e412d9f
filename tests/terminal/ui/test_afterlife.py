"""What becomes of a command and of the terminal when the UI has gone, however it went."""

import os
import pty
import signal
from subprocess import Popen

from twisted.trial.unittest import SkipTest, TestCase

from tests.system.servers import LOG, PATIENCE_S, SYSWATCH

from .tmux import MISSING, Terminal

# Ignores what would end it, waits until we have gone, and then has much to say.
STUBBORN = (
    '\'trap : INT; trap "" HUP; echo on;'
    " for i in $(seq 3000); do [ -e go ] && break; sleep .1; done; {}; : >done'"
)


class AfterlifeTests(TestCase):
    """Nobody is hurt by our end."""

    def setUp(self) -> None:
        """Open a window."""
        if MISSING:
            raise SkipTest(MISSING)
        self.terminal = Terminal()
        self.addCleanup(self.terminal.close)

    def run_stubborn(self, last_words: str) -> None:
        """Start a command that does not listen, and see it at work."""
        self.terminal.start("run", "sh", "-c", STUBBORN.format(last_words))
        self.terminal.see("tracing")
        self.terminal.press("o")
        self.terminal.wait(lambda text: "on" in text.split(), "never began")

    def let_it_go_on(self) -> None:
        """Let the command go on, and see that it comes to its end."""
        (self.terminal.folder / "go").touch()
        self.terminal.await_file("done")

    def test_left(self) -> None:
        """A command that is left by a second Ctrl+C can write, and what it writes is printed."""
        self.run_stubborn("echo still here; seq 9")
        self.terminal.press("C-c")
        self.terminal.press("C-c")
        self.terminal.status()
        self.assertIn("detached", self.terminal.history)
        self.let_it_go_on()
        self.terminal.wait(lambda _: "still here\n1\n2\n" in self.terminal.history, "not printed")

    def test_killed(self) -> None:
        """Even if we are killed the terminal is whole, and the command's words are printed."""
        self.run_stubborn("echo still here")
        os.kill(self.terminal.ours, signal.SIGKILL)
        self.terminal.ask_again()
        self.terminal.status()
        self.let_it_go_on()
        self.terminal.wait(lambda text: "on" in text.split(), "not printed")
        self.terminal.see("still here")

    def test_hung_up(self) -> None:
        """A command that does not mind a terminal that goes away can go on writing."""
        self.run_stubborn("seq 100000")
        self.terminal.tmux("new-window", "env", "PS1=%", "sh")
        self.terminal.tmux("kill-window", "-t", "0")
        self.let_it_go_on()

    def test_vanished(self) -> None:
        """A terminal may go without a signal, where it is not the one of our session."""
        master, slave = pty.openpty()
        words = (*SYSWATCH, "stats", "--tui", "always", str(LOG))
        process = Popen(
            words,
            env={**os.environ, "TERM": "xterm-256color"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        self.addCleanup(process.kill)
        os.close(slave)
        seen = b""
        while b"openat" not in seen:
            seen += os.read(master, 65536)
        os.close(master)
        self.assertEqual(0, process.wait(PATIENCE_S))

    def test_terminal_is_ours(self) -> None:
        """A command cannot get at the terminal behind our back."""
        self.terminal.start("run", "sh", "-c", "'(echo torn >/dev/tty) || echo refused'")
        self.terminal.see("exited with 0")
        self.terminal.press("o")
        self.assertNotIn("torn", self.terminal.see("refused"))
        self.terminal.press("q")
        self.terminal.see("final")
        self.terminal.press("q")
        self.assertEqual(self.terminal.status(), 0)

    def test_ctrl_c_for_all(self) -> None:
        """Ctrl+C reaches what the command has started, as it does without us."""
        self.terminal.start("run", "sh", "-c", "'sleep 600; echo survived'")
        self.terminal.see("tracing")
        self.terminal.press("p")
        self.terminal.see("sleep[")
        self.terminal.press("C-c")
        self.terminal.see("killed by SIGINT")
        self.terminal.press("q")
        self.terminal.see("final")
        self.terminal.press("q")
        self.terminal.ask_again()
        self.assertEqual(self.terminal.status(), 130)
