"""Responses: bodies with their headers, computed once per snapshot and shared by all clients."""

import gzip
from collections.abc import Callable, Hashable
from http import HTTPStatus

import attrs
from twisted.internet.defer import Deferred
from twisted.web.http import CACHED, UNAUTHORIZED
from twisted.web.iweb import IRequest
from twisted.web.resource import Resource

from syswatch.base.classes import define, frozen
from syswatch.base.hashing import blake2b
from syswatch.model.snapshot import Snapshot
from syswatch.service.ranges import Ranges
from syswatch.service.reader_process import ReaderError
from syswatch.service.session import ISession
from syswatch.views.budget.period import Period
from syswatch.views.records import Error, encode

from .errors import ApiError, no_exact_range, not_readable

JSON = b"application/json"
HTML = b"text/html; charset=utf-8"
TEXT = b"text/plain; charset=utf-8"
# Below this, the headers of compression cost as much as it saves.
_MIN_COMPRESSED = 1024
_LEVEL = 3
# A client with many different requests gets responses, but cannot fill the memory.
_MAX_CACHED = 64


@define
class Response:
    """A body; its ETag and its compressed form are computed on first use."""

    body: bytes
    content_type: bytes = JSON
    # What a browser saves it as; it is shown if there is no name.
    file_name: str = ""
    _compressed: bytes | None = attrs.field(default=None, init=False)
    _etag: bytes = attrs.field(default=b"", init=False)

    @property
    def etag(self) -> bytes:
        """The ETag: a digest of the body."""
        if not self._etag:
            self._etag = b'"%s"' % blake2b(self.body, digest_size=12).hexdigest().encode()
        return self._etag

    @property
    def compressed(self) -> bytes:
        """The body as gzip."""
        if self._compressed is None:
            self._compressed = gzip.compress(self.body, _LEVEL, mtime=0)
        return self._compressed

    def send(self, request: IRequest, *, unconditional: bool = False) -> bytes:
        """Set the headers and return the body to write, empty for 304 Not Modified."""
        request.setHeader(b"Content-Type", self.content_type)
        request.setHeader(b"Cache-Control", b"no-store")
        request.setHeader(b"X-Content-Type-Options", b"nosniff")
        request.setHeader(b"Vary", b"Accept-Encoding")
        if self.file_name:
            disposition = f'attachment; filename="{self.file_name}"'
            request.setHeader(b"Content-Disposition", disposition.encode())
        if not unconditional and _has_tag(request, self.etag):
            return b""
        body = self.body
        if len(body) >= _MIN_COMPRESSED and _accepts_gzip(request):
            request.setHeader(b"Content-Encoding", b"gzip")
            body = self.compressed
        return _with_length(request, body)


def _has_tag(request: IRequest, etag: bytes) -> bool:
    """Set the tag of a response; return whether the client has it, which is answered by 304."""
    tags = request.requestHeaders.getRawHeaders(b"If-None-Match")
    if tags is not None:
        # Twisted takes one line without commas, and a proxy that compresses a body weakens its tag.
        listed = (tag.strip().removeprefix(b"W/") for tag in b",".join(tags).split(b","))
        request.requestHeaders.setRawHeaders(b"If-None-Match", [b" ".join(listed)])
    return request.setETag(etag) is CACHED


@define
class ResponseCache:
    """The responses computed from the newest snapshot."""

    _session: ISession
    # What knows ranges of time exactly, if there is a recording of every call.
    ranges: Ranges | None = None
    _snapshot: Snapshot | None = attrs.field(default=None, init=False)
    _responses: dict[Hashable, Response] = attrs.field(factory=dict, init=False)

    @property
    def is_replay(self) -> bool:
        """Return whether any range of time is known exactly."""
        return self.ranges is not None

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot."""
        return self._session.snapshot

    def watch(self) -> Callable[[], None]:
        """Ask for details in each snapshot, until the returned function is called."""
        return self._session.watch()

    def json(self, view: Callable[[Snapshot], object]) -> Response:
        """Return a view of the newest snapshot as JSON."""
        return self.get(view, lambda snapshot: json_response(view(snapshot)))

    def get(self, key: Hashable, compute: Callable[[Snapshot], Response]) -> Response:
        """Return the response cached under a key, or compute it from the newest snapshot."""
        snapshot = self.snapshot()
        if snapshot is not self._snapshot:
            self._snapshot, self._responses = snapshot, {}
        response = self._responses.get(key) or compute(snapshot)
        if len(self._responses) < _MAX_CACHED:
            self._responses[key] = response
        return response

    def send_range(
        self,
        request: IRequest,
        period: Period,
        key: Hashable,
        compute: Callable[[Snapshot], Response],
    ) -> bytes | Deferred[bytes]:
        """Respond with what is computed of a range of time, which is part of the key."""
        if not period or self.ranges is None:
            return self.get(key, compute).send(request)
        return Deferred.fromCoroutine(_exactly(self.ranges, period, compute)).addCallback(
            lambda response: response.send(request)
        )

    def send_exact_range(
        self,
        request: IRequest,
        period: Period,
        key: Hashable,
        compute: Callable[[Snapshot], Response],
    ) -> bytes | Deferred[bytes]:
        """Do the same, but refuse a range that is not known exactly."""
        self.check_range(period)
        return self.send_range(request, period, key, compute)

    def check_range(self, period: Period) -> None:
        """Refuse a range of time that is not known exactly."""
        if period and not self.is_replay:
            raise no_exact_range()

    async def part(self, period: Period) -> Snapshot:
        """Return the newest snapshot, or the part of it in a range of time."""
        if not period or self.ranges is None:
            return self.snapshot()
        return await _part(self.ranges, period)


async def _exactly(
    ranges: Ranges, period: Period, compute: Callable[[Snapshot], Response]
) -> Response:
    return compute(await _part(ranges, period))


async def _part(ranges: Ranges, period: Period) -> Snapshot:
    try:
        return await ranges.part(period)
    except ReaderError as error:
        raise not_readable(str(error)) from error


@frozen(slots=False)
class ErrorResource(Resource):
    """A resource that responds with an error."""

    error: ApiError
    isLeaf = True

    def render(self, request: IRequest) -> bytes:
        """Respond with the error."""
        return send_error(request, self.error)


def json_response(record: object) -> Response:
    """Return a record as a JSON response."""
    return Response(encode(record))


def send_error(request: IRequest, error: ApiError) -> bytes:
    """Set the status and the headers of an error and return the body to write."""
    body = encode(Error(error.code, error.message))
    request.setResponseCode(error.status, HTTPStatus(error.status).phrase.encode())
    if error.status == UNAUTHORIZED:
        request.setHeader(b"WWW-Authenticate", b"Bearer")
    request.setHeader(b"Content-Type", JSON)
    request.setHeader(b"Cache-Control", b"no-store")
    request.setHeader(b"X-Content-Type-Options", b"nosniff")
    return _with_length(request, body)


def _with_length(request: IRequest, body: bytes) -> bytes:
    request.setHeader(b"Content-Length", b"%d" % len(body))
    # Twisted drops the body of a HEAD response as well, but logs a warning.
    return b"" if request.method == b"HEAD" else body


def _accepts_gzip(request: IRequest) -> bool:
    accepted = (request.getHeader(b"accept-encoding") or b"").lower().replace(b" ", b"")
    weights = {
        coding: weight
        for coding, _, weight in (item.partition(b";") for item in accepted.split(b","))
    }
    # "*" applies only to codings that are not listed.
    weight = weights.get(b"gzip", weights.get(b"*", b"q=0"))
    return weight not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
