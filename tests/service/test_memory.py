"""Tests of giving memory back."""

import os

from twisted.trial.unittest import SynchronousTestCase

from syswatch.service.memory import give_back
from tests.system.servers import resident_mb

_MB = 40


class GiveBackTests(SynchronousTestCase):
    """What the allocator keeps for the next time."""

    def test_returned(self) -> None:
        """It is the kernel's again, though something above it is still in use."""
        freed = [bytes(1000) for _ in range(_MB * 1000)]
        above = bytes(1000)
        del freed
        before_mb = resident_mb(os.getpid())

        give_back()

        self.assertLess(resident_mb(os.getpid()), before_mb - _MB / 2)
        self.assertEqual(1000, len(above))
