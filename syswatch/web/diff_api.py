"""The endpoint that compares the trace with other runs."""

from collections import OrderedDict
from collections.abc import Sequence

import attrs
from twisted.internet.defer import DeferredLock
from twisted.internet.threads import deferToThread
from twisted.web.iweb import IRequest

from syswatch.comparison.formats.live_records import LiveDocument
from syswatch.comparison.run import Run
from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.period import Period

from .errors import no_baseline
from .parameters import IntegerParameter
from .responses import Response, ResponseCache, json_response
from .routes import serves
from .time_api import limits, period_of

# More than a trace can have.
_ALL = 10_000_000
_LIMIT = IntegerParameter("limit", "Maximum number of changes.", default=_ALL, maximum=_ALL)
_RANGE = limits("what is compared, in a replay,")
# The page asks for the same range again and again; several pages may have one each.
_MOST_KEPT = 8
_Key = tuple[Period, int]


@attrs.define
class DiffApi:
    """The endpoint; there is nothing to compare with without baselines."""

    _cache: ResponseCache
    _baselines: Sequence[Run]
    # A comparison takes a CPU: only one is made at a time, and once for each snapshot.
    _lock: DeferredLock = attrs.field(factory=DeferredLock, init=False)
    _snapshot: Snapshot | None = attrs.field(default=None, init=False)
    _kept: OrderedDict[_Key, Response] = attrs.field(factory=OrderedDict, init=False)

    @serves("/api/diff", answers=LiveDocument, parameters=(_LIMIT, *_RANGE), errors=(400, 404, 503))
    async def diff(self, request: IRequest) -> bytes:
        """Return what changed from the baselines to this trace, the most important first."""
        if not self._baselines:
            raise no_baseline()
        key = period_of(request), _LIMIT.value(request)
        self._cache.check_range(key[0])
        response = await self._lock.run(self._response, key)
        return response.send(request)

    async def _response(self, key: _Key) -> Response:
        snapshot = self._cache.snapshot()
        if snapshot is not self._snapshot:
            self._snapshot, self._kept = snapshot, OrderedDict()
        if key not in self._kept:
            period, most = key
            part = await self._cache.part(period)
            # It may take a second, which the reactor must not.
            self._kept[key] = await deferToThread(_compared, self._baselines, part, most)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]


def _compared(baselines: Sequence[Run], snapshot: Snapshot, most: int) -> Response:
    # Servers without baselines do without what this imports.
    from syswatch.comparison.formats.live import live_document

    return json_response(live_document(baselines, snapshot, most))
