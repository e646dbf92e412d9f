"""Pushes what a session publishes: metrics at an interval, log records as they appear."""

import time
from collections.abc import Callable
from importlib.metadata import version

import attrs
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from twisted.internet.defer import DeferredList
from twisted.internet.task import LoopingCall
from twisted.web.client import Agent, HTTPConnectionPool
from twisted.web.iweb import IAgent

from syswatch.model.pushes import PushState
from syswatch.model.snapshot import Snapshot
from syswatch.service.announcing import announce
from syswatch.service.reactor import Reactor
from syswatch.service.session import Session
from syswatch.settings.push import Endpoint, Push
from syswatch.views.group_metrics import GroupMetrics

from .attributes import resource, scope
from .client import Client, Response
from .logs import Records, logs_request
from .metrics import Interval, metrics_request
from .sender import Sender

# How long the end of a run may wait for the collector.
FINAL_S = 3.0
_METRICS, _LOGS = "metrics", "logs"


@attrs.define(eq=False)
class Exporter:
    """One consumer of the snapshots of a session."""

    session: Session
    push: Push
    reactor: Reactor
    wall_ns: Callable[[], int] = time.time_ns
    # Makes the agent of an endpoint.
    agent: Callable[[Endpoint], IAgent] | None = None
    _pool: HTTPConnectionPool = attrs.field(init=False)
    _clients: dict[str, Client] = attrs.field(init=False)
    _senders: dict[str, Sender] = attrs.field(init=False)
    _records: Records = attrs.field(factory=Records, init=False)
    # It remembers which groups have series.
    _groups: GroupMetrics = attrs.field(init=False)
    _resource: Resource | None = attrs.field(default=None, init=False)
    # All series of a trace start at the same time, however often a value is sent.
    _start_ns: int = attrs.field(init=False)
    _last_ns: int = attrs.field(init=False)
    _pushing: LoopingCall = attrs.field(init=False)
    _unsubscribe: Callable[[], None] | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        """Create the parts; raise PushError if a file of TLS cannot be used."""
        self._start_ns = self._last_ns = self.wall_ns()
        self._groups = GroupMetrics.at_most(self.push.group_rows)
        self._pool = HTTPConnectionPool(self.reactor)
        self._clients = {
            _METRICS: self._client(self.push.metrics, ExportMetricsServiceResponse),
            _LOGS: self._client(self.push.logs, ExportLogsServiceResponse),
        }
        self._senders = {name: self._sender(name) for name in self._clients}
        self._pushing = LoopingCall(self._push_metrics)
        self._pushing.clock = self.reactor

    def start(self) -> None:
        """Begin to push."""
        self._unsubscribe = self.session.subscribe(self._published)
        self._pushing.start(self.push.interval_s, now=False)

    async def close(self) -> None:
        """Push for the last time, and wait a moment until everything is delivered."""
        if self._unsubscribe is None:
            return
        self._unsubscribe()
        self._unsubscribe = None
        self._pushing.stop()
        self._push_records(self.session.snapshot)
        self._push_metrics()
        await DeferredList([each.finish(FINAL_S) for each in self._senders.values()])
        self._show()
        await self._pool.closeCachedConnections()

    def _published(self, snapshot: Snapshot) -> None:
        self._push_records(snapshot)
        self._show()

    def _push_metrics(self) -> None:
        snapshot = self.session.snapshot
        if not snapshot.has_begun:
            return
        begin = time.perf_counter_ns()
        # The system clock may be set back, but points of a series must be in order.
        self._last_ns = max(self.wall_ns(), self._last_ns + 1)
        interval = Interval(self._start_ns, self._last_ns)
        origin = self._origin(snapshot)
        request = metrics_request(snapshot, self._groups, origin, scope(), interval)
        self._offer(_METRICS, request, begin)

    def _push_records(self, snapshot: Snapshot) -> None:
        if not snapshot.has_begun:
            return
        begin = time.perf_counter_ns()
        if records := self._records.of(snapshot, self.wall_ns()):
            self._offer(_LOGS, logs_request(records, self._origin(snapshot), scope()), begin)

    def _offer(self, signal: str, request: Message, begin_ns: int) -> None:
        body = self._clients[signal].encoded(request.SerializeToString())
        self._senders[signal].offer(body, time.perf_counter_ns() - begin_ns)

    def _origin(self, snapshot: Snapshot) -> Resource:
        # What identifies a series must not change.
        if self._resource is None:
            self._resource = resource(snapshot.source.process, dict(self.push.resource))
        return self._resource

    def _show(self) -> None:
        self.session.pushes = tuple(each.state for each in self._senders.values())

    def _client(self, endpoint: Endpoint, response: Response) -> Client:
        agent = (self.agent or self._agent)(endpoint)
        return Client(endpoint, response, agent, self.reactor, f"syswatch/{version('syswatch')}")

    def _agent(self, endpoint: Endpoint) -> IAgent:
        if not endpoint.url.startswith("https:"):
            return Agent(self.reactor, pool=self._pool)
        # It needs OpenSSL, which is not installed everywhere.
        from .tls import Policy

        return Agent(self.reactor, Policy(endpoint), pool=self._pool)

    def _sender(self, signal: str) -> Sender:
        client = self._clients[signal]
        where = f"OTLP to {client.endpoint.url}"
        return Sender(
            PushState(signal),
            client.post,
            self.reactor,
            lambda message: announce(f"{where}: {message}"),
        )
