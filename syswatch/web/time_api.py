"""The endpoints for where the time went: budget, objects, threads, slowest calls, summary."""

from twisted.internet.defer import Deferred
from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.model.activity import TRACKED_OBJECTS
from syswatch.model.catalog.entries import lookup
from syswatch.model.objects import ObjectKind
from syswatch.model.preferences import ShareOf
from syswatch.model.threads import TRACKED_THREADS
from syswatch.views import object_builders, time_builders, time_records
from syswatch.views.budget.identifiers import object_number
from syswatch.views.budget.objects import ObjectSort, object_stat
from syswatch.views.budget.period import Period, with_objects, within
from syswatch.views.json_summary import summary_record

from . import urls
from .errors import bad_request, unknown_object, unknown_syscall
from .parameters import ChoiceParameter, IntegerParameter, TextParameter
from .processes import process_of, process_parameter
from .responses import ResponseCache, json_response
from .routes import serves

_SHARES = {each.value: each for each in ShareOf}
_KINDS = {each.value: each for each in ObjectKind if each is not ObjectKind.NONE}
_PROCESS = process_parameter("process")
_SINCE_MS = IntegerParameter(
    "since",
    "Return only the history from this time on, in milliseconds since 1970.",
    default=0,
    minimum=0,
)
SHARE = ChoiceParameter(
    "share",
    "What shares are parts of; the default is that of --share.",
    tuple(_SHARES),
)
_KIND = ChoiceParameter(
    "kind",
    "Return only the objects of this kind.",
    tuple(_KINDS),
)
_SORT = ChoiceParameter(
    "sort", "The order of the objects.", tuple(each.value for each in ObjectSort), "time"
)
_OBJECTS = IntegerParameter(
    "limit", "Maximum number of objects.", default=100, maximum=TRACKED_OBJECTS
)
_THREADS = IntegerParameter(
    "limit", "Maximum number of threads.", default=100, maximum=TRACKED_THREADS
)
_CALL = TextParameter("call", "Return only the calls of this name.")


def share_of(request: IRequest) -> ShareOf | None:
    """Return what shares are parts of, or None if a request leaves that to the session."""
    return _SHARES.get(SHARE.value(request))


def limits(what: str) -> tuple[IntegerParameter, IntegerParameter]:
    """Return the parameters for a range of time; `what` is limited to it."""
    return (
        IntegerParameter(
            "from",
            f"Limit {what} to a range of time that begins there, in milliseconds since 1970.",
            default=0,
            minimum=0,
        ),
        IntegerParameter(
            "to", "The end of that range; 0 is the end of the trace.", default=0, minimum=0
        ),
    )


_RANGE = limits("the times")
_RANGE_OF_OBJECTS = limits("the objects and their times waiting, but no other numbers,")
_RANGE_OF_THREADS = limits("the threads and their times, but no other numbers,")
_RANGE_OF_SLOWEST = limits("the slowest calls of the whole trace")


def period_of(request: IRequest) -> Period:
    """Return the range of time to which a request is limited, if it is."""
    from_ms, to_ms = (limit.value(request) for limit in _RANGE)
    if to_ms and to_ms <= from_ms:
        raise bad_request("to must be later than from.")
    return Period(from_ms, to_ms)


@define
class TimeApi:
    """The endpoints for where the time went; equal requests share a response."""

    _cache: ResponseCache

    @serves(
        urls.TIME,
        answers=time_records.Time,
        parameters=(_PROCESS, SHARE, _SINCE_MS, *_RANGE),
        errors=(400, 404, 503),
    )
    def time(self, request: IRequest) -> bytes | Deferred[bytes]:
        """Return where the time went: a sentence, the time by state, and its history."""
        pid, share, period = self._process(request), share_of(request), period_of(request)
        since_ms = _SINCE_MS.value(request)
        return self._cache.send_range(
            request,
            period,
            ("time", pid, share, since_ms, period),
            lambda snapshot: json_response(
                time_builders.time(snapshot, pid, share_of=share, since_ms=since_ms, period=period)
            ),
        )

    @serves(
        urls.NOW,
        answers=time_records.Now,
        parameters=(_PROCESS, _THREADS),
        errors=(400, 404),
    )
    def now(self, request: IRequest) -> bytes:
        """Return what each thread is doing: its call, for how long, and on which object."""
        pid, limit = self._process(request), _THREADS.value(request)
        return self._cache.get(
            ("now", pid, limit),
            lambda snapshot: json_response(time_builders.now(snapshot, pid, limit)),
        ).send(request)

    @serves(
        "/api/objects",
        answers=list[time_records.ObjectRow],
        parameters=(_KIND, _SORT, _OBJECTS, _PROCESS, *_RANGE_OF_OBJECTS),
        errors=(400, 404, 503),
    )
    def objects(self, request: IRequest) -> bytes | Deferred[bytes]:
        """Return the files, connections, locks and other objects, the costliest first."""
        pid, limit, period = self._process(request), _OBJECTS.value(request), period_of(request)
        kind, sort = _KIND.value(request), _SORT.value(request)
        return self._cache.send_range(
            request,
            period,
            ("objects", pid, limit, kind, sort, period),
            lambda snapshot: json_response(
                object_builders.object_rows(
                    with_objects(within(snapshot, period)),
                    pid,
                    kind=_KINDS.get(kind),
                    sort=ObjectSort(sort),
                    limit=limit,
                )
            ),
        )

    @serves(
        "/api/objects/<string:id>",
        answers=time_records.ObjectDetail,
        parameters=(_PROCESS,),
        errors=(400, 404),
    )
    def object(self, request: IRequest, id: str) -> bytes:  # noqa: A002  the name in the path
        """Return one object with its waits, calls, processes and threads."""
        pid, snapshot = self._process(request), self._cache.snapshot()
        number = object_number(id)
        found = None if number is None else object_stat(snapshot, number, pid)
        if found is None:
            raise unknown_object(id)
        return json_response(object_builders.object_detail(snapshot, found, pid)).send(request)

    @serves(
        "/api/threads",
        answers=time_records.Threads,
        parameters=(_PROCESS, _THREADS, _SINCE_MS, *_RANGE_OF_THREADS),
        errors=(400, 404, 503),
    )
    def threads(self, request: IRequest) -> bytes | Deferred[bytes]:
        """Return where the time of each thread went, with its history, the busiest first."""
        pid, limit, period = self._process(request), _THREADS.value(request), period_of(request)
        since_ms = _SINCE_MS.value(request)
        return self._cache.send_range(
            request,
            period,
            ("threads", pid, limit, since_ms, period),
            lambda snapshot: json_response(
                time_builders.thread_rows(
                    within(snapshot, period), pid, limit=limit, since_ms=since_ms
                )
            ),
        )

    @serves(
        "/api/slowest",
        answers=list[time_records.SlowCall],
        parameters=(_CALL, _PROCESS, *_RANGE_OF_SLOWEST),
        errors=(400, 404, 503),
    )
    def slowest(self, request: IRequest) -> bytes | Deferred[bytes]:
        """Return the slowest calls: 50 of all, or 10 of one name."""
        pid, call, period = self._process(request), _CALL.value(request), period_of(request)
        if call and lookup(call) is None and self._cache.snapshot().call(call) is None:
            raise unknown_syscall(call)
        return self._cache.send_range(
            request,
            period,
            ("slowest", pid, call, period),
            lambda snapshot: json_response(
                time_builders.slow_calls(within(snapshot, period), pid, call)
            ),
        )

    @serves("/api/summary", answers=time_records.Summary)
    def summary(self, request: IRequest) -> bytes:
        """Return everything that `--format json` writes, at one moment."""
        return self._cache.json(summary_record).send(request)

    def _process(self, request: IRequest) -> int | None:
        """Return the PID that a request names, or None for all processes."""
        return process_of(_PROCESS, request, self._cache.snapshot())
