"""Tests of the exporter, with an agent that answers in memory."""

import gzip
from typing import Any, cast

import attrs
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from treq.testing import RequestTraversalAgent
from twisted.internet.address import IPv4Address
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ConnectingCancelledError
from twisted.internet.error import ConnectionRefusedError as RefusedError
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase
from twisted.web.client import ResponseNeverReceived
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent
from twisted.web.resource import Resource
from twisted.web.server import Request
from zope.interface import implementer

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.messages import (
    Ended,
    Failed,
    Report,
    Reported,
    Resting,
    Started,
    Watch,
)
from syswatch.model.process import ProcessInfo
from syswatch.model.slowest import SlowCall, Slowest
from syswatch.otlp import exporter
from syswatch.otlp.answers import Answer, Outcome
from syswatch.otlp.client import Client
from syswatch.otlp.exporter import FINAL_S, Exporter
from syswatch.service.session import Session
from syswatch.settings.push import Endpoint, Push
from syswatch.views.call_metrics import CallMetrics
from syswatch.views.metrics import trace_metrics
from tests.otlp.collector import metrics_of
from tests.otlp.reading import attributes_of, values_of

_PUSH = Push(
    Endpoint("http://collector/v1/metrics", headers=(("api-key", "secret"),), gzip=True),
    Endpoint("http://collector/v1/logs"),
    interval_s=5,
    resource=(("service.name", "shop"),),
)
_FULL = Delta(calls={"write": CallTally(count=90, errors=50, errnos={"ENOSPC": 50})})
_SLOW = SlowCall(300_000_000, 5, 42, 42, "read", '3, "x"', "1", "")
_QUICK = SlowCall(3_000, 5, 42, 42, "write", "", "1", "")


# As a log has it, long before it is read.
_READ = Delta(
    calls={"read": CallTally(count=2)},
    slowest=Slowest.of((_SLOW,)),
    span=Span(700_000, 900_000),
)


class _Collector(Resource):
    """Keeps requests by path."""

    isLeaf = True

    def __init__(self) -> None:
        super().__init__()
        self.metrics: list[ExportMetricsServiceRequest] = []
        self.logs: list[ExportLogsServiceRequest] = []
        self.status = 200
        self.headers: list[tuple[str | None, ...]] = []

    def render_POST(self, request: Request) -> bytes:  # noqa: N802  called by Twisted
        """Decode a request."""
        assert request.content is not None
        body = request.content.read()
        request.setResponseCode(self.status)
        if request.path == b"/v1/metrics":
            self.metrics.append(ExportMetricsServiceRequest.FromString(gzip.decompress(body)))
            names = ("content-type", "content-encoding", "api-key")
            self.headers.append(tuple(request.getHeader(name) for name in names))
        else:
            self.logs.append(ExportLogsServiceRequest.FromString(body))
        return b""


class _Case(SynchronousTestCase):
    """A session, and an exporter with a collector."""

    reads_logs = False

    def setUp(self) -> None:
        """Create a session whose target has not started yet."""
        self.clock = Clock()
        self.session = Session(self.clock, reads_logs=self.reads_logs)
        self.wall_ns = 1_000
        self.collector = _Collector()
        self.agent = RequestTraversalAgent(self.collector)
        self.exporter = Exporter(
            self.session,
            _PUSH,
            cast("Any", self.clock),
            lambda: self.wall_ns,
            lambda _: self.agent,
        )
        self.said: list[str] = []
        self.patch(exporter, "announce", self.said.append)
        self.exporter.start()

    def _begin(self, *deltas: Delta) -> None:
        self.session.receive(Started("test", ProcessInfo(pid=42, comm="cat", cmdline="cat secret")))
        for delta in deltas:
            self.session.receive(delta)
        self.session.publish()
        self._flush()

    def _flush(self) -> None:
        for _ in range(3):
            self.agent.flush()

    def _pass(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self._flush()

    def _close(self) -> Deferred[None]:
        closing = Deferred.fromCoroutine(self.exporter.close())
        self._flush()
        return closing

    def _points(self) -> list[Any]:
        return [
            metrics_of(each)["syswatch.syscall.calls"].sum.data_points[0]
            for each in self.collector.metrics
        ]

    def _origin(self) -> dict[str, Any]:
        return attributes_of(self.collector.metrics[0].resource_metrics[0].resource.attributes)


class ExporterTests(_Case):
    """Pushing what a live session publishes."""

    def test_interval(self) -> None:
        """Metrics are pushed at the interval, once there is a target, and at the end."""
        self._pass(5)
        self.assertEqual([], self.collector.metrics)
        self._begin(Delta(calls={"read": CallTally(count=2)}))
        self._pass(5)
        self.session.receive(Delta(calls={"read": CallTally(count=3)}))
        self.session.publish()
        self._pass(5)
        self.session.receive(Delta(calls={"read": CallTally(count=1)}))
        self.session.receive(Ended(exit_code=0))
        self.successResultOf(self._close())
        self.assertEqual([2, 5, 6], self._reads())
        self.assertEqual(("application/x-protobuf", "gzip", "secret"), self.collector.headers[0])
        self.assertEqual([], self.clock.getDelayedCalls())

    def test_resting(self) -> None:
        """Before metrics are pushed, the tracer is asked for what no client looked at."""
        sent: list[Watch | Report] = []
        self.session.attention.send = sent.append
        self._begin(Delta(calls={"read": CallTally(count=2)}))
        self.session.receive(Resting(is_resting=True))
        self._pass(5)
        self.assertEqual(([Report()], []), (sent, self.collector.metrics))
        self.session.receive(Delta(calls={"read": CallTally(count=3)}))
        self.session.receive(Reported())
        self._flush()
        self.assertEqual([5], self._reads())

    def _reads(self) -> list[float]:
        requests = map(metrics_of, self.collector.metrics)
        return [values_of(each["syswatch.syscall.calls"], "syscall")["read"] for each in requests]

    def test_clock_set_back(self) -> None:
        """Points of a series are in order, whatever the system clock does."""
        self._begin(Delta(calls={"read": CallTally(count=2)}))
        for self.wall_ns in (9_000, 50, 10_000):
            self._pass(5)
        points = self._points()
        self.assertEqual([9_000, 9_001, 10_000], [each.time_unix_nano for each in points])
        self.assertEqual({1_000}, {each.start_time_unix_nano for each in points})

    def test_origin(self) -> None:
        """The origin is the target, with what the user gives, and without the command line."""
        self._begin()
        self._pass(5)
        self._pass(5)
        origins = [
            each.resource_metrics[0].resource.SerializeToString() for each in self.collector.metrics
        ]
        self.assertEqual((2, 1), (len(origins), len(set(origins))))
        self.assertNotIn(b"cat secret", origins[0])
        found = self._origin()
        self.assertEqual(("shop", 42), (found["service.name"], found["process.pid"]))

    def test_records(self) -> None:
        """An alert and a slow call are logged once; a quick call is not."""
        self._begin(_FULL, Delta(slowest=Slowest.of((_SLOW, _QUICK))))
        self.session.publish()
        self._flush()
        records = [
            record
            for request in self.collector.logs
            for record in request.resource_logs[0].scope_logs[0].log_records
        ]
        names = [each.event_name for each in records]
        self.assertEqual(1, names.count("syswatch.slow_call"))
        self.assertEqual(len(set(_bodies(records))), len(records))
        self.assertIn("syswatch.alert", names)
        (slow,) = (each for each in records if each.event_name == "syswatch.slow_call")
        self.assertEqual(5, slow.time_unix_nano)
        self.assertEqual("read took 300 ms", slow.body.string_value)

    def test_counted(self) -> None:
        """What became of the requests is among the metrics of the trace."""
        self._begin(Delta(calls={"read": CallTally(count=2)}))
        self.collector.status = 503
        self._pass(5)
        # They are as old as the former snapshot.
        self.session.publish()
        self.session.publish()
        families = {
            each.name: each
            for each in trace_metrics(self.session.snapshot, CallMetrics.without_histograms())
        }
        queue = families["syswatch_otlp_queue"].samples
        self.assertEqual(
            {"metrics": 1, "logs": 0}, {each.labels["signal"]: each.value for each in queue}
        )

    def test_end(self) -> None:
        """The end does not wait for long."""
        self._begin(Delta(calls={"read": CallTally(count=2)}))
        self.collector.status = 503
        closing = self._close()
        self._pass(FINAL_S - 0.1)
        self.assertNoResult(closing)
        self._pass(0.2)
        self.successResultOf(closing)
        self.assertEqual([], self.clock.getDelayedCalls())
        self.assertEqual(1, self.session.pushes[0].dropped)
        url = _PUSH.metrics.url
        self.assertEqual(
            [
                f"OTLP to {url}: 503 Service Unavailable; retrying",
                f"OTLP to {url}: 1 request was not delivered in time",
            ],
            self.said,
        )


class ReadingTests(_Case):
    """Pushing what is read from logs."""

    reads_logs = True

    def _read(self, *deltas: Delta) -> None:
        self._begin(*deltas)
        self.session.receive(Ended(exit_code=0))
        self._flush()

    def test_once(self) -> None:
        """The totals are pushed once, when everything has been read, with the log's own times."""
        self._begin(_READ)
        self._pass(60)
        self.assertEqual(([], []), (self.collector.metrics, self.collector.logs))
        self.session.receive(_READ)
        self.session.receive(Ended(exit_code=0))
        self._flush()
        (point,) = self._points()
        self.assertEqual(4, point.as_int)
        times = point.start_time_unix_nano, point.time_unix_nano
        self.assertEqual((700_000, 900_000), times)
        # A server may go on for long.
        self.session.publish()
        self._pass(60)
        self.successResultOf(self._close())
        self.assertEqual((1, 1), (len(self.collector.metrics), len(self.collector.logs)))

    def test_without_times(self) -> None:
        """What has no times has that of reading."""
        self._read(Delta(calls={"read": CallTally(count=2)}))
        (point,) = self._points()
        times = point.start_time_unix_nano, point.time_unix_nano
        self.assertEqual((1_000, 1_001), times)

    def test_before_1970(self) -> None:
        """Times that OTLP cannot express are the earliest that it can."""
        slow = attrs.evolve(_SLOW, time_ns=-5)
        self._read(attrs.evolve(_READ, span=Span(-9, -5), slowest=Slowest.of((slow,))))
        (point,) = self._points()
        self.assertEqual((0, 1), (point.start_time_unix_nano, point.time_unix_nano))
        self.assertEqual(1, len(self.collector.logs))

    def test_interrupted(self) -> None:
        """What was read until an interruption is pushed at the end, as it is in the summary."""
        self._begin(_READ)
        self.successResultOf(self._close())
        self.assertEqual(1, len(self.collector.metrics))

    def test_nothing(self) -> None:
        """A file that is not a log leads to nothing."""
        self.session.receive(Failed("x is not a log"))
        self.successResultOf(self._close())
        self.assertEqual([], self.collector.metrics)

    def test_origin(self) -> None:
        """It is not this machine, and the same if the same log is read again."""
        self._read(_READ)
        first = self._origin()
        self.assertNotIn("host.name", first)
        self.setUp()
        self._read(_READ)
        self.assertEqual(first, self._origin())
        self.setUp()
        self._read(_READ, _READ)
        other = self._origin()
        self.assertNotEqual(first["service.instance.id"], other["service.instance.id"])


def _bodies(records: list[Any]) -> list[str]:
    return [each.body.string_value for each in records]


@implementer(IAgent)
class _Silent:
    """An agent whose requests end as the test says."""

    def __init__(self) -> None:
        self.requests: list[Deferred[Any]] = []

    def request(self, *_: Any, **__: Any) -> Deferred[Any]:
        """Send nothing."""
        self.requests.append(Deferred())
        return self.requests[-1]


class _Endless:
    """A response whose body never ends."""

    code = 200
    headers = Headers()

    def __init__(self) -> None:
        self.transport = StringTransport()

    def deliverBody(self, protocol: Any) -> None:  # noqa: N802  of the interface
        """Begin a body."""
        protocol.makeConnection(self.transport)
        protocol.dataReceived(b"x")


class ClientTests(SynchronousTestCase):
    """Requests that get no response."""

    def setUp(self) -> None:
        """Send a request."""
        self.clock, self.agent = Clock(), _Silent()
        endpoint = Endpoint("http://collector/v1/logs", timeout_s=2.5)
        response = cast("Any", ExportLogsServiceRequest)
        self.client = Client(endpoint, response, self.agent, self.clock, "syswatch/1")

    def test_no_answer(self) -> None:
        """It is an answer that there is none."""
        posted = self.client.post(b"")
        self.clock.advance(2.5)
        self.assertEqual(
            Answer(Outcome.RETRY, "no answer within 2.5 s"), self.successResultOf(posted)
        )

    def test_failures(self) -> None:
        """Problems of the network may go away."""
        for error, message in (
            (RefusedError(111, "x"), "Connection refused"),
            (ResponseNeverReceived([Failure(OSError("gone"))]), "gone"),
        ):
            posted = self.client.post(b"")
            self.agent.requests[-1].errback(error)
            self.assertEqual(Answer(Outcome.RETRY, message), self.successResultOf(posted))

    def test_cancelled(self) -> None:
        """A request that is given up is not one to repeat."""
        posted = self.client.post(b"")
        self.agent.requests[-1].errback(ResponseNeverReceived([Failure(CancelledError())]))
        self.failureResultOf(posted, CancelledError)

    def test_cancelled_while_connecting(self) -> None:
        """A request that is given up while it connects is not one to repeat either."""
        posted = self.client.post(b"")
        address = IPv4Address("TCP", "192.0.2.1", 4318)
        self.agent.requests[-1].errback(ConnectingCancelledError(address))
        self.failureResultOf(posted, CancelledError)

    def test_endless_response(self) -> None:
        """A response that does not end is given up with its connection."""
        posted = self.client.post(b"")
        response = _Endless()
        self.agent.requests[-1].callback(response)
        self.assertNoResult(posted)
        self.clock.advance(2.5)
        self.assertEqual(Outcome.RETRY, self.successResultOf(posted).outcome)
        self.assertTrue(response.transport.disconnecting)

    def test_error_of_this_program(self) -> None:
        """Other errors are not hidden."""
        posted = self.client.post(b"")
        self.agent.requests[-1].errback(ValueError("broken"))
        self.failureResultOf(posted, ValueError)
