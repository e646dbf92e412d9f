"""Responses that take long to compute: in a thread, one at a time, and once for each snapshot."""

from collections import OrderedDict
from collections.abc import Callable, Hashable

import attrs
from twisted.internet.defer import DeferredLock
from twisted.internet.threads import deferToThread

from syswatch.base.classes import define
from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.period import ALWAYS, Period

from .responses import Response, ResponseCache

# Pages ask for the same again and again; several pages may have one each.
_MOST_KEPT = 8


@define
class SlowResponses:
    """The newest responses of one endpoint, computed of the newest snapshot."""

    _cache: ResponseCache
    # What is computed takes a CPU.
    _lock: DeferredLock = attrs.field(factory=DeferredLock, init=False)
    _snapshot: Snapshot | None = attrs.field(default=None, init=False)
    _kept: OrderedDict[Hashable, Response] = attrs.field(factory=OrderedDict, init=False)

    async def get(
        self, key: Hashable, compute: Callable[[Snapshot], Response], period: Period = ALWAYS
    ) -> Response:
        """Return the response under a key, which has the range of time that it is limited to."""
        response: Response = await self._lock.run(self._response, key, compute, period)
        return response

    async def _response(
        self, key: Hashable, compute: Callable[[Snapshot], Response], period: Period
    ) -> Response:
        snapshot = self._cache.snapshot()
        if snapshot is not self._snapshot:
            self._snapshot, self._kept = snapshot, OrderedDict()
        if key not in self._kept:
            part = await self._cache.part(period)
            # The reactor must not wait for it.
            self._kept[key] = await deferToThread(compute, part)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]
