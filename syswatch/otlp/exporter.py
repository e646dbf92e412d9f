"""
Pushes what a session publishes: metrics at an interval, log records and spans as they appear.

What is read from logs is pushed once, when all of it has been read, with the times of the logs.
"""

import time
from collections.abc import Callable

import attrs
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.task import LoopingCall
from twisted.web.client import Agent, HTTPConnectionPool
from twisted.web.iweb import IAgent

from syswatch.base.classes import define
from syswatch.base.version import VERSION
from syswatch.model.pushes import PushState
from syswatch.model.snapshot import Snapshot
from syswatch.service.announcing import announce
from syswatch.service.reactor import Reactor
from syswatch.service.session import Session
from syswatch.settings.push import Endpoint, Push
from syswatch.views.group_metrics import GroupMetrics

from .answers import Response
from .attributes import read_resource, resource, scope
from .client import Client
from .items import NewItems
from .logs import logs_request
from .metrics import Interval, Series, metrics_request
from .sender import Sender
from .spans import spans_request

# How long the end of a run may wait for the collector.
FINAL_S = 3.0
_METRICS, _LOGS, _TRACES = "metrics", "logs", "traces"
_RESPONSES: dict[str, type[Response]] = {
    _METRICS: ExportMetricsServiceResponse,
    _LOGS: ExportLogsServiceResponse,
    _TRACES: ExportTraceServiceResponse,
}


@define(eq=False)
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
    _series: Series = attrs.field(init=False)
    _items: NewItems = attrs.field(init=False)
    _resource: Resource | None = attrs.field(default=None, init=False)
    # All series of a trace start at the same time, however often a value is sent.
    _start_ns: int = attrs.field(init=False)
    _last_ns: int = attrs.field(init=False)
    _pushing: LoopingCall = attrs.field(init=False)
    # Whether everything that was read has been pushed.
    _is_complete: bool = attrs.field(default=False, init=False)
    _unsubscribe: Callable[[], None] | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        """Create the parts; raise PushError if a file of TLS cannot be used."""
        self._start_ns = self._last_ns = self.wall_ns()
        self._series = Series(GroupMetrics.at_most(self.push.group_rows))
        self._items = NewItems(with_spans=self.push.traces is not None)
        self._pool = HTTPConnectionPool(self.reactor)
        self._clients = {
            signal: self._client(endpoint, _RESPONSES[signal])
            for signal, endpoint in self.push.endpoints.items()
        }
        self._senders = {name: self._sender(name) for name in self._clients}
        self._pushing = LoopingCall(self._push_newest)
        self._pushing.clock = self.reactor

    def start(self) -> None:
        """Begin to push."""
        self._unsubscribe = self.session.subscribe(self._published)
        if not self.session.reads_logs:
            self._pushing.start(self.push.interval_s, now=False)

    async def close(self) -> None:
        """Push for the last time, and wait a moment until everything is delivered."""
        if self._unsubscribe is None:
            return
        self._unsubscribe()
        self._unsubscribe = None
        if self._pushing.running:
            self._pushing.stop()
        if not self._is_complete:
            self._push_everything(self.session.snapshot)
        await DeferredList([each.finish(FINAL_S) for each in self._senders.values()])
        self._show()
        await self._pool.closeCachedConnections()

    @property
    def has_losses(self) -> bool:
        """Return whether anything was not delivered, and will not be."""
        return any(each.state.has_losses for each in self._senders.values())

    def _published(self, snapshot: Snapshot) -> None:
        if not self.session.reads_logs:
            self._push_items(snapshot)
        elif self.session.outcome is not None and not self._is_complete:
            self._is_complete = True
            self._push_everything(snapshot)
        self._show()

    def _push_everything(self, snapshot: Snapshot) -> None:
        self._push_items(snapshot)
        self._push_metrics()

    def _push_newest(self) -> Deferred[None] | None:
        """Push metrics, as soon as all of them are known."""
        refreshed = self.session.refresh()
        if refreshed is not None:
            return refreshed.addCallback(lambda _: self._push_metrics())
        self._push_metrics()
        return None

    def _push_metrics(self) -> None:
        snapshot = self.session.snapshot
        if not snapshot.has_begun:
            return
        begin = time.perf_counter_ns()
        interval = self._interval(snapshot)
        origin = self._origin(snapshot)
        request = metrics_request(snapshot, self._series, origin, scope(), interval)
        self._offer(_METRICS, request, begin)

    def _interval(self, snapshot: Snapshot) -> Interval:
        """Return the time that the metrics of a snapshot cover."""
        span = snapshot.sums.span
        if self.session.reads_logs and span is not None:
            # A log may claim to be older than 1970, which OTLP cannot express.
            first_ns = max(span.first_ns, 0)
            return Interval(first_ns, max(span.last_ns, first_ns + 1))
        # The system clock may be set back, but points of a series must be in order.
        self._last_ns = max(self.wall_ns(), self._last_ns + 1)
        return Interval(self._start_ns, self._last_ns)

    def _push_items(self, snapshot: Snapshot) -> None:
        """Push alerts and slow calls that are new."""
        if not snapshot.has_begun:
            return
        begin = time.perf_counter_ns()
        found = self._items.of(snapshot, self.wall_ns())
        if found.records:
            logs = logs_request(found.records, self._origin(snapshot), scope())
            self._offer(_LOGS, logs, begin)
        if found.spans:
            begin = time.perf_counter_ns()
            traces = spans_request(found.spans, self._origin(snapshot), scope())
            self._offer(_TRACES, traces, begin)

    def _offer(self, signal: str, request: Message, begin_ns: int) -> None:
        body = self._clients[signal].encoded(request.SerializeToString())
        self._senders[signal].offer(body, time.perf_counter_ns() - begin_ns)

    def _origin(self, snapshot: Snapshot) -> Resource:
        # What identifies a series must not change.
        if self._resource is None:
            make = read_resource if self.session.reads_logs else resource
            self._resource = make(snapshot, dict(self.push.resource))
        return self._resource

    def _show(self) -> None:
        self.session.pushes = tuple(each.state for each in self._senders.values())

    def _client(self, endpoint: Endpoint, response: type[Response]) -> Client:
        agent = (self.agent or self._agent)(endpoint)
        return Client(endpoint, response, agent, self.reactor, f"syswatch/{VERSION}")

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
