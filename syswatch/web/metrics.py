"""The Prometheus metrics of the newest snapshot and of this process."""

from collections.abc import Callable, Iterable
from importlib.metadata import version

import attrs
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from twisted.web.iweb import IRequest

from syswatch.model.snapshot import Snapshot
from syswatch.views.metrics import Runtime, metrics

from .responses import TEXT, Response, ResponseCache
from .routes import serves
from .stream import Stream

_OPEN_METRICS = b"application/openmetrics-text"


@attrs.frozen
class SnapshotCollector(Collector):
    """A collector of the metrics of the newest snapshot."""

    snapshot: Callable[[], Snapshot]
    stream: Stream
    version: str

    def collect(self) -> Iterable[Metric]:
        """Yield all metrics."""
        runtime = Runtime(self.version, self.stream.clients, self.stream.dropped)
        yield from metrics(self.snapshot(), runtime)


@attrs.define
class Metrics:
    """The endpoint for scrapers."""

    _cache: ResponseCache
    _stream: Stream
    _registry: CollectorRegistry = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Create a registry: the global one holds metrics that are not documented."""
        self._registry = CollectorRegistry()
        self._registry.register(
            SnapshotCollector(self._cache.snapshot, self._stream, version("syswatch"))
        )
        ProcessCollector(registry=self._registry)

    @serves("/metrics", content_type=TEXT, alternatives=(_OPEN_METRICS,))
    def metrics(self, request: IRequest) -> bytes:
        """Return metrics for Prometheus, as text or as OpenMetrics."""
        accepted = (request.getHeader(b"accept") or b"").decode("ascii", "replace")
        encoder, content_type = _choose_encoder(accepted)
        return self._cache.get(
            content_type, lambda _: Response(encoder(self._registry), content_type.encode())
        ).send(request)


def _choose_encoder(accepted: str) -> tuple[Callable[[Collector], bytes], str]:
    try:
        return choose_encoder(accepted)
    except (TypeError, ValueError):
        # The library fails on a version parameter that is not a number.
        return choose_encoder("")
