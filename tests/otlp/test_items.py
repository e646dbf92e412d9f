"""Tests of slow calls as log records and spans."""

from typing import Any

import attrs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.slowest import SLOWEST_OVERALL, SlowCall, Slowest
from syswatch.model.trace_parent import TraceParent
from syswatch.otlp.attributes import scope
from syswatch.otlp.items import Items, NewItems
from syswatch.otlp.spans import spans_request
from tests.otlp.reading import attributes_of
from tests.web.served import snapshot_of

_PARENT = TraceParent("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", 1)
_SLOW = SlowCall(300_000_000, 5_000, 42, 43, "fsync", "3", "-1", "EIO", 200_000_000)
_TICK = ObjectInfo(ObjectKind.TIMERFD, "timerfd")
_NOW_NS = 1_000_000


def _items(*calls: SlowCall, with_spans: bool = True) -> Items:
    delta = Delta(slowest=Slowest.of(calls), objects={_TICK.id: _TICK})
    return NewItems(with_spans).of(snapshot_of(delta), _NOW_NS)


def _names(items: Items) -> list[Any]:
    return [attributes_of(each.attributes)["syscall"] for each in items.records]


class SpanTests(SynchronousTestCase):
    """A slow call of a process that takes part in a trace."""

    def test_span(self) -> None:
        """It is a span below the parent, instead of a log record."""
        items = _items(attrs.evolve(_SLOW, trace_parent=_PARENT))
        self.assertEqual([], items.records)
        (span,) = items.spans
        self.assertEqual(_PARENT.trace_id, span.trace_id.hex())
        self.assertEqual(_PARENT.span_id, span.parent_span_id.hex())
        self.assertEqual(8, len(span.span_id))
        self.assertNotIn(span.span_id, (span.parent_span_id, bytes(8)))
        times = span.start_time_unix_nano, span.end_time_unix_nano
        self.assertEqual((5_000, 300_005_000), times)
        self.assertEqual("fsync", span.name)
        found = attributes_of(span.attributes)
        self.assertEqual((42, 43), (found["process.pid"], found["thread.id"]))
        self.assertEqual("EIO", found["error.type"])
        self.assertEqual("blocked", found["syswatch.wait.state"])

    def test_own_ids(self) -> None:
        """Each span has an ID of its own."""
        calls = (attrs.evolve(_SLOW, tid=tid, trace_parent=_PARENT) for tid in range(1, 20))
        self.assertEqual(19, len({each.span_id for each in _items(*calls).spans}))

    def test_no_span(self) -> None:
        """Without a parent, a recorded trace, a time or the option, it is a log record."""
        of_trace = attrs.evolve(_SLOW, trace_parent=_PARENT)
        unsampled = attrs.evolve(_SLOW, trace_parent=attrs.evolve(_PARENT, flags=0))
        for call in (_SLOW, unsampled, attrs.evolve(of_trace, time_ns=None)):
            items = _items(call)
            self.assertEqual((["fsync"], []), (_names(items), items.spans))
        items = _items(of_trace, with_spans=False)
        self.assertEqual((["fsync"], []), (_names(items), items.spans))

    def test_record_of_trace(self) -> None:
        """The log record of such a call names the trace."""
        for parent, trace in ((_PARENT, _PARENT.trace_id), (None, "")):
            (record,) = _items(attrs.evolve(_SLOW, trace_parent=parent), with_spans=False).records
            self.assertEqual(trace, record.trace_id.hex())

    def test_request(self) -> None:
        """A request has all spans, and who made them."""
        spans = _items(attrs.evolve(_SLOW, trace_parent=_PARENT)).spans
        request = spans_request(spans, Resource(), scope())
        (of_scope,) = request.resource_spans[0].scope_spans
        self.assertEqual(spans, list(of_scope.spans))
        self.assertEqual("syswatch", of_scope.scope.name)


class ChoiceTests(SynchronousTestCase):
    """Which calls are slow."""

    def test_quick(self) -> None:
        """A call below a tenth of a second is not."""
        self.assertEqual([], _names(_items(attrs.evolve(_SLOW, duration_ns=99_999_999))))

    def test_sleeps(self) -> None:
        """A sleep takes as long as the program wants, in any interface of the kernel."""
        names = ("nanosleep", "clock_nanosleep", "clock_nanosleep_time64", "nanosleep@i386")
        sleeps = (attrs.evolve(_SLOW, name=name) for name in names)
        self.assertEqual([], _names(_items(*sleeps)))

    def test_many_sleeps(self) -> None:
        """Sleeps do not crowd out a call that is less slow."""
        sleep = attrs.evolve(_SLOW, name="nanosleep", duration_ns=10**9)
        sleeps = (attrs.evolve(sleep, time_ns=time_ns) for time_ns in range(SLOWEST_OVERALL))
        self.assertEqual(["fsync"], _names(_items(_SLOW, *sleeps)))

    def test_idle(self) -> None:
        """A wait for work is not."""
        idle = attrs.evolve(_SLOW, name="read", object=_TICK.id)
        self.assertEqual(["fsync"], _names(_items(idle, _SLOW)))
        # It was busy for all that time.
        busy = attrs.evolve(idle, waiting_ns=0)
        self.assertEqual(["read"], _names(_items(busy)))
