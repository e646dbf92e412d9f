"""A collector that keeps what it gets, and answers as the test says."""

import gzip
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from ssl import SSLContext
from threading import Thread
from typing import Any

import attrs
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from .reading import attributes_of


@attrs.define
class Collected:
    """Everything that was accepted, in order."""

    port: int = 0
    metrics: list[ExportMetricsServiceRequest] = attrs.field(factory=list)
    logs: list[ExportLogsServiceRequest] = attrs.field(factory=list)
    traces: list[ExportTraceServiceRequest] = attrs.field(factory=list)
    # Of the requests with metrics.
    headers: list[dict[str, str]] = attrs.field(factory=list)
    # Statuses of the next answers; 200 when there are no more.
    statuses: list[int] = attrs.field(factory=list)

    def keep(self, path: str, headers: Mapping[str, str], body: bytes) -> None:
        """Decode a request."""
        if "Content-Encoding" in headers:
            body = gzip.decompress(body)
        if path == "/v1/metrics":
            self.headers.append({name.lower(): value for name, value in headers.items()})
            self.metrics.append(ExportMetricsServiceRequest.FromString(body))
        elif path == "/v1/logs":
            self.logs.append(ExportLogsServiceRequest.FromString(body))
        elif path == "/v1/traces":
            self.traces.append(ExportTraceServiceRequest.FromString(body))
        else:
            raise AssertionError(path)

    @property
    def url(self) -> str:
        """The URL without TLS."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def last(self) -> dict[str, Metric]:
        """The metrics of the last request, by name."""
        return metrics_of(self.metrics[-1])

    @property
    def resource(self) -> dict[str, Any]:
        """The attributes of the origin of the last request."""
        return attributes_of(self.metrics[-1].resource_metrics[0].resource.attributes)

    @property
    def records(self) -> list[LogRecord]:
        """All log records."""
        return [
            record
            for request in self.logs
            for of_resource in request.resource_logs
            for of_scope in of_resource.scope_logs
            for record in of_scope.log_records
        ]

    @property
    def spans(self) -> list[Span]:
        """All spans."""
        return [
            span
            for request in self.traces
            for of_resource in request.resource_spans
            for of_scope in of_resource.scope_spans
            for span in of_scope.spans
        ]


def metrics_of(request: ExportMetricsServiceRequest) -> dict[str, Metric]:
    """Return the metrics of a request by name."""
    (of_resource,) = request.resource_metrics
    (of_scope,) = of_resource.scope_metrics
    return {each.name: each for each in of_scope.metrics}


@contextmanager
def collecting(
    *, port: int = 0, tls: SSLContext | None = None, collected: Collected | None = None
) -> Iterator[Collected]:
    """Run a collector on a port."""
    kept, connections = collected or Collected(), list[socket]()

    class Handler(BaseHTTPRequestHandler):
        """Keeps requests."""

        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            """Remember the connection, which the client keeps open."""
            super().setup()
            connections.append(self.connection)

        def do_POST(self) -> None:
            """Decode a request, and answer it."""
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = kept.statuses.pop(0) if kept.statuses else 200
            if status == 200:
                kept.keep(self.path, dict(self.headers), body)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        kept.port = server.server_address[1]
        serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        try:
            yield kept
        finally:
            server.shutdown()
            serving.join()
            for each in connections:
                with suppress(OSError):
                    each.shutdown(SHUT_RDWR)
