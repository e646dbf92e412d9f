"""The Prometheus metrics of the newest snapshot and of this process."""

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import version
from itertools import chain

import attrs
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from twisted.web.iweb import IRequest

from syswatch.base.classes import define, frozen
from syswatch.codec.metrics_protobuf import CONTENT_TYPE, encode_metrics
from syswatch.model.snapshot import Snapshot
from syswatch.settings.metric_limits import MetricLimits
from syswatch.views.call_metrics import CallMetrics
from syswatch.views.group_metrics import GroupMetrics, group_families
from syswatch.views.metrics import Runtime, metrics
from syswatch.views.rising import Rising

from .responses import TEXT, Response, ResponseCache
from .routes import serves
from .stream_on_demand import StreamOnDemand

_OPEN_METRICS = b"application/openmetrics-text"
_PROTOBUF = "application/vnd.google.protobuf"
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

    def collect(self) -> Iterable[Metric]:
        """Yield all metrics."""
        snapshot = self.snapshot()
        runtime = Runtime(self.version, self.stream.clients, self.stream.dropped)
        of_trace = metrics(snapshot, runtime, self.calls)
        of_groups = group_families(self.groups.rows(snapshot))
        yield from self.rising.families(chain(of_trace, of_groups))


@define
class Metrics:
    """The endpoint for scrapers."""

    _cache: ResponseCache
    _stream: StreamOnDemand
    _limits: MetricLimits = attrs.field(factory=MetricLimits)
    _text: CollectorRegistry = attrs.field(init=False)
    _protobuf: CollectorRegistry = attrs.field(init=False)
    # One for all formats: whoever changes from one to another sees no counter decrease either.
    _rising: Rising = attrs.field(factory=Rising, init=False)

    def __attrs_post_init__(self) -> None:
        """Create a registry for each form of histograms."""
        self._text = self._registry(CallMetrics.classic(self._limits))
        self._protobuf = self._registry(CallMetrics.native(self._limits))

    @serves("/metrics", content_type=TEXT, alternatives=(_OPEN_METRICS, _PROTOBUF.encode()))
    def metrics(self, request: IRequest) -> bytes:
        """Return metrics for Prometheus, as text, OpenMetrics or protobuf."""
        accepted = (request.getHeader(b"accept") or b"").decode("ascii", "replace")
        registry, (encoder, content_type) = (
            (self._protobuf, (_encode_protobuf, CONTENT_TYPE))
            if _prefers_protobuf(accepted)
            else (self._text, _choose_encoder(accepted))
        )
        return self._cache.get(
            content_type, lambda _: Response(encoder(registry), content_type.encode())
        ).send(request)

    def _registry(self, calls: CallMetrics) -> CollectorRegistry:
        # The global registry holds metrics that are not documented.
        registry = CollectorRegistry()
        registry.register(
            SnapshotCollector(
                self._cache.snapshot,
                self._stream,
                version("syswatch"),
                calls,
                GroupMetrics.at_most(self._limits.group_rows),
                self._rising,
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
            best, preferred = weight, name == _PROTOBUF and _is_delimited(parameters)
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
