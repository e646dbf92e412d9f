"""Tests of forked children."""

import os
import subprocess
import sys

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.forking import fork_to

_FORK = """
import os
from syswatch.machine.forking import fork_to
print("buffered", end=" ")
try:
    pid = fork_to(lambda: {})
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
finally:
    print("once")
"""


class ForkTests(SynchronousTestCase):
    """A child that calls a function."""

    def test_status(self) -> None:
        """The child ends with the status that the function returns."""
        pid = fork_to(lambda: 7)
        self.assertEqual(7, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

    def test_failure(self) -> None:
        """An error is printed, and never reaches the code of the parent or its buffers."""
        for failing, error in (("1 / 0", "ZeroDivisionError"), ("exit(3)", "SystemExit")):
            done = subprocess.run(
                [sys.executable, "-c", _FORK.format(failing)],
                capture_output=True,
                check=True,
                text=True,
            )
            self.assertEqual("buffered 1\nonce\n", done.stdout)
            self.assertIn(error, done.stderr)
