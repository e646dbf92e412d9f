"""Tests of the limit on open files."""

import resource
from unittest import mock

from twisted.trial.unittest import SynchronousTestCase

from syswatch.service.open_files import max_pending_connections, max_stream_clients


class ShareTests(SynchronousTestCase):
    """The shares of the limit."""

    def limit(self, hard: int) -> None:
        """Set a limit for the test."""
        self.enterContext(mock.patch.object(resource, "getrlimit", return_value=(10, hard)))

    def test_few_files(self) -> None:
        """With a low limit, stream clients and pending connections get a share each."""
        self.limit(64)
        self.assertEqual((32, 16), (max_stream_clients(5000), max_pending_connections(4096)))

    def test_enough_files(self) -> None:
        """With a high limit, or none, the wanted numbers are returned."""
        for hard in (20_000, resource.RLIM_INFINITY):
            self.limit(hard)
            self.assertEqual(
                (5000, 4096), (max_stream_clients(5000), max_pending_connections(4096))
            )
