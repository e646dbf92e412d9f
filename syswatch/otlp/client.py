"""The HTTP client: sends requests to an endpoint and interprets the responses."""

import gzip
import time
from typing import NoReturn

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ConnectingCancelledError
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent, IResponse

from syswatch.base.classes import frozen
from syswatch.service.request_errors import (
    NOT_ANSWERED,
    NOT_CONNECTED,
    why_not_answered,
    why_not_connected,
)
from syswatch.settings.push import Endpoint

from .answers import Answer, Outcome, Response, answer
from .bodies import Body, beginning_of

# Fast rather than small: it runs on the reactor's thread.
_LEVEL = 1


class TimedOutError(Exception):
    """The collector has not answered in time."""


@frozen
class Client:
    """Sends requests of one signal, whose responses are of one type."""

    endpoint: Endpoint
    response: type[Response]
    agent: IAgent
    clock: IReactorTime
    user_agent: str

    def encoded(self, body: bytes) -> bytes:
        """Return a body as it is sent."""
        return gzip.compress(body, _LEVEL, mtime=0) if self.endpoint.gzip else body

    def post(self, body: bytes) -> Deferred[Answer]:
        """Send an encoded request; problems of the network are answers, too."""
        posting = Deferred.fromCoroutine(self._post(body))
        posting.addTimeout(self.endpoint.timeout_s, self.clock, self._time_out)
        return posting.addErrback(self._unreachable)

    async def _post(self, body: bytes) -> Answer:
        response: IResponse = await self.agent.request(
            b"POST", self.endpoint.url.encode("ascii"), self._headers(), Body(body)
        )
        retry_after = (response.headers.getRawHeaders("retry-after") or [""])[0]
        received = await beginning_of(response)
        return answer(self.response(), response.code, retry_after, received, time.time())

    def _headers(self) -> Headers:
        headers = Headers(
            {"Content-Type": ["application/x-protobuf"], "User-Agent": [self.user_agent]}
        )
        if self.endpoint.gzip:
            headers.setRawHeaders("Content-Encoding", ["gzip"])
        for name, value in self.endpoint.headers:
            headers.setRawHeaders(name, [value])
        return headers

    def _time_out(self, _result: object, timeout_s: float) -> NoReturn:
        raise TimedOutError(f"no answer within {timeout_s:g} s")

    def _unreachable(self, failure: Failure) -> Answer:
        error = failure.value
        if isinstance(error, ConnectingCancelledError):
            # Given up before there was a connection.
            raise CancelledError
        if isinstance(error, NOT_ANSWERED):
            if any(reason.check(CancelledError) for reason in error.reasons):
                # An answer is of no use any more.
                raise CancelledError
            return Answer(Outcome.RETRY, why_not_answered(error))
        if not isinstance(error, (TimedOutError, *NOT_CONNECTED)):
            failure.raiseException()
        return Answer(Outcome.RETRY, why_not_connected(error))
