"""From alerts and slow calls to a request with log records."""

import uuid
from collections.abc import Iterable, Sequence

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import (
    LogRecord,
    ResourceLogs,
    ScopeLogs,
    SeverityNumber,
)
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from syswatch.views.alerts import Alert, Severity
from syswatch.views.budget.slowest import SlowStat
from syswatch.views.formatting import duration

from .attributes import attributes
from .slow_calls import described

_SEVERITIES = {
    Severity.CRITICAL: SeverityNumber.SEVERITY_NUMBER_ERROR,
    Severity.WARNING: SeverityNumber.SEVERITY_NUMBER_WARN,
}


def slow_call_record(slow: SlowStat) -> LogRecord:
    """Return the record of a slow call."""
    call, parent = slow.call, slow.call.trace_parent
    record = LogRecord(
        event_name="syswatch.slow_call",
        time_unix_nano=max(call.time_ns or 0, 0),
        severity_number=SeverityNumber.SEVERITY_NUMBER_INFO,
        severity_text="info",
        body=AnyValue(string_value=f"{call.name} took {duration(call.duration_ns)}"),
        attributes=attributes(described(slow)),
    )
    if parent is not None:
        record.trace_id = bytes.fromhex(parent.trace_id)
        record.span_id = bytes.fromhex(parent.span_id)
        record.flags = parent.flags
    return record


def observe(records: Iterable[LogRecord], time_ns: int, now_ns: int) -> None:
    """Complete records that are made now; those without a time get one."""
    for record in records:
        record.observed_time_unix_nano = now_ns
        record.time_unix_nano = record.time_unix_nano or time_ns
        # A request whose answer is lost is sent again: readers can tell by this.
        record.attributes.extend(attributes({"log.record.uid": str(uuid.uuid4())}))


def logs_request(
    records: Sequence[LogRecord], resource: Resource, scope: InstrumentationScope
) -> ExportLogsServiceRequest:
    """Return a request with some records."""
    of_scope = ScopeLogs(scope=scope, log_records=records)
    of_resource = ResourceLogs(resource=resource, scope_logs=[of_scope])
    return ExportLogsServiceRequest(resource_logs=[of_resource])


def alert_record(alert: Alert) -> LogRecord:
    """Return the record of an alert."""
    return LogRecord(
        event_name="syswatch.alert",
        severity_number=_SEVERITIES[alert.severity],
        severity_text=alert.severity.label,
        body=AnyValue(string_value=alert.title),
        attributes=attributes(
            {
                "syswatch.alert.kind": alert.kind,
                "syswatch.alert.why": alert.why,
                "syscall": alert.call,
                "file.path": alert.path,
            }
        ),
    )
