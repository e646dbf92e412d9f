"""Tests for syswatch.machine.memory."""

import ctypes
import subprocess
import sys
from types import SimpleNamespace
from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.memory import keep_freed_memory

_PROGRAM = """
import resource, sys
from syswatch.machine.memory import keep_freed_memory

if sys.argv[1:]:
    keep_freed_memory(64 << 20)
for _ in range(20):
    blocks = [b"x" * (8 << 20) for _ in range(5)]
    del blocks
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
"""


class KeepFreedMemoryTests(SynchronousTestCase):
    """`keep_freed_memory` makes the C library reuse memory."""

    def _faults(self, *arguments: str) -> int:
        """Return how many pages the kernel has to provide for large blocks."""
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, *arguments], capture_output=True, check=True
        )
        return int(done.stdout)

    def test_faults(self) -> None:
        """Large blocks that come and go take memory from the kernel once."""
        self.assertLess(self._faults("kept") * 2, self._faults())

    def test_other_library(self) -> None:
        """Where the C library has no such option, nothing changes."""
        with mock.patch.object(ctypes, "CDLL", lambda _: SimpleNamespace()):
            keep_freed_memory(1 << 20)
