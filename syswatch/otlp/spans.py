"""From slow calls of processes that take part in a trace to a request with spans."""

import secrets
from collections.abc import Sequence

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, SpanFlags

from syswatch.model.trace_parent import TraceParent
from syswatch.views.budget.slowest import SlowStat

from .attributes import attributes
from .slow_calls import described

_ID_BYTES = 8
# The parent is in a process that passed the trace on to the target.
_REMOTE = (
    SpanFlags.SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK | SpanFlags.SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK
)


def span_of(slow: SlowStat) -> Span | None:
    """Return the span of a call, or None if it belongs to no trace that is recorded."""
    call, parent = slow.call, slow.call.trace_parent
    if parent is None or not parent.is_sampled or call.time_ns is None:
        return None
    return Span(
        trace_id=bytes.fromhex(parent.trace_id),
        span_id=_new_id(parent),
        parent_span_id=bytes.fromhex(parent.span_id),
        flags=parent.flags | _REMOTE,
        name=call.name,
        kind=Span.SpanKind.SPAN_KIND_INTERNAL,
        start_time_unix_nano=call.time_ns,
        end_time_unix_nano=call.time_ns + call.duration_ns,
        attributes=attributes(described(slow)),
    )


def spans_request(
    spans: Sequence[Span], resource: Resource, scope: InstrumentationScope
) -> ExportTraceServiceRequest:
    """Return a request with some spans."""
    of_scope = ScopeSpans(scope=scope, spans=spans)
    of_resource = ResourceSpans(resource=resource, scope_spans=[of_scope])
    return ExportTraceServiceRequest(resource_spans=[of_resource])


def _new_id(parent: TraceParent) -> bytes:
    """Return an ID that is neither invalid nor that of the parent."""
    unusable = bytes(_ID_BYTES), bytes.fromhex(parent.span_id)
    while (found := secrets.token_bytes(_ID_BYTES)) in unusable:
        pass
    return found
