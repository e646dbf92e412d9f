"""Metrics in the forms that scrapers ask for."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain

import attrs
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from syswatch.base.classes import define, frozen
from syswatch.base.version import VERSION
from syswatch.codec.metrics_protobuf import CONTENT_TYPE, encode_metrics
from syswatch.model.snapshot import Snapshot
from syswatch.settings.metric_limits import MetricLimits
from syswatch.views.call_metrics import CallMetrics
from syswatch.views.group_metrics import GroupMetrics, group_families
from syswatch.views.metrics import Runtime, metrics
from syswatch.views.rising import Rising

from .metrics import PROTOBUF
from .stream_on_demand import StreamOnDemand

Encoder = Callable[[CollectorRegistry], bytes]


# A registry hashes its collectors.
@frozen(eq=False)
class SnapshotCollector(Collector):
    """A collector of the metrics of the newest snapshot."""

    snapshot: Callable[[], Snapshot]
    stream: StreamOnDemand
    version: str
    calls: CallMetrics
    groups: GroupMetrics
    rising: Rising
    form: str

    def collect(self) -> Iterable[Metric]:
        """Yield all metrics."""
        snapshot = self.snapshot()
        runtime = Runtime(self.version, self.stream.clients, self.stream.dropped)
        of_trace = metrics(snapshot, runtime, self.calls)
        of_groups = group_families(self.groups.rows(snapshot))
        yield from self.rising.families(chain(of_trace, of_groups), self.form)


@define
class Exposition:
    """The metrics of a session and of this process."""

    _snapshot: Callable[[], Snapshot]
    _stream: StreamOnDemand
    _limits: MetricLimits
    _text: CollectorRegistry = attrs.field(init=False)
    _protobuf: CollectorRegistry = attrs.field(init=False)
    # One for all formats: whoever changes from one to another sees no counter decrease either.
    _rising: Rising = attrs.field(factory=Rising, init=False)

    def __attrs_post_init__(self) -> None:
        """Create a registry for each form of histograms."""
        self._text = self._registry(CallMetrics.classic(self._limits), "text")
        self._protobuf = self._registry(CallMetrics.native(self._limits), "protobuf")

    def choose(self, accepted: str) -> tuple[str, Callable[[], bytes]]:
        """Return the best content type for a client, and what encodes the metrics so."""
        if _prefers_protobuf(accepted):
            return CONTENT_TYPE, partial(_encode_protobuf, self._protobuf)
        encoder, content_type = _choose_encoder(accepted)
        return content_type, partial(encoder, self._text)

    def _registry(self, calls: CallMetrics, form: str) -> CollectorRegistry:
        # The global registry holds metrics that are not documented.
        registry = CollectorRegistry()
        registry.register(
            SnapshotCollector(
                self._snapshot,
                self._stream,
                VERSION,
                calls,
                GroupMetrics.at_most(self._limits.group_rows),
                self._rising,
                form,
            )
        )
        ProcessCollector(registry=registry)
        return registry


def _encode_protobuf(registry: CollectorRegistry) -> bytes:
    return encode_metrics(registry.collect())


def _prefers_protobuf(accepted: str) -> bool:
    """Return whether delimited protobuf is the first of the formats with the highest weight."""
    best, preferred = 0.0, False
    for item in accepted.split(","):
        name, *rest = (part.strip() for part in item.split(";"))
        parameters = dict(part.split("=", 1) for part in rest if "=" in part)
        weight = _weight(parameters.get("q", "1"))
        if weight > best:
            best, preferred = weight, name == PROTOBUF.decode() and _is_delimited(parameters)
    return preferred


def _is_delimited(parameters: Mapping[str, str]) -> bool:
    return (
        parameters.get("proto") == "io.prometheus.client.MetricFamily"
        and parameters.get("encoding") == "delimited"
    )


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _choose_encoder(accepted: str) -> tuple[Encoder, str]:
    try:
        return choose_encoder(accepted)
    except (TypeError, ValueError):
        # The library fails on a version parameter that is not a number.
        return choose_encoder("")
