"""Tests of the description of a process."""

import subprocess
import sys

from twisted.trial.unittest import SynchronousTestCase

from syswatch.base.redaction import Redactor
from syswatch.model.process import ProcessInfo
from syswatch.tracer.subject import describe, redacted


class CommandLineTests(SynchronousTestCase):
    """Command lines."""

    def test_long(self) -> None:
        """A long command line is cut, and marked as cut."""
        code = "print(flush=True); input()"
        command = (sys.executable, "-c", code, "x" * 100_000)
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
            # Popen returns during the exec, before there is a command line.
            assert process.stdout is not None
            process.stdout.readline()
            shown = redacted(describe(process.pid), Redactor(())).cmdline
            process.kill()

        self.assertTrue(shown.startswith(f"{sys.executable} -c {code} xxx"), shown[:200])
        self.assertEqual(4096 + 3, len(shown))

    def test_cut_secret(self) -> None:
        """No part of a masked text remains where the line is cut."""
        for length in range(4080, 4100):
            process = ProcessInfo(cmdline=f"{'x' * length} hunter2 more")

            self.assertNotIn("h", redacted(process, Redactor(["hunter2"])).cmdline)
