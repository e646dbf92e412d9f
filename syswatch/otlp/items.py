"""What a snapshot shows for the first time: as log records, or as spans."""

import attrs
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from syswatch.base.classes import define, frozen
from syswatch.model.snapshot import Snapshot
from syswatch.views.alerts.new import NewAlerts

from .logs import alert_record, observe, slow_call_record
from .slow_calls import SlowCalls
from .spans import span_of


@frozen
class Items:
    """New alerts and slow calls."""

    records: list[LogRecord]
    spans: list[Span]


@define
class NewItems:
    """Finds alerts and slow calls once; a call of a trace becomes a span if those are wanted."""

    with_spans: bool
    _alerts: NewAlerts = attrs.field(factory=NewAlerts, init=False)
    _slow_calls: SlowCalls = attrs.field(factory=SlowCalls, init=False)

    def of(self, snapshot: Snapshot, now_ns: int) -> Items:
        """Return what is new; its number is bounded by that of the slowest calls."""
        records = [alert_record(each) for each in self._alerts.find(snapshot).values()]
        spans = []
        for slow in self._slow_calls.new(snapshot):
            span = span_of(slow) if self.with_spans else None
            if span is None:
                records.append(slow_call_record(slow))
            else:
                spans.append(span)
        observe(records, max(snapshot.now_ns or now_ns, 0), now_ns)
        return Items(records, spans)
