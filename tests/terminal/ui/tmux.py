"""A real terminal: tmux, with a shell in it."""

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

ROOT = Path(__file__).resolve().parents[3]
MISSING = "" if shutil.which("tmux") else "tmux is missing"
_PATIENCE_S = 120
_WHOLE = "0011"
_AFTER = re.compile(r"left=(\d+)")


@attrs.define
class Terminal:
    """A window with a shell; everything in it ends with `close`."""

    folder: Path = attrs.field(factory=lambda: Path(tempfile.mkdtemp()))
    runs: int = 0

    def __attrs_post_init__(self) -> None:
        """Open the window."""
        size = ("-x", "80", "-y", "24")
        # It holds for windows opened later; hostile text fills thousands of lines.
        limit = ("set-option", "-g", "history-limit", "50000", ";")
        self.tmux(*limit, "new-session", "-d", *size, "env", "PS1=%", "sh")

    def tmux(self, *words: str) -> str:
        """Give tmux a command; the server is our own."""
        command = ["tmux", "-S", str(self.folder / "socket"), "-f", "/dev/null", *words]
        paths = os.pathsep.join(map(os.path.abspath, sys.path))
        environment = {**os.environ, "PYTHONPATH": paths, "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        environment.pop("NO_COLOR", None)
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, cwd=self.folder
        )
        return done.stdout

    def start(self, *words: str, environment: str = "") -> None:
        """Type a command of syswatch, and how it ended after it."""
        self.start_program("-m", "syswatch", *words, environment=environment)

    def start_program(self, *words: str, environment: str = "") -> None:
        """Type a command of Python, and how it ended after it."""
        command = " ".join([environment, sys.executable, *words])
        self.runs += 1
        self.tmux("send-keys", f"clear; before=$(stty -g); {command}; {self._end}", "Enter")

    def ask_again(self) -> None:
        """Type the end once more: a shell forgets its line when a command dies of SIGINT."""
        self.wait(lambda _: self._modes == _WHOLE, "never left")
        self.runs += 1
        self.tmux("send-keys", self._end, "Enter")

    @property
    def _end(self) -> str:
        """What tells how it ended; what is typed must not look like what is printed."""
        same = 'test "$before" = "$(stty -g)"; echo same=$?'
        return f"echo left=$?; {same}; echo over=$(({self.runs}))"

    @property
    def _modes(self) -> str:
        """Other screen, mouse, cursor, wrapping of lines, as tmux has them."""
        flags = ("alternate_on", "mouse_any_flag", "cursor_flag", "wrap_flag")
        return self.tmux("display", "-p", "".join(f"#{{{flag}}}" for flag in flags)).strip()

    def press(self, *keys: str) -> None:
        """Press keys."""
        self.tmux("send-keys", *keys)

    @property
    def text(self) -> str:
        """What is on the screen."""
        return self.tmux("capture-pane", "-p")

    @property
    def codes(self) -> str:
        """What is on the screen, with the codes of its colours."""
        return self.tmux("capture-pane", "-p", "-e")

    @property
    def history(self) -> str:
        """What is on the screen and above it."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-")

    @property
    def ours(self) -> int:
        """The process of syswatch."""
        return child_of(int(self.tmux("display", "-p", "#{pane_pid}")))

    def see(self, words: str) -> str:
        """Wait until some words are seen; return the screen."""
        return self.wait(lambda text: words in text, f"never seen: {words}")

    def see_codes(self, pattern: str) -> None:
        """Wait until the screen has what fits a pattern, with the codes of its colours."""
        self.wait(lambda _: bool(re.search(pattern, self.codes)), f"never seen: {pattern}")

    def await_file(self, name: str) -> None:
        """Wait until a program has made a file."""
        self.wait(lambda _: (self.folder / name).exists(), f"never made: {name}")

    def wait(self, done: Callable[[str], bool], complaint: str) -> str:
        """Look again and again: a terminal tells nobody when it is drawn on."""
        end = time.monotonic() + _PATIENCE_S
        while not done(text := self.text):
            if time.monotonic() > end:
                raise AssertionError(f"{complaint}\n{text}")
            threading.Event().wait(0.05)
        return text

    def status(self) -> int:
        """Wait for the end; return the exit status, having seen that the terminal is whole."""
        self.see(f"over={self.runs}")
        history = self.history
        if not history.rpartition("same=")[2].startswith("0"):
            raise AssertionError(f"the terminal is not as it was: stty\n{history}")
        if (modes := self._modes) != _WHOLE:
            raise AssertionError(f"the terminal is not as it was: {modes}\n{history}")
        return int(_AFTER.findall(history)[-1])

    def close(self) -> None:
        """End the window and all that is in it."""
        self.tmux("kill-server")
        shutil.rmtree(self.folder, ignore_errors=True)


def child_of(pid: int, words: str = "") -> int:
    """Return the child of a process; the one with some words in its command, where it has more."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return next(int(child) for child in children if words in command_of(int(child)))


def command_of(pid: int) -> str:
    """Return the command line of a process; nothing where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""
