"""Tests of the stream while it has no clients."""

from typing import Any, cast

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.web.responses import ResponseCache
from syswatch.web.stream_on_demand import StreamOnDemand
from tests.web.served import Served


class StreamOnDemandTests(SynchronousTestCase):
    """A stream that is created for its first client."""

    def _stream(self) -> StreamOnDemand:
        cache = ResponseCache(Served().session)
        return StreamOnDemand(cache, cast("Any", Clock()), 5)

    def test_no_clients(self) -> None:
        """Without clients there is no stream, but its limits are known."""
        demand = self._stream()
        self.assertEqual((0, 0, False), (demand.clients, demand.dropped, demand.is_full))
        self.assertEqual(5, demand.capacity)
        self.successResultOf(demand.close())
        self.assertIsNone(demand._stream)

    def test_created_once(self) -> None:
        """All clients share one stream."""
        demand = self._stream()
        self.assertIs(demand.stream, demand.stream)
        self.assertFalse(demand.stream._closing)

    def test_closed(self) -> None:
        """The stream of a client that connects during the end is closed, too."""
        demand = self._stream()
        demand.close()
        self.assertTrue(demand.stream._closing)
