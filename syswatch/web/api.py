"""The JSON API: each method responds to one path from the newest snapshot."""

from twisted.internet.defer import Deferred
from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.model.calls import CallTally
from syswatch.model.catalog.entries import lookup
from syswatch.model.entries import LOG_ENTRIES
from syswatch.model.snapshot import CallStat, Snapshot
from syswatch.views import record_builders, records

from . import urls
from .errors import not_ready, not_seen, unknown_syscall
from .parameters import IntegerParameter
from .responses import TEXT, Response, ResponseCache, json_response
from .routes import Exposure, serves
from .time_api import limits, period_of

_PATH_LIMIT = IntegerParameter("limit", "Maximum number of paths.", default=50, maximum=10_000)
_LOG_LIMIT = IntegerParameter(
    "limit", "Maximum number of calls.", default=LOG_ENTRIES, maximum=LOG_ENTRIES
)
_RANGE = limits("all numbers, in a replay,")


@define
class Api:
    """The endpoints for programs and probes."""

    _cache: ResponseCache

    @serves(urls.HEALTHZ, content_type=TEXT, exposure=Exposure.PUBLIC)
    def healthz(self, request: IRequest) -> bytes:
        """Return `ok` while the server is running (liveness probe)."""
        return Response(b"ok", TEXT).send(request, unconditional=True)

    @serves("/readyz", content_type=TEXT, errors=(503,))
    def readyz(self, request: IRequest) -> bytes:
        """Return `ok` once the tracer has started (readiness probe)."""
        if not self._cache.snapshot().is_ready:
            raise not_ready()
        return Response(b"ok", TEXT).send(request)

    @serves(urls.STATS, answers=list[records.SyscallStat], parameters=_RANGE, errors=(400, 503))
    def stats(self, request: IRequest) -> bytes | Deferred[bytes]:
        """Return statistics of all system calls, most frequent first."""
        period = period_of(request)
        if not period:
            # The stream sends the same.
            return self._cache.json(record_builders.stats).send(request)
        return self._cache.send_exact_range(
            request,
            period,
            ("stats", period),
            lambda snapshot: json_response(record_builders.stats(snapshot)),
        )

    @serves(
        "/api/syscall/<string:name>",
        answers=records.SyscallDetail,
        parameters=_RANGE,
        errors=(400, 404, 503),
    )
    def syscall(self, request: IRequest, name: str) -> bytes | Deferred[bytes]:
        """Return detailed statistics of one system call, with its latest failures."""
        if self._cache.snapshot().call(name) is None:
            raise unknown_syscall(name) if lookup(name) is None else not_seen(name)
        period = period_of(request)

        def detail(snapshot: Snapshot) -> Response:
            call = snapshot.call(name) or CallStat.of(name, CallTally())
            return json_response(record_builders.syscall_detail(snapshot, call, period))

        return self._cache.send_exact_range(request, period, ("syscall", name, period), detail)

    @serves(urls.STATUS, answers=records.Status)
    def status(self, request: IRequest) -> bytes:
        """Return the target, its totals, its call rate, and whether it has ended."""
        return self._cache.json(record_builders.status).send(request)

    @serves("/api/log", answers=list[records.LogEntry], parameters=(_LOG_LIMIT,), errors=(400,))
    def log(self, request: IRequest) -> bytes:
        """Return the newest calls, at most 500, oldest first."""
        limit = _LOG_LIMIT.value(request)
        return self._cache.get(
            (record_builders.log, limit),
            lambda snapshot: json_response(record_builders.log(snapshot)[-limit:]),
        ).send(request)

    @serves("/api/categories", answers=dict[str, records.CategoryTotal])
    def categories(self, request: IRequest) -> bytes:
        """Return calls and errors by category."""
        return self._cache.json(record_builders.by_category).send(request)

    @serves("/api/files", answers=list[records.FileCount], parameters=(_PATH_LIMIT,), errors=(400,))
    def files(self, request: IRequest) -> bytes:
        """Return the most frequently opened paths."""
        limit = _PATH_LIMIT.value(request)
        return json_response(record_builders.files(self._cache.snapshot())[:limit]).send(request)

    @serves("/api/fidelity", answers=records.Fidelity)
    def fidelity(self, request: IRequest) -> bytes:
        """Return whether the numbers are exact, and if not, why."""
        return self._cache.json(record_builders.fidelity).send(request)

    @serves("/api/history", answers=list[records.HistoryPoint])
    def history(self, request: IRequest) -> bytes:
        """Return the last 15 minutes, second by second."""
        return self._cache.json(record_builders.history).send(request)

    @serves("/api/processes", answers=list[records.ProcessTotal])
    def processes(self, request: IRequest) -> bytes:
        """Return the traced processes with their totals."""
        return self._cache.json(record_builders.processes).send(request)
