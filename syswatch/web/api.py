"""
The JSON API: each method answers one path.

The first line of a method's docstring is what the index of endpoints says of it.
"""

import inspect

import attrs
from klein import Klein
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.iweb import IRequest
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from syswatch.model.catalog import lookup
from syswatch.service.interface import ISession
from syswatch.views import board, shapes
from syswatch.views.records import Endpoint

from . import urls
from .answers import TEXT, Answer, Tick, json_answer, send_error
from .boards import Boards, asked_board, asked_call, is_call
from .errors import ApiError, internal, method_not_allowed, not_found, not_seen, unknown_syscall
from .parameters import positive

PER_PAGE, MOST_PER_PAGE = 20, 100
FILES, MOST_FILES = 50, 10_000
_READ = ["GET", "HEAD"]


@attrs.define(slots=False, eq=False)
class Api:
    """Answers from the newest snapshot."""

    _session: ISession
    _tick: Tick = attrs.field(init=False)
    _boards: Boards = attrs.field(init=False)
    _log = Logger()
    app = Klein()

    def __attrs_post_init__(self) -> None:
        """Share what a tick computes."""
        self._tick = Tick(self._session)
        self._boards = Boards(self._session)

    @app.route(urls.HEALTHZ, methods=_READ)
    def healthz(self, request: IRequest) -> bytes:
        """Say that the server is alive."""
        return Answer(b"ok", TEXT).send(request)

    @app.route(urls.INDEX, methods=_READ)
    def index(self, request: IRequest) -> bytes:
        """List the endpoints of this server, page by page."""
        number = positive(request.args, "page", default=1)
        per_page = positive(request.args, "per_page", default=PER_PAGE, most=MOST_PER_PAGE)
        return json_answer(shapes.page(_endpoints(self.app), number, per_page)).send(request)

    @app.route(urls.STATS, methods=_READ)
    def stats(self, request: IRequest) -> bytes:
        """Give the table of system calls, the commonest first."""
        return self._tick.json(shapes.stats).send(request)

    @app.route(urls.SYSCALL, methods=_READ)
    def syscall(self, request: IRequest, name: str) -> bytes:
        """Give everything about one system call, with its latest failures."""
        snapshot = self._session.snapshot
        call = snapshot.call(name)
        if call is not None:
            return json_answer(shapes.syscall_detail(snapshot, call)).send(request)
        raise unknown_syscall(name) if lookup(name) is None else not_seen(name)

    @app.route(urls.STATUS, methods=_READ)
    def status(self, request: IRequest) -> bytes:
        """Say what is watched, how much it does, and whether it has ended."""
        return self._tick.json(shapes.status).send(request)

    @app.route(urls.LOG, methods=_READ)
    def log(self, request: IRequest) -> bytes:
        """Give the newest calls one by one, at most 500."""
        return self._tick.json(shapes.log).send(request)

    @app.route(urls.CATEGORIES, methods=_READ)
    def categories(self, request: IRequest) -> bytes:
        """Give calls and errors by category."""
        return self._tick.json(shapes.by_category).send(request)

    @app.route(urls.FILES, methods=_READ)
    def files(self, request: IRequest) -> bytes:
        """Give the paths that were opened most often."""
        limit = positive(request.args, "limit", default=FILES, most=MOST_FILES)
        return json_answer(shapes.files(self._session.snapshot)[:limit]).send(request)

    @app.route(urls.FIDELITY, methods=_READ)
    def fidelity(self, request: IRequest) -> bytes:
        """Say what is less than exact, and why."""
        return self._tick.json(shapes.fidelity).send(request)

    @app.route(urls.HISTORY, methods=_READ)
    def history(self, request: IRequest) -> bytes:
        """Give one point a second for the last 15 minutes."""
        return self._tick.json(shapes.history).send(request)

    @app.route(urls.PROCESSES, methods=_READ)
    def processes(self, request: IRequest) -> bytes:
        """Give the processes that were seen, with their totals."""
        return self._tick.json(shapes.processes).send(request)

    @app.route(urls.ALERTS, methods=_READ)
    def alerts(self, request: IRequest) -> bytes:
        """Give what stands out, the gravest first, and say why it may be harmless or not."""
        return self._tick.json(board.standing_out).send(request)

    @app.route(urls.BOARD, methods=_READ)
    def board(self, request: IRequest) -> bytes:
        """Give everything that the dashboard shows, in one answer."""
        return self._boards.answer(asked_board(request.args)).send(request)

    @app.route(urls.CALL_BOARD, methods=_READ)
    def call_board(self, request: IRequest, name: str) -> bytes:
        """Give everything that the page of one system call shows, in one answer."""
        if not is_call(self._session.snapshot, name):
            raise unknown_syscall(name)
        return self._boards.answer(asked_call(name, request.args)).send(request)

    @app.handle_errors(ApiError)
    def refuse(self, request: IRequest, failure: Failure) -> bytes:
        """Answer what a method has raised."""
        return send_error(request, failure.value)

    @app.handle_errors(NotFound)
    def miss(self, request: IRequest, _failure: Failure) -> bytes:
        """Answer for a path that is not served."""
        return send_error(request, not_found())

    @app.handle_errors(MethodNotAllowed)
    def refuse_method(self, request: IRequest, _failure: Failure) -> bytes:
        """Answer for a method that changes something: nothing here can be changed."""
        allowed = ", ".join(_READ)
        request.setHeader(b"Allow", allowed.encode())
        return send_error(request, method_not_allowed(allowed))

    @app.handle_errors(HTTPException)
    def refuse_otherwise(self, request: IRequest, failure: Failure) -> bytes:
        """Answer for a path that the router cannot make sense of."""
        error = failure.value
        status = error.code if isinstance(error.code, int) else 400
        return send_error(request, ApiError(status, "bad_request", "The path makes no sense."))

    @app.handle_errors
    def break_down(self, request: IRequest, failure: Failure) -> bytes:
        """Answer when something broke; the traceback goes to the log and nowhere else."""
        self._log.failure("a request could not be answered", failure=failure)
        return send_error(request, internal())


def _endpoints(app: Klein) -> list[Endpoint]:
    return sorted(
        (
            Endpoint(_template(rule.rule), "GET", _description(app, rule.endpoint))
            for rule in app.url_map.iter_rules()
        ),
        key=lambda line: line.path,
    )


def _template(rule: str) -> str:
    return rule.replace("<string:", "{").replace(">", "}")


def _description(app: Klein, endpoint: str) -> str:
    return (inspect.getdoc(app.endpoints[endpoint]) or "").partition("\n")[0]
