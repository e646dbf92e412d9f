"""The endpoints that the pages poll once a second, and the alerts."""

import attrs
from twisted.internet.defer import Deferred
from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.model.catalog.entries import lookup
from syswatch.views import board_records
from syswatch.views.board import PARTS, BoardQuery, CallBoardQuery, alert_records

from .errors import unknown_syscall
from .parameters import IntegerParameter, NamesParameter, TextParameter
from .processes import process_of, process_parameter
from .responses import ResponseCache, json_response
from .routes import serves
from .time_api import SHARE, limits, period_of, share_of

_SINCE = IntegerParameter(
    "since", "Return only the history after this second.", default=0, minimum=0
)
_PID = process_parameter("pid")
_OBJECT = TextParameter("object", "Return the object with this ID as well.")
_RANGE = limits("the verdict, the times, the slowest calls and the log")
_RANGE_OF_CALL = limits("all numbers but the history, in a replay,")
_WITH = NamesParameter("with", "Additional parts to return.", PARTS)


@define
class DashboardApi:
    """The endpoints for the pages; equal requests share a response."""

    _cache: ResponseCache
    _has_baselines: bool = attrs.field(kw_only=True)
    _counts_evidence: bool = attrs.field(kw_only=True)

    @serves("/api/alerts", answers=list[board_records.Alert])
    def alerts(self, request: IRequest) -> bytes:
        """Return the alerts with explanations, most severe first."""
        return self._cache.json(alert_records).send(request)

    @serves(
        "/api/dashboard",
        answers=board_records.Board,
        parameters=(_SINCE, _WITH, _PID, SHARE, _OBJECT, *_RANGE),
        errors=(400, 404, 503),
    )
    def board(self, request: IRequest) -> bytes | Deferred[bytes]:
        """Return everything that the dashboard shows, in one response."""
        pid = process_of(_PID, request, self._cache.snapshot())
        query = BoardQuery(
            _SINCE.value(request),
            _WITH.value(request),
            pid,
            share_of(request),
            _OBJECT.value(request),
            period_of(request),
            self._cache.is_replay,
            self._has_baselines,
            self._counts_evidence,
        )
        return self._cache.send_range(
            request, query.period, query, lambda snapshot: json_response(query(snapshot))
        )

    @serves(
        "/api/dashboard/<string:name>",
        answers=board_records.CallBoard,
        parameters=(_SINCE, *_RANGE_OF_CALL),
        errors=(400, 404, 503),
    )
    def call_board(self, request: IRequest, name: str) -> bytes | Deferred[bytes]:
        """Return everything that the page of one system call shows, in one response."""
        # A trace may have names that the catalog lacks.
        if lookup(name) is None and self._cache.snapshot().call(name) is None:
            raise unknown_syscall(name)
        query = CallBoardQuery(
            name, _SINCE.value(request), period_of(request), self._cache.is_replay
        )
        return self._cache.send_exact_range(
            request, query.period, query, lambda snapshot: json_response(query(snapshot))
        )
