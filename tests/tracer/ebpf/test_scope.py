"""Tests of the descriptions of scopes."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.ebpf.scope import ControlGroup, WholeMachine
from tests.hostile import HOSTILE


class HostileNameTests(SynchronousTestCase):
    """Hostile names of groups and machines."""

    def test_group(self) -> None:
        """The directory of a group is escaped, also as the name of the target."""
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
