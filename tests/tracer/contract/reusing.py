"""Tests of PIDs that the kernel reuses."""

import subprocess
from unittest import SkipTest

from syswatch.model.messages import Ended, RunCommand
from tests.tracer.harness import Outcome, run
from tests.tracer.programs import program

from .case import BackendCase

# No other process is created there.
_APART = ("unshare", "--pid", "--fork", "--mount-proc")


class ReuseContract(BackendCase):
    """Processes with the same PID, one after the other."""

    def setUp(self) -> None:
        """Skip the test if namespaces are not allowed."""
        super().setUp()
        probe = subprocess.run((*_APART, "true"), capture_output=True, text=True, check=False)
        if probe.returncode:
            raise SkipTest(f"cannot create a PID namespace: {probe.stderr.strip()}")

    def trace_apart(self, *words: str) -> Outcome:
        """Trace the program that reuses a PID."""
        job = RunCommand((program("same_pid"), *words), options=self.options(per_process=True))
        return run(job, prefix=_APART)

    def test_children(self) -> None:
        """The row of the PID counts two processes, and has the ending of the last one."""
        outcome = self.trace_apart()
        self.assertEqual(Ended(exit_code=0), outcome.ending)
        [(pid, both)] = [
            (pid, tally) for pid, tally in outcome.delta.processes.items() if tally.lives != 1
        ]
        self.assertEqual((2, "exited with 2"), (both.lives, both.ending))
        self.assertEqual(3, outcome.delta.by_process[pid]["getppid"].count)
        self.assertEqual(2, len(outcome.delta.processes))
