"""
The metrics of where the time went, for Prometheus.

A label never has a path, a peer or a thread, so the number of series is bounded.  A counter must
never decrease, so the waits are not split into blocked and idle here: that judgement may change as
more becomes known.  Gauges have it, for the threads as they are now.
"""

from collections.abc import Iterator, Mapping

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from syswatch.base.classes import define
from syswatch.model.activity import Activity, Objects, kind_of
from syswatch.model.objects import ObjectKind
from syswatch.model.snapshot import Snapshot

from .budget.in_progress import in_progress
from .budget.states import TimeState

_SECOND_NS = 1e9
# A path may turn out to be a directory or a device later, which must not move its numbers.
_PATHS = "file"


@define
class _Totals:
    """The sums over the objects of one kind."""

    waiting_ns: int = 0
    bytes_in: int = 0
    bytes_out: int = 0


def time_metrics(snapshot: Snapshot) -> Iterator[Metric]:
    """Yield the metrics of threads and objects; without them, only their descriptions."""
    yield _thread_seconds(snapshot)
    totals = _by_kind(snapshot.sums.activity, snapshot.sums.objects)
    waiting = CounterMetricFamily(
        "syswatch_waiting_seconds",
        "Seconds waiting in calls that returned, by kind of object.",
        labels=("kind",),
    )
    transferred = CounterMetricFamily(
        "syswatch_bytes", "Bytes read and written, by kind of object.", labels=("kind", "direction")
    )
    for kind, each in totals.items():
        waiting.add_metric((kind,), each.waiting_ns / _SECOND_NS)
        # Most kinds, such as locks, never have any.
        if each.bytes_in or each.bytes_out:
            transferred.add_metric((kind, "read"), each.bytes_in)
            transferred.add_metric((kind, "written"), each.bytes_out)
    yield waiting
    yield transferred
    yield _objects(snapshot.sums.objects)
    yield from _now(snapshot)


def label(kind: ObjectKind) -> str:
    """Return the label of a kind; all kinds that have a path share one."""
    if kind.namespace == ObjectKind.PATH.namespace:
        return _PATHS
    return str(kind.value)


def _thread_seconds(snapshot: Snapshot) -> Metric:
    states = dict.fromkeys(("user", "working", "waiting", "ready", "stopped"), 0)
    for tally in snapshot.sums.threads.values():
        times = tally.times
        states["user"] += times.user_ns
        states["working"] += times.working_ns
        states["waiting"] += times.waiting_ns
        states["ready"] += times.ready_ns
        states["stopped"] += times.stopped_ns
    family = CounterMetricFamily(
        "syswatch_thread_seconds",
        "Wall time of all threads by state, calls in progress included.",
        labels=("state",),
    )
    for state, spent_ns in states.items():
        family.add_metric((state,), spent_ns / _SECOND_NS)
    return family


def _now(snapshot: Snapshot) -> Iterator[Metric]:
    states = dict.fromkeys(TimeState, 0)
    longest_ns = 0
    for each in in_progress(snapshot):
        states[each.state] += 1
        if each.state is TimeState.BLOCKED:
            longest_ns = max(longest_ns, each.least_ns)
    family = GaugeMetricFamily(
        "syswatch_threads", "Threads by what they are doing now.", labels=("state",)
    )
    for state, number in states.items():
        family.add_metric((state.value,), number)
    yield family
    yield GaugeMetricFamily(
        "syswatch_longest_blocked_seconds",
        "The longest wait in progress that is not idle.",
        longest_ns / _SECOND_NS,
    )


def _by_kind(activity: Activity, objects: Objects) -> Mapping[str, _Totals]:
    totals: dict[str, _Totals] = {}
    for key, sums in activity.items():
        total = totals.setdefault(label(kind_of(key.object, objects)), _Totals())
        total.waiting_ns += sums.waiting_ns
        total.bytes_in += sums.bytes_in
        total.bytes_out += sums.bytes_out
    return dict(sorted(totals.items()))


def _objects(objects: Objects) -> Metric:
    numbers: dict[str, int] = {}
    for info in objects.values():
        numbers[label(info.kind)] = numbers.get(label(info.kind), 0) + 1
    family = GaugeMetricFamily(
        "syswatch_objects", "Objects with numbers of their own, by kind.", labels=("kind",)
    )
    for kind, number in sorted(numbers.items()):
        family.add_metric((kind,), number)
    return family
