"""The UI in a real terminal with real programs: keys, signals, restoring the terminal."""

import os
import re
import signal
import subprocess
from pathlib import Path
from unittest.mock import Mock

from twisted.internet.task import Clock
from twisted.trial.unittest import TestCase

from syswatch.model.messages import Ended
from syswatch.service.session import Session
from syswatch.terminal.ui.controls import Controls
from syswatch.terminal.ui.stdio import RedirectedStdio
from syswatch.terminal.ui.terminal_ui import TerminalUI, report_name
from syswatch.views.forms import CallSort
from tests.recording import samples
from tests.recording.samples import SOME

from .harness import snapshot_of
from .tmux import ROOT, TerminalTestCase, child_of

TRACER = "syswatch.tracer"
BROKEN = """
import syswatch.terminal.ui.header as header
from syswatch.app.cli import main
header.category_bar = None
main()
"""
_MS = 1_000_000
LOG = str(ROOT / "tests" / "logs" / "pipeline.log")


class ReportNameTests(TestCase):
    """The file name of a report."""

    def test_plain(self) -> None:
        """It is a plain file name, whatever the program calls itself."""
        self.assertEqual(report_name(snapshot_of(comm="../a b"), "1"), "syswatch-ab-1.html")


class LeavingTests(TestCase):
    """A UI that is left before it is shown."""

    async def test_before_it_is_shown(self) -> None:
        """Nothing is drawn, and the terminal is restored."""
        stdio = Mock(spec=RedirectedStdio)
        ui = TerminalUI(stdio)
        await ui.leave()
        stdio.restore.assert_not_called()
        controls = Controls(str, lambda _: "", bool)
        self.assertIsNone(await ui.show(Session(Clock()), controls, CallSort.TIME))
        self.assertIsNone(ui.error)
        stdio.restore.assert_called_once_with()


class TerminalUITests(TerminalTestCase):
    """The UI, which restores the terminal however it ends."""

    def test_stays_after_the_end(self) -> None:
        """When the command has ended the UI stays; output and exit status are the command's."""
        self.terminal.start("run", "sh", "-c", "'echo hello from it; exit 7'")
        screen = self.terminal.wait_for_text("exited with 7")
        self.assertNotIn("hello from it", screen)
        self.terminal.press("o")
        self.terminal.wait_for_text("hello from it")
        self.return_to_table("Escape")
        self.quit(7)
        # The summary follows the output.
        output, _, summary = self.terminal.history.rpartition("hello from it")
        self.assertTrue(output)
        self.assertIn("TOP ERRNO", summary)

    def test_replay(self) -> None:
        """A range of a recording is read while the UI is shown."""
        folder = samples.write(Path(self.mktemp()).absolute(), end=Ended(3))
        self.terminal.start("replay", str(folder))
        self.terminal.wait_for_text("recording  all 2.4 s")
        self.terminal.wait_for_text("exited with 3")
        self.terminal.press("+")
        self.terminal.wait_for_text("recording  1.2 s of 2.4 s")
        self.terminal.press("S-Left", "S-Left")
        early = [call for call in SOME if call.duration_ns is not None and call.end_ns < 1200 * _MS]
        self.terminal.wait_for_text(f"\n{len(early)} calls")
        self.terminal.press("+")
        self.terminal.wait_for_text("recording  600 ms of 2.4 s")
        self.quit()

    def test_much_output(self) -> None:
        """Ten thousand lines do not disturb the screen, and are all printed in order."""
        self.terminal.start("run", "seq", "10000")
        self.terminal.wait_for_text("exited with 0")
        for width, height in ((40, 10), (200, 60), (70, 15), (120, 40), (80, 24)):
            self.terminal.tmux("resize-window", "-x", str(width), "-y", str(height))
        self.terminal.press("o")
        self.terminal.wait_for_text("5000 of 5000")
        self.terminal.press("Escape")
        # While it is redrawn there may be lines of both screens.
        self.terminal.wait(
            lambda text: "ended  ? help" in text and "of 5000" not in text, "the table is not shown"
        )
        self.quit()
        lines = [line for line in self.terminal.history.split() if line.isdigit()]
        numbers = [str(number) for number in range(1, 10001)]
        self.assertEqual(lines[: len(numbers)], numbers)

    def test_tracer_killed(self) -> None:
        """The death of the tracer is reported in the UI, and after it."""
        self.terminal.start("run", "sleep", "60")
        self.terminal.wait_for_text("mmap")
        os.kill(child_of(self.terminal.syswatch_pid, TRACER), signal.SIGKILL)
        self.terminal.wait_for_text("stopped early")
        self.terminal.wait_for_text("cut short")
        self.quit(1)
        self.assertIn("syswatch: the tracer process was killed by signal 9", self.terminal.history)

    def test_ctrl_c(self) -> None:
        """The first Ctrl+C goes to the command; when it has ended, the next one quits."""
        self.run_sleep()
        self.terminal.press("C-c")
        self.terminal.wait_for_text("killed by SIGINT")
        self.terminal.press("C-c")
        self.terminal.print_status_again()
        self.assertEqual(self.terminal.status(), 130)

    def test_quit_asks(self) -> None:
        """Quitting terminates the command, after a question."""
        self.run_sleep()
        self.terminal.press("q")
        self.terminal.wait_for_text("The command is still running")
        self.terminal.press("y")
        self.assertEqual(self.terminal.status(), 143)

    def test_signals(self) -> None:
        """SIGTERM and SIGHUP remove the UI first, and go to the command."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.run_sleep()
            os.kill(self.terminal.syswatch_pid, number)
            self.assertEqual(self.terminal.status(), 128 + number)

    def test_log(self) -> None:
        """A log is shown."""
        self.terminal.start("stats", LOG)
        self.terminal.wait_for_text("TIME▼")
        self.terminal.wait_for_text("ended  ? help")
        self.quit()

    def test_nothing_to_show(self) -> None:
        """A target that cannot be traced is reported in one line; no UI appears."""
        for arguments, status, sentence in (
            (("run", "/nonexistent"), 127, "/nonexistent: no such file"),
            (("stats", "/etc/passwd"), 1, "no system calls in /etc/passwd: "),
        ):
            self.terminal.start(*arguments)
            self.assertEqual(self.terminal.status(), status)
            self.assertIn(f"syswatch: {sentence}", self.terminal.history)

    def test_attach(self) -> None:
        """The clock advances without calls, and the process keeps running after quitting."""
        # Not in a `with`, which would wait for its end if the test failed.
        process = subprocess.Popen(["sleep", "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.terminal.start("attach", str(process.pid))
        self.terminal.wait_for_text("all of it sleeping")
        elapsed = re.compile(r"  ([2-9]|\d\d+)s  |  \d+m\d+s  ")
        self.terminal.wait(lambda text: bool(elapsed.search(text)), "the clock stands still")
        self.quit()
        self.assertIn("detached; the target is still running", self.terminal.history)
        self.assertIsNone(process.poll())

    def test_copy(self) -> None:
        """The selected row reaches the clipboard of a terminal that allows it."""
        self.terminal.tmux("set-option", "-g", "set-clipboard", "on")
        self.terminal.start("stats", LOG)
        self.terminal.wait_for_text("ended  ? help")
        self.terminal.press("y")
        self.terminal.wait_for_text("copied wait4")
        self.terminal.wait(
            lambda _: self.terminal.tmux("show-buffer").startswith("wait4\t6\t2\t"), "not copied"
        )
        self.quit()

    def test_broken(self) -> None:
        """An error in the UI is reported after it; the summary is printed all the same."""
        program = self.terminal.folder / "broken.py"
        program.write_text(BROKEN)
        self.terminal.start_program(str(program), "stats", LOG)
        self.assertEqual(self.terminal.status(), 0)
        self.assertIn("the terminal UI failed", self.terminal.history)
        self.assertIn("TOP ERRNO", self.terminal.history)

    def test_never(self) -> None:
        """`--tui never`, `--summary` and a dumb terminal print the summary."""
        for arguments, environment in (("--tui never", ""), ("--summary", ""), ("", "TERM=dumb")):
            self.terminal.start("stats", arguments, LOG, environment=environment)
            self.assertEqual(self.terminal.status(), 0)
            self.assertIn("TOP ERRNO", self.terminal.history)
            self.terminal.tmux("clear-history")

    def test_always(self) -> None:
        """`--tui always` reports in one line why the UI cannot be shown."""
        self.terminal.start("stats", "--tui always", LOG, "</dev/null")
        self.assertEqual(self.terminal.status(), 2)
        self.assertIn("--tui always: standard input is not a terminal", self.terminal.history)

    def test_plain_terminals(self) -> None:
        """The UI works without colours, with 16 or 256 of them, and without UTF-8."""
        for environment, has, lacks in (
            ("NO_COLOR=1", r"\x1b\[7m", r"[34]8;|\x1b\[([34][0-7]|9\d|10\d)m"),
            ("TERM=vt100", "help", "38;"),
            ("TERM=xterm-16color COLORTERM=", r"\x1b\[9\dm", "38;"),
            ("TERM=xterm-256color COLORTERM=", "38;5;", "38;2;"),
            ("TERM=xterm-256color COLORTERM=truecolor", "38;2;", "38;5;"),
            ("PYTHONCOERCECLOCALE=0 LC_ALL=POSIX PYTHONUTF8=0", "help", r"[^\x00-\x7f]"),
        ):
            self.terminal.start("stats", LOG, environment=environment)
            self.terminal.wait_for_text("ended")
            self.terminal.wait_for_codes(has)
            self.assertNotRegex(self.terminal.codes, lacks)
            self.quit()
