"""A real terminal: a tmux window with a shell."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import attrs
from twisted.trial.unittest import SkipTest, TestCase

ROOT = Path(__file__).resolve().parents[3]
_TIMEOUT_S = 120
_RESTORED_MODES = "0011"
_STATUS = re.compile(r"status=(\d+)")


@attrs.define
class Terminal:
    """A window with a shell; `close` ends everything in it."""

    folder: Path = attrs.field(factory=lambda: Path(tempfile.mkdtemp()))
    runs: int = 0

    def __attrs_post_init__(self) -> None:
        """Open the window."""
        size = ("-x", "80", "-y", "24")
        # It holds for windows opened later; hostile text fills thousands of lines.
        limit = ("set-option", "-g", "history-limit", "50000", ";")
        self.tmux(*limit, "new-session", "-d", *size, "env", "PS1=%", "sh")

    def tmux(self, *arguments: str) -> str:
        """Run a tmux command on a server of this test."""
        command = ["tmux", "-S", str(self.folder / "socket"), "-f", "/dev/null", *arguments]
        paths = os.pathsep.join(map(os.path.abspath, sys.path))
        environment = {**os.environ, "PYTHONPATH": paths, "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        environment.pop("NO_COLOR", None)
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, cwd=self.folder
        )
        return done.stdout

    def start(self, *arguments: str, environment: str = "") -> None:
        """Type a syswatch command, followed by commands that print how it ended."""
        self.start_program("-m", "syswatch", *arguments, environment=environment)

    def start_program(self, *arguments: str, environment: str = "") -> None:
        """Type a Python command, followed by commands that print how it ended."""
        command = " ".join([environment, sys.executable, *arguments])
        self.runs += 1
        line = f"clear; before=$(stty -g); {command}; {self._print_status}"
        self.tmux("send-keys", line, "Enter")

    def print_status_again(self) -> None:
        """Type the last commands again: a shell drops its line when a command dies of SIGINT."""
        self.wait(lambda _: self._modes == _RESTORED_MODES, "the UI did not exit")
        self.runs += 1
        self.tmux("send-keys", self._print_status, "Enter")

    @property
    def _print_status(self) -> str:
        """The commands that print how a program ended; what is typed differs from its output."""
        same = 'test "$before" = "$(stty -g)"; echo same=$?'
        return f"echo status=$?; {same}; echo over=$(({self.runs}))"

    @property
    def _modes(self) -> str:
        """Whether alternate screen, mouse, cursor and line wrap are on, according to tmux."""
        flags = ("alternate_on", "mouse_any_flag", "cursor_flag", "wrap_flag")
        return self.tmux("display", "-p", "".join(f"#{{{flag}}}" for flag in flags)).strip()

    def press(self, *keys: str) -> None:
        """Press keys."""
        self.tmux("send-keys", *keys)

    @property
    def text(self) -> str:
        """The text on the screen."""
        return self.tmux("capture-pane", "-p")

    @property
    def codes(self) -> str:
        """The text on the screen, with escape sequences for colours."""
        return self.tmux("capture-pane", "-p", "-e")

    @property
    def history(self) -> str:
        """The text on the screen and above it."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-")

    @property
    def syswatch_pid(self) -> int:
        """The PID of syswatch."""
        return child_of(int(self.tmux("display", "-p", "#{pane_pid}")))

    def wait_for_text(self, text: str) -> str:
        """Wait until a text is on the screen; return the screen."""
        return self.wait(lambda screen: text in screen, f"not on the screen: {text}")

    def wait_for_codes(self, pattern: str) -> None:
        """Wait until the screen, with its escape sequences, matches a pattern."""
        self.wait(lambda _: bool(re.search(pattern, self.codes)), f"not on the screen: {pattern}")

    def wait_for_file(self, name: str) -> None:
        """Wait until a program has created a file."""
        self.wait(lambda _: (self.folder / name).exists(), f"not created: {name}")

    def wait(self, condition: Callable[[str], bool], complaint: str) -> str:
        """Poll until a condition holds: nothing reports that a screen has changed."""
        end = time.monotonic() + _TIMEOUT_S
        while not condition(text := self.text):
            if time.monotonic() > end:
                raise AssertionError(f"{complaint}\n{text}")
            threading.Event().wait(0.05)
        return text

    def status(self) -> int:
        """Wait for the program to end, check that the terminal is restored, return the status."""
        self.wait_for_text(f"over={self.runs}")
        history = self.history
        if not history.rpartition("same=")[2].startswith("0"):
            raise AssertionError(f"the terminal is not restored: stty\n{history}")
        if (modes := self._modes) != _RESTORED_MODES:
            raise AssertionError(f"the terminal is not restored: {modes}\n{history}")
        return int(_STATUS.findall(history)[-1])

    def close(self) -> None:
        """End everything in the window."""
        self.tmux("kill-server")
        shutil.rmtree(self.folder, ignore_errors=True)


class TerminalTestCase(TestCase):
    """A test with a real terminal; skipped where tmux is missing."""

    def setUp(self) -> None:
        """Open a window."""
        if shutil.which("tmux") is None:
            raise SkipTest("tmux is not installed")
        self.terminal = Terminal()
        self.addCleanup(self.terminal.close)

    def run_sleep(self) -> None:
        """Run a command that takes long, and wait until it is traced."""
        self.terminal.start("run", "sleep", "600")
        self.terminal.wait_for_text("tracing")

    def return_to_table(self, key: str) -> None:
        """Close a page; wait for the table of a trace that has ended."""
        # Without the wait, Escape and the next key would be one key with Alt.
        self.terminal.press(key)
        self.terminal.wait_for_text("ended  ? help")

    def quit(self, status: int = 0) -> None:
        """Quit, and expect an exit status."""
        self.terminal.press("q")
        self.assertEqual(status, self.terminal.status())


def child_of(pid: int, text: str = "") -> int:
    """Return the first child of a process that has a text in its command line."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return next(int(child) for child in children if text in command_of(int(child)))


def command_of(pid: int) -> str:
    """Return the command line of a process, empty if the process is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""
