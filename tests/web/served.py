"""A site in memory, without sockets and with a clock that tests control."""

import json
from collections.abc import Callable, Sequence
from typing import Any, cast

import attrs
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from txaio._common import _BatchedTimer
from zope.interface import implementer

from syswatch.comparison.run import Run
from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Started
from syswatch.model.process import ProcessInfo
from syswatch.model.snapshot import Snapshot
from syswatch.service.ranges import Ranges
from syswatch.service.reactor import Reactor
from syswatch.service.session import ISession, Listener
from syswatch.settings.access import Access
from syswatch.web.http_channel import Channel
from syswatch.web.saving_api import Saver
from syswatch.web.server import QuietSite
from syswatch.web.site import WebApplication
from syswatch.web.timeline_api import RecordingReader

DURATIONS_NS = (100, 2_000, 30_000)
EXAMPLE = Delta(
    calls={
        "read": CallTally(
            count=3,
            errors=1,
            total_ns=sum(DURATIONS_NS),
            min_ns=min(DURATIONS_NS),
            max_ns=max(DURATIONS_NS),
            histogram=Histogram.of(DURATIONS_NS),
            errnos={"EAGAIN": 1},
        ),
        "close": CallTally(count=2),
    },
    paths={"/etc/passwd": 2},
    ledger=Ledger(unparsed_lines=4),
)


class Transport(StringTransport):
    """A connection in memory whose protocol can be replaced, as an upgrade does."""

    protocol: Any = None
    is_half_closed = False

    def loseWriteConnection(self) -> None:
        """Record that nothing more will be written."""
        self.is_half_closed = True


@implementer(ISession)
@attrs.define
class FakeSession:
    """A session whose snapshot tests replace."""

    snapshot: Snapshot
    # How many ask for details, and what whoever asks for new numbers waits for.
    watchers: int = 0
    refreshed: Deferred[None] | None = None

    @classmethod
    def of(cls, *deltas: Delta) -> "FakeSession":
        """Return a session with some deltas."""
        return cls(snapshot_of(*deltas))

    def subscribe(self, _listener: Listener) -> Any:
        """Ignore the listener: nothing under test subscribes."""
        return lambda: None

    def watch(self) -> Callable[[], None]:
        """Count who asks for details."""
        self.watchers += 1
        return self._leave

    def refresh(self) -> Deferred[None] | None:
        """Return what tests fire."""
        return self.refreshed

    def _leave(self) -> None:
        self.watchers -= 1


def snapshot_of(*deltas: Delta) -> Snapshot:
    """Return the snapshot of the sum of some deltas."""
    aggregator = Aggregator()
    aggregator.started(Started(backend="test", process=ProcessInfo(pid=42, comm="cat")))
    for delta in deltas:
        aggregator.add(delta)
    return aggregator.snapshot()


@attrs.frozen
class Response:
    """A parsed response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @classmethod
    def of(cls, raw: bytes) -> "Response":
        """Parse a response; a repeated header is an error."""
        head, _, body = raw.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(": ")
            if name.lower() in headers:
                raise AssertionError(f"twice: {line}")
            headers[name.lower()] = value
        return cls(int(first.split()[1]), headers, body)

    @property
    def json(self) -> Any:
        """The body, decoded as JSON."""
        return json.loads(self.body)


@attrs.define
class Connection:
    """A client's connection to the site."""

    transport: Transport

    def send(self, data: bytes) -> bytes:
        """Send bytes and return the immediate response."""
        self.transport.clear()
        # An upgrade replaces the protocol of the transport.
        self.transport.protocol.dataReceived(data)
        return bytes(self.transport.value())

    def get(
        self, path: str, headers: dict[str, str] | None = None, method: str = "GET"
    ) -> Response:
        """Send a GET request, or one with another method."""
        return Response.of(self.send(request(path, headers, method)))

    def lose(self) -> None:
        """Disconnect the client."""
        self.transport.protocol.connectionLost(Failure(ConnectionDone()))


def request(path: str, headers: dict[str, str] | None = None, method: str = "GET") -> bytes:
    """Return a request; headers with an empty value are omitted."""
    lines = {"Host": "127.0.0.1:8080", **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1")


class Served:
    """A site with its session and its clock."""

    def __init__(  # noqa: PLR0913  those of a site
        self,
        access: Access | None = None,
        session: FakeSession | None = None,
        ranges: Ranges | None = None,
        recording: RecordingReader | None = None,
        save: Saver | None = None,
        baselines: Sequence[Run] = (),
        *,
        counts_evidence: bool = False,
    ) -> None:
        self.reactor: Any = MemoryReactorClock()
        self.session = session or FakeSession.of(EXAMPLE)
        reactor = cast("Reactor", self.reactor)
        self.web = WebApplication.create(
            self.session,
            reactor,
            access or Access(),
            ranges,
            recording,
            save,
            baselines,
            counts_evidence=counts_evidence,
        )
        # Autobahn takes the time for its pings from the global reactor.
        self.web.stream.stream._factory._batched_timer = _BatchedTimer(
            200,
            1000,
            seconds_provider=self.reactor.seconds,
            delayed_call_creator=self.reactor.callLater,
        )
        self.site = QuietSite(self.web.root, reactor)

    def connect(self, bound: str = "127.0.0.1", peer: str = "127.0.0.1") -> Connection:
        """Open a connection to the given bound address."""
        transport = Transport(IPv4Address("TCP", bound, 8080), IPv4Address("TCP", peer, 40_000))
        channel: Channel = self.site.buildProtocol(None)
        transport.protocol = channel
        channel.makeConnection(transport)
        return Connection(transport)

    def get(
        self, path: str, headers: dict[str, str] | None = None, method: str = "GET"
    ) -> Response:
        """Send a request on a new connection."""
        return self.connect().get(path, headers, method)
