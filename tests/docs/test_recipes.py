"""Tests of the recipes that can be run anywhere."""

import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from unittest import SkipTest

from twisted.trial.unittest import SynchronousTestCase

from tests.tracer.strace import require_tracing

from .pages import page

_TITLE = "Compare with `strace -c`"
_COMMAND = re.compile(r"^   \$ (.*)$", re.MULTILINE)
_CALLS = re.compile(r"\b(\d+) +\d+ total$|^(\d+) calls\b", re.MULTILINE)
_PROGRAM = f'syswatch() {{ "{sys.executable}" -m syswatch "$@"; }}'
_REPOSITORY = (
    "git init -q . && git -c user.name=a -c user.email=a@example.com"
    " commit -q --allow-empty -m first"
)


class CompareTests(SynchronousTestCase):
    """The comparison with strace."""

    def setUp(self) -> None:
        """Make a repository whose newest commit the recipe shows."""
        require_tracing()
        if which("git") is None:
            raise SkipTest("git is not installed")
        self.folder = Path(self.mktemp())
        self.folder.mkdir()
        self.run_in_shell(_REPOSITORY)

    def run_in_shell(self, *commands: str) -> str:
        """Return what commands print."""
        return subprocess.run(
            ["sh", "-c", "\n".join(commands)],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout

    def test_counts(self) -> None:
        """Each command prints one line, and both count the same calls."""
        section = page("recipes").partition(_TITLE)[2]
        commands = _COMMAND.findall(section)
        printed = self.run_in_shell(_PROGRAM, *commands[:3])
        self.assertEqual(2, len(printed.splitlines()), printed)
        strace, syswatch = (a or b for a, b in _CALLS.findall(printed))
        self.assertEqual(strace, syswatch)
