"""The endpoint of the metrics: one text a tick and format, and the server's own process."""

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

from .answers import Answer, Tick
from .stream import Stream


@attrs.frozen
class SnapshotCollector(Collector):
    """Gives a registry the metrics of the newest snapshot."""

    current: Callable[[], Snapshot]
    stream: Stream
    version: str

    def collect(self) -> Iterable[Metric]:
        """Yield every metric."""
        runtime = Runtime(self.version, self.stream.clients, self.stream.dropped)
        yield from metrics(self.current(), runtime)


@attrs.define
class Metrics:
    """Answers scrapers."""

    _tick: Tick
    _stream: Stream
    _registry: CollectorRegistry = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Register what is exposed; nothing of the library's global registry."""
        self._registry = CollectorRegistry()
        self._registry.register(
            SnapshotCollector(self._tick.current, self._stream, version("syswatch"))
        )
        ProcessCollector(registry=self._registry)

    def answer(self, request: IRequest) -> Answer:
        """Return the text in the format that the scraper prefers."""
        accepted = (request.getHeader(b"accept") or b"").decode("ascii", "replace")
        encoder, content_type = _choose_encoder(accepted)
        return self._tick.answer(
            content_type, lambda _: Answer(encoder(self._registry), content_type.encode())
        )


def _choose_encoder(accepted: str) -> tuple[Callable[[Collector], bytes], str]:
    try:
        return choose_encoder(accepted)
    except (TypeError, ValueError):
        # A version that is no number; the library does not expect one.
        return choose_encoder("")
