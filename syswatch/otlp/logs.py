"""From what a snapshot shows for the first time to a request with log records."""

import uuid
from collections.abc import Iterator, Sequence

import attrs
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import (
    LogRecord,
    ResourceLogs,
    ScopeLogs,
    SeverityNumber,
)
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from syswatch.model.slowest import SlowCall
from syswatch.model.snapshot import Snapshot
from syswatch.views.alerts import Alert, Severity
from syswatch.views.alerts.new import NewAlerts
from syswatch.views.alerts.slow import SLOW_P99_NS
from syswatch.views.budget.slowest import SlowStat, slowest
from syswatch.views.budget.states import TimeState
from syswatch.views.formatting import duration

from .attributes import attributes

_SEVERITIES = {
    Severity.CRITICAL: SeverityNumber.SEVERITY_NUMBER_ERROR,
    Severity.WARNING: SeverityNumber.SEVERITY_NUMBER_WARN,
}
_SlowCalls = frozenset[tuple[int, int, str]]


@attrs.define
class Records:
    """Makes a log record of each new alert, and of each call that is among the slowest."""

    _alerts: NewAlerts = attrs.field(factory=NewAlerts, init=False)
    _slow: _SlowCalls = attrs.field(default=frozenset(), init=False)

    def of(self, snapshot: Snapshot, now_ns: int) -> list[LogRecord]:
        """Return the records of what is new; their number is bounded by that of slowest calls."""
        found = [_alert(alert) for alert in self._alerts.find(snapshot).values()]
        found += map(_slow_call, self._new_slow_calls(snapshot))
        for record in found:
            record.observed_time_unix_nano = now_ns
            record.time_unix_nano = record.time_unix_nano or now_ns
            # A request whose answer is lost is sent again: readers can tell by this.
            record.attributes.extend(attributes({"log.record.uid": str(uuid.uuid4())}))
        return found

    def _new_slow_calls(self, snapshot: Snapshot) -> Iterator[SlowStat]:
        slow = {
            _identity(each.call): each
            for each in slowest(snapshot)
            if each.call.duration_ns >= SLOW_P99_NS and each.state is not TimeState.IDLE
        }
        kept = self._slow.intersection(map(_identity, snapshot.sums.slowest.overall))
        yield from (each for key, each in slow.items() if key not in kept)
        self._slow = kept.union(slow)


def logs_request(
    records: Sequence[LogRecord], resource: Resource, scope: InstrumentationScope
) -> ExportLogsServiceRequest:
    """Return a request with some records."""
    of_scope = ScopeLogs(scope=scope, log_records=records)
    of_resource = ResourceLogs(resource=resource, scope_logs=[of_scope])
    return ExportLogsServiceRequest(resource_logs=[of_resource])


def _identity(call: SlowCall) -> tuple[int, int, str]:
    # Without its time, which is moved when the clock is set.
    return call.duration_ns, call.tid, call.name


def _alert(alert: Alert) -> LogRecord:
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


def _slow_call(slow: SlowStat) -> LogRecord:
    call = slow.call
    return LogRecord(
        event_name="syswatch.slow_call",
        time_unix_nano=call.time_ns or 0,
        severity_number=SeverityNumber.SEVERITY_NUMBER_INFO,
        severity_text="info",
        body=AnyValue(string_value=f"{call.name} took {duration(call.duration_ns)}"),
        attributes=attributes(
            {
                "syscall": call.name,
                "process.pid": call.pid,
                "thread.id": call.tid,
                "error.type": call.error,
                "syswatch.call.arguments": call.args,
                "syswatch.call.result": call.ret,
                "syswatch.call.duration": call.duration_ns / 1e9,
                "syswatch.object.kind": slow.info.kind.value,
                "syswatch.object.name": slow.info.name,
                "syswatch.wait.state": slow.state.value if slow.state else "",
            }
        ),
    )
