"""Tests of releasing memory after many clients have disconnected."""

import os

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.web.memory_trimmer import CLIENTS_PER_TRIM, MemoryTrimmer, trim_memory
from tests.system.servers import resident_mb

_MB = 40


class MemoryTrimmerTests(SynchronousTestCase):
    """Memory is trimmed once per batch of disconnects."""

    def setUp(self) -> None:
        """Count the trims."""
        self.clock = Clock()
        self.trims = 0
        self.trimmer = MemoryTrimmer(self.clock, self._trim)

    def _trim(self) -> None:
        self.trims += 1

    def disconnect(self, first: int, last: int) -> None:
        """Let the number of clients fall one by one."""
        for clients in range(first, last - 1, -1):
            self.trimmer.client_count_changed(clients)
        self.clock.advance(60)

    def test_many(self) -> None:
        """Many disconnects at once cause one trim."""
        self.disconnect(5 * CLIENTS_PER_TRIM, 0)

        self.assertEqual(1, self.trims)

    def test_few(self) -> None:
        """A few clients that reconnect again and again cause none."""
        for _ in range(5):
            self.disconnect(3 * CLIENTS_PER_TRIM, 2 * CLIENTS_PER_TRIM + 1)

        self.assertEqual(0, self.trims)

    def test_slowly(self) -> None:
        """Slow disconnects add up, and the count restarts after a trim."""
        self.disconnect(3 * CLIENTS_PER_TRIM, 2 * CLIENTS_PER_TRIM + 1)
        self.disconnect(2 * CLIENTS_PER_TRIM, 2 * CLIENTS_PER_TRIM)
        self.assertEqual(1, self.trims)

        self.disconnect(2 * CLIENTS_PER_TRIM - 1, CLIENTS_PER_TRIM + 1)
        self.assertEqual(1, self.trims)
        self.disconnect(CLIENTS_PER_TRIM, CLIENTS_PER_TRIM)
        self.assertEqual(2, self.trims)


class TrimTests(SynchronousTestCase):
    """Memory that the allocator keeps for reuse."""

    def test_released(self) -> None:
        """Freed memory goes back to the kernel although memory above it is in use."""
        freed = [bytes(1000) for _ in range(_MB * 1000)]
        above = bytes(1000)
        del freed
        before_mb = resident_mb(os.getpid())

        trim_memory()

        self.assertLess(resident_mb(os.getpid()), before_mb - _MB / 2)
        self.assertEqual(1000, len(above))
