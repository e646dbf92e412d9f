"""The Prometheus metrics of the newest snapshot and of this process."""

from typing import TYPE_CHECKING

import attrs
from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.settings.metric_limits import MetricLimits

from .responses import TEXT, Response, ResponseCache
from .routes import serves
from .stream_on_demand import StreamOnDemand

if TYPE_CHECKING:
    from .exposition import Exposition

OPEN_METRICS = b"application/openmetrics-text"
PROTOBUF = b"application/vnd.google.protobuf"


@define
class Metrics:
    """The endpoint for scrapers; what makes metrics is imported for the first of them."""

    _cache: ResponseCache
    _stream: StreamOnDemand
    _limits: MetricLimits = attrs.field(factory=MetricLimits)
    _exposition: "Exposition | None" = attrs.field(default=None, init=False)

    @serves("/metrics", content_type=TEXT, alternatives=(OPEN_METRICS, PROTOBUF))
    def metrics(self, request: IRequest) -> bytes:
        """Return metrics for Prometheus, as text, OpenMetrics or protobuf."""
        accepted = (request.getHeader(b"accept") or b"").decode("ascii", "replace")
        content_type, encode = self.exposition().choose(accepted)
        return self._cache.get(
            content_type, lambda _: Response(encode(), content_type.encode())
        ).send(request)

    def exposition(self) -> "Exposition":
        """Return the metrics in all forms, created when they are first asked for."""
        if self._exposition is None:
            from .exposition import Exposition

            self._exposition = Exposition(self._cache.snapshot, self._stream, self._limits)
        return self._exposition
