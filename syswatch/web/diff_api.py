"""The endpoint that compares the trace with other runs."""

from collections.abc import Sequence

import attrs
from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.comparison.formats.live_records import LiveDocument
from syswatch.comparison.run import Run
from syswatch.model.snapshot import Snapshot

from .errors import no_baseline
from .parameters import IntegerParameter
from .responses import Response, ResponseCache, json_response
from .routes import serves
from .slow_responses import SlowResponses
from .time_api import limits, period_of

# More than a trace can have.
_ALL = 10_000_000
_LIMIT = IntegerParameter("limit", "Maximum number of changes.", default=_ALL, maximum=_ALL)
_RANGE = limits("what is compared, in a replay,")


@define
class DiffApi:
    """The endpoint; there is nothing to compare with without baselines."""

    _cache: ResponseCache
    _baselines: Sequence[Run]
    _responses: SlowResponses = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Keep what is computed."""
        self._responses = SlowResponses(self._cache)

    @serves("/api/diff", answers=LiveDocument, parameters=(_LIMIT, *_RANGE), errors=(400, 404, 503))
    async def diff(self, request: IRequest) -> bytes:
        """Return what changed from the baselines to this trace, the most important first."""
        if not self._baselines:
            raise no_baseline()
        period, most = period_of(request), _LIMIT.value(request)
        self._cache.check_range(period)
        response = await self._responses.get(
            (period, most), lambda part: _compared(self._baselines, part, most), period
        )
        return response.send(request)


def _compared(baselines: Sequence[Run], snapshot: Snapshot, most: int) -> Response:
    # Servers without baselines do without what this imports.
    from syswatch.comparison.formats.live import live_document

    return json_response(live_document(baselines, snapshot, most))
