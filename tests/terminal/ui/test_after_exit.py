"""The command and the terminal after the UI has exited, however that happened."""

import os
import pty
import signal
from subprocess import Popen

from tests.system.servers import LOG, PATIENCE_S, SYSWATCH
from tests.unmeasured import unmeasured

from .tmux import TerminalTestCase

# Ignores signals, waits for a file, then writes output.
STUBBORN = (
    '\'trap : INT; trap "" HUP; echo on;'
    " for i in $(seq 3000); do [ -e go ] && break; sleep .1; done; {}; : >done'"
)


class AfterExitTests(TerminalTestCase):
    """The exit of syswatch harms neither the command nor the terminal."""

    def setUp(self) -> None:
        """Open a window in which nothing is measured: an exit is not given the time for that."""
        with unmeasured():
            super().setUp()

    def run_stubborn(self, last_commands: str) -> None:
        """Start a command that ignores signals, and wait until it runs."""
        self.terminal.start("run", "sh", "-c", STUBBORN.format(last_commands))
        self.terminal.wait_for_text("tracing")
        self.terminal.press("o")
        self.terminal.wait(lambda text: "on" in text.split(), "not started")

    def let_it_finish(self) -> None:
        """Let the command continue, and wait until it finishes."""
        (self.terminal.folder / "go").touch()
        self.terminal.wait_for_file("done")

    def test_detached(self) -> None:
        """After a second Ctrl+C the command can still write, and its output is printed."""
        self.run_stubborn("echo still here; seq 9")
        self.terminal.press("C-c")
        self.terminal.press("C-c")
        self.terminal.status()
        self.assertIn("detached", self.terminal.history)
        self.let_it_finish()
        self.terminal.wait(lambda _: "still here\n1\n2\n" in self.terminal.history, "not printed")

    def test_killed(self) -> None:
        """If syswatch is killed the terminal is restored, and the command's output printed."""
        self.run_stubborn("echo still here")
        os.kill(self.terminal.syswatch_pid, signal.SIGKILL)
        self.terminal.print_status_again()
        self.terminal.status()
        self.let_it_finish()
        self.terminal.wait(lambda text: "on" in text.split(), "not printed")
        self.terminal.wait_for_text("still here")

    def test_hung_up(self) -> None:
        """A command that ignores SIGHUP can write after its terminal is gone."""
        self.run_stubborn("seq 100000")
        self.terminal.tmux("new-window", "env", "PS1=%", "sh")
        self.terminal.tmux("kill-window", "-t", "0")
        self.let_it_finish()

    def test_vanished(self) -> None:
        """The UI exits when its terminal disappears without SIGHUP: not a controlling terminal."""
        master, slave = pty.openpty()
        command = (*SYSWATCH, "stats", "--tui", "always", str(LOG))
        process = Popen(
            command,
            env={**os.environ, "TERM": "xterm-256color"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        self.addCleanup(process.kill)
        os.close(slave)
        output = b""
        while b"openat" not in output:
            output += os.read(master, 65536)
        os.close(master)
        self.assertEqual(0, process.wait(PATIENCE_S))

    def test_no_controlling_terminal(self) -> None:
        """The command cannot open the terminal as /dev/tty."""
        self.terminal.start("run", "sh", "-c", "'(echo intruder >/dev/tty) || echo refused'")
        self.terminal.wait_for_text("exited with 0")
        self.terminal.press("o")
        self.assertNotIn("intruder", self.terminal.wait_for_text("refused"))
        self.return_to_table("q")
        self.quit()

    def test_ctrl_c_for_all(self) -> None:
        """Ctrl+C reaches the children of the command, as without syswatch."""
        self.terminal.start("run", "sh", "-c", "'sleep 600; echo survived'")
        self.terminal.wait_for_text("tracing")
        self.terminal.press("p")
        self.terminal.wait_for_text("sleep[")
        self.terminal.press("C-c")
        self.terminal.wait_for_text("killed by SIGINT")
        self.terminal.press("q")
        self.terminal.print_status_again()
        self.assertEqual(self.terminal.status(), 130)
