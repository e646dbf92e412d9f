"""The JSON API: each method answers one path from the newest snapshot."""

import attrs
from twisted.web.iweb import IRequest

from syswatch.model.catalog import lookup
from syswatch.model.entries import LOG_ENTRIES
from syswatch.views import records, shapes
from syswatch.views.records import encode

from . import urls
from .answers import TEXT, Answer, Tick, json_answer
from .errors import not_seen, unknown_syscall
from .exposure import Exposure
from .parameters import Whole
from .routes import serves

_PATHS = Whole("limit", "How many paths.", default=50, most=10_000)
_ENTRIES = Whole("limit", "How many of the newest calls.", default=LOG_ENTRIES, most=LOG_ENTRIES)


@attrs.define
class Api:
    """What programs read."""

    _tick: Tick

    @serves(urls.HEALTHZ, content_type=TEXT, exposure=Exposure.PUBLIC)
    def healthz(self, request: IRequest) -> bytes:
        """Return `ok` while the server is alive."""
        return Answer(b"ok", TEXT).send(request, always=True)

    @serves(urls.STATS, answers=list[records.SyscallStat])
    def stats(self, request: IRequest) -> bytes:
        """Return the table of system calls, the commonest first."""
        return self._tick.json(shapes.stats).send(request)

    @serves(urls.SYSCALL, answers=records.SyscallDetail, errors=(404,))
    def syscall(self, request: IRequest, name: str) -> bytes:
        """Return everything about one system call, with its latest failures."""
        snapshot = self._tick.current()
        call = snapshot.call(name)
        if call is not None:
            return json_answer(shapes.syscall_detail(snapshot, call)).send(request)
        raise unknown_syscall(name) if lookup(name) is None else not_seen(name)

    @serves(urls.STATUS, answers=records.Status)
    def status(self, request: IRequest) -> bytes:
        """Return what is watched, how much it does, and whether it has ended."""
        return self._tick.json(shapes.status).send(request)

    @serves(urls.LOG, answers=list[records.LogEntry], parameters=(_ENTRIES,), errors=(400,))
    def log(self, request: IRequest) -> bytes:
        """Return the newest calls one by one, at most 500."""
        limit = _ENTRIES.of(request)
        return self._tick.answer(
            (shapes.log, limit), lambda snapshot: Answer(encode(shapes.log(snapshot)[-limit:]))
        ).send(request)

    @serves(urls.CATEGORIES, answers=dict[str, records.CategoryTotal])
    def categories(self, request: IRequest) -> bytes:
        """Return calls and errors by category."""
        return self._tick.json(shapes.by_category).send(request)

    @serves(urls.FILES, answers=list[records.FileCount], parameters=(_PATHS,), errors=(400,))
    def files(self, request: IRequest) -> bytes:
        """Return the paths that were opened most often."""
        limit = _PATHS.of(request)
        return json_answer(shapes.files(self._tick.current())[:limit]).send(request)

    @serves(urls.FIDELITY, answers=records.Fidelity)
    def fidelity(self, request: IRequest) -> bytes:
        """Return what is less than exact, and why."""
        return self._tick.json(shapes.fidelity).send(request)

    @serves(urls.HISTORY, answers=list[records.HistoryPoint])
    def history(self, request: IRequest) -> bytes:
        """Return one point a second for the last 15 minutes."""
        return self._tick.json(shapes.history).send(request)

    @serves(urls.PROCESSES, answers=list[records.ProcessTotal])
    def processes(self, request: IRequest) -> bytes:
        """Return the processes that were seen, with their totals."""
        return self._tick.json(shapes.processes).send(request)
