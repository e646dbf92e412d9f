"""What machines ask for that is no JSON: metrics and readiness."""

import attrs
from twisted.web.iweb import IRequest

from . import urls
from .answers import TEXT, Answer, Tick
from .errors import not_ready
from .metrics import Metrics
from .routes import serves

OPEN_METRICS = b"application/openmetrics-text"


@attrs.define
class Scraping:
    """What scrapers and probes read."""

    _tick: Tick
    _metrics: Metrics

    @serves(urls.METRICS, content_type=TEXT, or_else=(OPEN_METRICS,))
    def metrics(self, request: IRequest) -> bytes:
        """Return the metrics, as text or as OpenMetrics."""
        return self._metrics.answer(request).send(request)

    @serves(urls.READYZ, content_type=TEXT, errors=(503,))
    def readyz(self, request: IRequest) -> bytes:
        """Return whether the tracer has begun."""
        if not self._tick.current().source.backend:
            raise not_ready()
        return Answer(b"ok", TEXT).send(request)
