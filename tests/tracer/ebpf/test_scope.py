"""Tests of who is watched, as it is told."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.ebpf.scope import ControlGroup, WholeMachine
from tests.hostile import HOSTILE


class HostileNameTests(SynchronousTestCase):
    """Names of groups and machines."""

    def test_group(self) -> None:
        """The folder of a group is told escaped, also in place of a process."""
        for raw, shown in HOSTILE.items():
            process = ControlGroup(Path("/none", os.fsdecode(raw)), -1).describe(0)
            self.assertEqual(
                (shown, f"(empty) [in /none/{shown}]"), (process.comm, process.cmdline)
            )

    def test_machine(self) -> None:
        """So is the name of the machine."""
        for raw, shown in HOSTILE.items():
            names = os.uname_result(("Linux", os.fsdecode(raw), "6", "#1", "x86_64"))
            self.patch(os, "uname", lambda names=names: names)
            self.assertEqual(f"all processes on {shown}", WholeMachine().describe(0).cmdline)
