"""`syswatch top`: fetches the numbers of a server once a second and shows them."""

import shutil
import sys
from http import HTTPStatus
from typing import NoReturn, TypeVar

import attrs
import msgspec
from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure
from twisted.web.client import (
    Agent,
    HTTPConnectionPool,
    PartialDownloadError,
    readBody,
)
from twisted.web.http_headers import Headers
from twisted.web.iweb import IResponse

from syswatch.base.classes import define
from syswatch.base.streams import can_draw, print_output
from syswatch.codec.untrusted import escape_texts
from syswatch.service.announcing import announce
from syswatch.service.reactor import Reactor
from syswatch.service.request_errors import (
    NOT_ANSWERED,
    NOT_CONNECTED,
    why_not_answered,
    why_not_connected,
)
from syswatch.settings.access import Token
from syswatch.settings.address import TLS_MISSING
from syswatch.views.records import Status, SyscallStat
from syswatch.views.text_table import coloured, plain
from syswatch.views.time_records import Now, Time
from syswatch.views.top import Answers, screen
from syswatch.web import urls

_HOME_AND_CLEAR = "\x1b[H\x1b[J"
_TIMEOUT_S = 5
# Later than any time: the history is not shown.
_NO_HISTORY = 10**15
# Without a terminal, all calls are printed below what else there is.
_MOST_OTHER_LINES = 20
T = TypeVar("T")


class UnreachableError(Exception):
    """The server cannot be reached, or does not answer as syswatch does."""


class NotServedError(UnreachableError):
    """The server does not serve this path."""


@define(slots=False, eq=False)
class Top(Service):
    """Shows a server until it is interrupted; without a terminal, once."""

    reactor: Reactor
    url: str
    token: Token | None = None
    finished: Deferred[int] = attrs.field(factory=Deferred, init=False)
    _agent: Agent = attrs.field(init=False)
    _asking: LoopingCall = attrs.field(init=False)
    _not_served: set[str] = attrs.field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        """Use one persistent connection."""
        pool = HTTPConnectionPool(self.reactor)
        self._agent = Agent(self.reactor, pool=pool)
        self._asking = LoopingCall(lambda: Deferred.fromCoroutine(self._show()))
        self._asking.clock = self.reactor

    def startService(self) -> None:
        """Start fetching."""
        super().startService()
        self._asking.start(1.0).addErrback(self._fail)

    def stopService(self) -> None:
        """Stop fetching."""
        super().stopService()
        if self._asking.running:
            self._asking.stop()

    def interrupt(self, _number: int) -> None:
        """Stop, on a signal."""
        self._finish(0)

    async def _show(self) -> None:
        answers = await self._ask_all()
        out = sys.__stdout__ or sys.stdout
        is_terminal = out.isatty()
        if is_terminal and not can_draw(out):
            return
        size = shutil.get_terminal_size() if is_terminal else None
        lines = screen(
            answers,
            coloured if size else plain,
            width=size.columns if size else None,
            # The last line is for the cursor.
            height=size.lines - 1 if size else len(answers.stats) + _MOST_OTHER_LINES,
        )
        written = print_output((_HOME_AND_CLEAR if is_terminal else "") + "\n".join(lines) + "\n")
        if written or not is_terminal:
            self._finish(written)

    async def _ask_all(self) -> Answers:
        # The server may send anything.
        status = msgspec.json.decode(await self._get(urls.STATUS), type=Status)
        stats = msgspec.json.decode(await self._get(urls.STATS), type=list[SyscallStat])
        return Answers(
            escape_texts(status),
            list(map(escape_texts, stats)),
            await self._get_if_served(f"{urls.TIME}?since={_NO_HISTORY}", Time),
            await self._get_if_served(urls.NOW, Now),
        )

    async def _get_if_served(self, path: str, kind: type[T]) -> T | None:
        """Return an answer; None if the server is too old for it."""
        if path in self._not_served:
            return None
        try:
            return escape_texts(msgspec.json.decode(await self._get(path), type=kind))
        except NotServedError:
            self._not_served.add(path)
            return None

    async def _get(self, path: str) -> bytes:
        address = self.url.encode() + path.lstrip("/").encode()
        headers = Headers({"Accept": ["application/json"]})
        if self.token is not None:
            headers.addRawHeader(b"Authorization", b"Bearer " + self.token.secret)
        answered = Deferred.fromCoroutine(self._ask(address, headers))
        try:
            response, body = await answered.addTimeout(_TIMEOUT_S, self.reactor, self._time_out)
        except NotImplementedError as error:
            raise UnreachableError(f"cannot connect to {self.url}: {TLS_MISSING}") from error
        except NOT_ANSWERED as error:
            why = why_not_answered(error)
            raise UnreachableError(f"unexpected answer from {self.url}: {why}") from error
        except NOT_CONNECTED as error:
            why = why_not_connected(error)
            raise UnreachableError(f"cannot connect to {self.url}: {why}") from error
        if response.code == HTTPStatus.UNAUTHORIZED:
            what = "another" if self.token else "a"
            raise UnreachableError(f"{self.url} requires {what} token (use --http-token TOKEN)")
        if response.code == HTTPStatus.NOT_FOUND:
            raise NotServedError(f"{self.url} answered {response.code} to {path}")
        if response.code != HTTPStatus.OK:
            raise UnreachableError(f"{self.url} answered {response.code} to {path}")
        return body

    def _time_out(self, _result: object, timeout_s: float) -> NoReturn:
        raise UnreachableError(f"no answer from {self.url} within {timeout_s} s")

    async def _ask(self, address: bytes, headers: Headers) -> tuple[IResponse, bytes]:
        response: IResponse = await self._agent.request(b"GET", address, headers)
        try:
            return response, await readBody(response)
        except PartialDownloadError as unbounded:
            # An HTTP/1.0 response ends with the connection; truncated JSON is detected later.
            return response, unbounded.response or b""

    def _fail(self, failure: Failure) -> None:
        if failure.check(msgspec.MsgspecError):
            announce(f"{self.url} is not a syswatch server: {failure.getErrorMessage()}")
        else:
            announce(failure.getErrorMessage())
        self._finish(1)

    def _finish(self, status: int) -> None:
        if not self.finished.called:
            self.finished.callback(status)
