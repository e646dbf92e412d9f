"""Tests of the command line and the environment that a process was started with."""

import json
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.environment import parse_environment

_THIS_ONE = {"PYTHONPATH": str(Path(__file__).parents[2])}
_SHOW = """
import json
import os
from syswatch.machine.environment import given_environment
os.environ["ADDED"] = "later"
print(json.dumps(given_environment()))
"""

_ERASE = """
import json
import os
from pathlib import Path
from syswatch.machine.environment import erase_variables, given_environment
erase_variables({"NOTIFY_SOCKET", "LISTEN_FDS", "ABSENT"})
shown = Path("/proc/self/environ").read_bytes().decode()
print(json.dumps([given_environment(), sorted(os.environ), shown]))
"""
_TITLE = """
import sys
from pathlib import Path
from syswatch.machine.environment import given_environment, show_command_line
before = Path("/proc/self/cmdline").read_bytes()
show_command_line("x" * int(sys.argv[1]))
shown = Path("/proc/self/cmdline").read_bytes()
print(shown.decode().rstrip("\\0"), len(shown) - len(before), given_environment())
"""


class EnvironmentTests(SynchronousTestCase):
    """Variables that were set at the start, and later ones."""

    def given(self, **variables: str) -> dict[str, str]:
        """Return the variables that a program was started with."""
        shown = subprocess.run(
            [sys.executable, "-c", _SHOW], env=variables, capture_output=True, check=True
        )
        found: dict[str, str] = json.loads(shown.stdout)
        return found

    def test_given(self) -> None:
        """The interpreter changes LC_CTYPE for itself only, whether or not it was set."""
        for variables in (
            {"HUE": "red"},
            {"HUE": "red", "LC_CTYPE": "C"},
            {"LC_CTYPE": "C.UTF-8", "EMPTY": "", "TWO": "a=b"},
            {"BYTES": "\udcff", "LONG": "x" * 100_000},
            {},
        ):
            self.assertEqual(variables, self.given(**variables))

    def test_duplicates(self) -> None:
        """Of several variables with one name the first counts, as in the C library."""
        block = b"HUE=red\0HUE=blue\0nothing\0=odd\0"
        self.assertEqual({"HUE": "red"}, parse_environment(block))
        self.assertEqual({}, parse_environment(b""))

    def test_erased(self) -> None:
        """Erased variables are gone wherever they can be seen; others stay."""
        others = {"HUE": "red", **_THIS_ONE}
        given = {"NOTIFY_SOCKET": "/run/notify", **others, "LISTEN_FDS": "2"}
        done = subprocess.run(
            [sys.executable, "-c", _ERASE], env=given, capture_output=True, check=True
        )
        found, names, shown = json.loads(done.stdout)
        self.assertEqual(others, found)
        self.assertLessEqual(others.keys(), set(names))
        for name in ("NOTIFY_SOCKET", "LISTEN_FDS"):
            self.assertNotIn(name, names)
            self.assertNotIn(name, shown)


class CommandLineTests(SynchronousTestCase):
    """The command line in lists of processes."""

    def test_shown(self) -> None:
        """A shorter text is shown alone; a longer one is cut, so that the environment is intact."""
        words = (sys.executable, "-c", _TITLE)
        for length in (5, 100_000):
            done = subprocess.run(
                [*words, str(length)], env=_THIS_ONE, capture_output=True, check=True
            )
            text = "x" * min(length, len("\0".join((*words, str(length)))))
            self.assertEqual(f"{text} 0 {_THIS_ONE}\n", done.stdout.decode())
