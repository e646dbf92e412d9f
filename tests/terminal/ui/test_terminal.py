"""The UI in a real terminal, with real programs: keys, signals, and a terminal that stays whole."""

import os
import re
import signal
import subprocess

from twisted.trial.unittest import SkipTest, TestCase

from .tmux import MISSING, ROOT, Terminal, child_of

TRACER = "-m syswatch.tracer"
BROKEN = """
import syswatch.terminal.ui.head as head
from syswatch.app.cli import main
head.category_bar = None
main()
"""
LOG = str(ROOT / "tests" / "logs" / "pipeline.log")


class TerminalTests(TestCase):
    """Everybody who leaves leaves a whole terminal."""

    def setUp(self) -> None:
        """Open a window."""
        if MISSING:
            raise SkipTest(MISSING)
        self.terminal = Terminal()
        self.addCleanup(self.terminal.close)

    def test_stays_after_the_end(self) -> None:
        """When the command has ended the UI stays; its status is ours, its output is printed."""
        self.terminal.start("run", "sh", "-c", "'echo words of its own; exit 7'")
        seen = self.terminal.see("exited with 7")
        self.assertNotIn("words of its own", seen)
        self.terminal.press("o")
        self.terminal.see("words of its own")
        self.terminal.press("Escape")
        self.terminal.see("final")
        self.terminal.press("q")
        self.assertEqual(self.terminal.status(), 7)
        self.assertIn("words of its own", self.terminal.history)

    def test_much_output(self) -> None:
        """Ten thousand lines do not tear the screen, and are all printed in their order."""
        self.terminal.tmux("set-option", "-g", "history-limit", "20000")
        self.terminal.tmux("new-window", "env", "PS1=%", "sh")
        self.terminal.start("run", "seq", "10000")
        self.terminal.see("exited with 0")
        for width, height in ((40, 10), (200, 60), (70, 15), (120, 40), (80, 24)):
            self.terminal.tmux("resize-window", "-x", str(width), "-y", str(height))
        self.terminal.press("o")
        self.terminal.see("5000 of 5000")
        self.terminal.press("Escape")
        # While it is drawn anew for another size there may be lines of both.
        self.terminal.wait(lambda text: "final" in text and "of 5000" not in text, "not back")
        self.terminal.press("q")
        self.assertEqual(self.terminal.status(), 0)
        lines = [line for line in self.terminal.history.split() if line.isdigit()]
        numbers = [str(number) for number in range(1, 10001)]
        self.assertEqual(lines[: len(numbers)], numbers)

    def test_tracer_killed(self) -> None:
        """The death of the tracer is told on the screen, and after it."""
        self.terminal.start("run", "sleep", "60")
        self.terminal.see("mmap")
        os.kill(child_of(self.terminal.ours, TRACER), signal.SIGKILL)
        self.terminal.see("stopped early")
        self.terminal.see("cut short")
        self.terminal.press("q")
        self.assertEqual(self.terminal.status(), 1)
        self.assertIn("syswatch: the tracer process was killed by signal 9", self.terminal.history)

    def test_ctrl_c(self) -> None:
        """The first Ctrl+C goes to the command; when that has ended, the next one leaves."""
        self.terminal.start("run", "sleep", "600")
        self.terminal.see("tracing")
        self.terminal.press("C-c")
        self.terminal.see("killed by SIGINT")
        self.terminal.press("C-c")
        self.terminal.ask_again()
        self.assertEqual(self.terminal.status(), 130)

    def test_quit_asks(self) -> None:
        """Leaving ends the command, after a question."""
        self.terminal.start("run", "sleep", "600")
        self.terminal.see("tracing")
        self.terminal.press("q")
        self.terminal.see("The command still runs")
        self.terminal.press("y")
        self.assertEqual(self.terminal.status(), 143)

    def test_signals(self) -> None:
        """SIGTERM and SIGHUP take the screen away first, and go to the command."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.terminal.start("run", "sleep", "600")
            self.terminal.see("tracing")
            os.kill(self.terminal.ours, number)
            self.assertEqual(self.terminal.status(), 128 + number)

    def test_log(self) -> None:
        """A log is shown, too."""
        self.terminal.start("stats", LOG)
        self.terminal.see("CALLS▼")
        self.terminal.see("final")
        self.terminal.press("q")
        self.assertEqual(self.terminal.status(), 0)

    def test_nothing_to_look_at(self) -> None:
        """What cannot be watched is a sentence in full, and no screen that has to be left."""
        for words, status, sentence in (
            (("run", "/nonexistent"), 127, "/nonexistent: no such file"),
            (("stats", "/etc/passwd"), 1, "/etc/passwd holds no system call record"),
        ):
            self.terminal.start(*words)
            self.assertEqual(self.terminal.status(), status)
            self.assertIn(f"syswatch: {sentence}", self.terminal.history)

    def test_attach(self) -> None:
        """Time goes on while nothing happens, and a process that is left goes on."""
        with subprocess.Popen(["sleep", "600"]) as process:
            self.addCleanup(process.kill)
            self.terminal.start("attach", str(process.pid))
            self.terminal.see("waiting for the first call")
            elapsed = re.compile(r"  ([2-9]|\d\d+)s  |  \d+m\d+s  ")
            self.terminal.wait(lambda text: bool(elapsed.search(text)), "no time went on")
            self.terminal.press("q")
            self.assertEqual(self.terminal.status(), 0)
            self.assertIsNone(process.poll())
            process.kill()

    def test_copy(self) -> None:
        """A terminal that allows it takes the row under the cursor."""
        self.terminal.tmux("set-option", "-g", "set-clipboard", "on")
        self.terminal.start("stats", LOG)
        self.terminal.see("final")
        self.terminal.press("y")
        self.terminal.see("copied: mmap")
        self.terminal.wait(
            lambda _: self.terminal.tmux("show-buffer").startswith("mmap\t50\t0\t"), "not copied"
        )
        self.terminal.press("q")
        self.assertEqual(self.terminal.status(), 0)

    def test_broken(self) -> None:
        """An error of the UI is told after it, in a terminal that is whole, and is no loss."""
        program = self.terminal.folder / "broken.py"
        program.write_text(BROKEN)
        self.terminal.start_program(str(program), "stats", LOG)
        self.assertEqual(self.terminal.status(), 0)
        self.assertIn("the terminal UI broke", self.terminal.history)
        self.assertIn("TOP ERRNO", self.terminal.history)

    def test_never(self) -> None:
        """`--tui never`, `--summary` and a dumb terminal bring the summary."""
        for words, environment in (("--tui never", ""), ("--summary", ""), ("", "TERM=dumb")):
            self.terminal.start("stats", words, LOG, environment=environment)
            self.assertEqual(self.terminal.status(), 0)
            self.assertIn("TOP ERRNO", self.terminal.history)
            self.terminal.tmux("clear-history")

    def test_always(self) -> None:
        """`--tui always` says in one sentence why it cannot be."""
        self.terminal.start("stats", "--tui always", LOG, "</dev/null")
        self.assertEqual(self.terminal.status(), 2)
        self.assertIn("--tui always: standard input is no terminal", self.terminal.history)

    def test_plain_terminals(self) -> None:
        """Without colours, with 16 or 256 of them and without UTF-8 the screen is still one."""
        for environment, has, has_not in (
            ("NO_COLOR=1", r"\x1b\[7m", r"[34]8;|\x1b\[([34][0-7]|9\d|10\d)m"),
            ("TERM=vt100", "help", "38;"),
            ("TERM=xterm-16color COLORTERM=", r"\x1b\[9\dm", "38;"),
            ("TERM=xterm-256color COLORTERM=", "38;5;", "38;2;"),
            ("TERM=xterm-256color COLORTERM=truecolor", "38;2;", "38;5;"),
            ("PYTHONCOERCECLOCALE=0 LC_ALL=POSIX PYTHONUTF8=0", "help", r"[^\x00-\x7f]"),
        ):
            self.terminal.start("stats", LOG, environment=environment)
            self.terminal.see("? help")
            self.terminal.see("final")
            self.terminal.see_codes(has)
            self.assertNotRegex(self.terminal.codes, has_not)
            self.terminal.press("q")
            self.assertEqual(self.terminal.status(), 0)
