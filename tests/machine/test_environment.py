"""Tests of the initial environment."""

import json
import subprocess
import sys

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.environment import parse_environment

_SHOW = """
import json
import os
from syswatch.machine.environment import given_environment
os.environ["ADDED"] = "later"
print(json.dumps(given_environment()))
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
