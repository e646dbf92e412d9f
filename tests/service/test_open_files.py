"""Tests of the limit on open files."""

import resource
from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

from syswatch.service.open_files import max_pending_connections, max_stream_clients


class ShareTests(SynchronousTestCase):
    """How many connections there may be."""

    def limit(self, hard: int) -> None:
        """Have a limit for as long as the test lasts."""
        self.enterContext(mock.patch.object(resource, "getrlimit", return_value=(10, hard)))

    def test_few_files(self) -> None:
        """Listeners, those who are waited for, and we ourselves all have a share."""
        self.limit(64)
        self.assertEqual((32, 16), (max_stream_clients(5000), max_pending_connections(4096)))

    def test_enough_files(self) -> None:
        """With many, or without a limit, it is what is wanted."""
        for hard in (20_000, resource.RLIM_INFINITY):
            self.limit(hard)
            self.assertEqual(
                (5000, 4096), (max_stream_clients(5000), max_pending_connections(4096))
            )
