"""Answers: bytes with their headers, made once a tick and shared by all who ask."""

import gzip
from collections.abc import Callable, Hashable
from hashlib import blake2b
from http import HTTPStatus

import attrs
from twisted.web.http import CACHED, UNAUTHORIZED
from twisted.web.iweb import IRequest

from syswatch.model.snapshot import Snapshot
from syswatch.service.session import ISession
from syswatch.views.records import Error, encode

from .errors import ApiError

JSON = b"application/json"
HTML = b"text/html; charset=utf-8"
TEXT = b"text/plain; charset=utf-8"
# Below this, the headers of compression cost as much as it saves.
_WORTH_COMPRESSING = 1024
_LEVEL = 3
# Somebody who asks a thousand different things a second gets answers, but we do not keep them.
_MOST_KEPT = 64


@attrs.define
class Answer:
    """A body; its tag and its compressed form are made when first asked for."""

    body: bytes
    content_type: bytes = JSON
    _compressed: bytes | None = attrs.field(default=None, init=False)
    _tag: bytes = attrs.field(default=b"", init=False)

    @property
    def tag(self) -> bytes:
        """What tells this body from the one a client has."""
        if not self._tag:
            self._tag = b'"%s"' % blake2b(self.body, digest_size=12).hexdigest().encode()
        return self._tag

    @property
    def compressed(self) -> bytes:
        """The body as gzip."""
        if self._compressed is None:
            self._compressed = gzip.compress(self.body, _LEVEL, mtime=0)
        return self._compressed

    def send(self, request: IRequest, *, always: bool = False) -> bytes:
        """Set the headers and return what is left to write; `always` the body, changed or not."""
        request.setHeader(b"Content-Type", self.content_type)
        request.setHeader(b"Cache-Control", b"no-store")
        request.setHeader(b"X-Content-Type-Options", b"nosniff")
        request.setHeader(b"Vary", b"Accept-Encoding")
        if not always and request.setETag(self.tag) is CACHED:
            return b""
        body = self.body
        if len(body) >= _WORTH_COMPRESSING and _accepts_gzip(request):
            request.setHeader(b"Content-Encoding", b"gzip")
            body = self.compressed
        return _with_length(request, body)


@attrs.define
class Tick:
    """The answers made from one snapshot."""

    _session: ISession
    _snapshot: Snapshot | None = attrs.field(default=None, init=False)
    _answers: dict[Hashable, Answer] = attrs.field(factory=dict, init=False)

    def current(self) -> Snapshot:
        """Return the newest snapshot."""
        return self._session.snapshot

    def json(self, shape: Callable[[Snapshot], object]) -> Answer:
        """Return a shape of the newest snapshot as JSON."""
        return self.answer(shape, lambda snapshot: Answer(encode(shape(snapshot))))

    def answer(self, key: Hashable, make: Callable[[Snapshot], Answer]) -> Answer:
        """Return what was made under a key from the newest snapshot, or make it."""
        snapshot = self.current()
        if snapshot is not self._snapshot:
            self._snapshot, self._answers = snapshot, {}
        answer = self._answers.get(key) or make(snapshot)
        if len(self._answers) < _MOST_KEPT:
            self._answers[key] = answer
        return answer


def json_answer(shape: object) -> Answer:
    """Return an answer for this request only."""
    return Answer(encode(shape))


def send_error(request: IRequest, error: ApiError) -> bytes:
    """Answer with an error."""
    body = encode(Error(error.word, error.message))
    request.setResponseCode(error.status, HTTPStatus(error.status).phrase.encode())
    if error.status == UNAUTHORIZED:
        request.setHeader(b"WWW-Authenticate", b"Bearer")
    request.setHeader(b"Content-Type", JSON)
    request.setHeader(b"Cache-Control", b"no-store")
    request.setHeader(b"X-Content-Type-Options", b"nosniff")
    return _with_length(request, body)


def _with_length(request: IRequest, body: bytes) -> bytes:
    """Set the length of a body, and leave the body out where only that was asked for."""
    request.setHeader(b"Content-Length", b"%d" % len(body))
    # Twisted would leave it out, too, but with a line in the log.
    return b"" if request.method == b"HEAD" else body


def _accepts_gzip(request: IRequest) -> bool:
    accepted = (request.getHeader(b"accept-encoding") or b"").lower().replace(b" ", b"")
    weights = {
        coding: weight
        for coding, _, weight in (item.partition(b";") for item in accepted.split(b","))
    }
    # What is named counts, and the star for what is not.
    weight = weights.get(b"gzip", weights.get(b"*", b"q=0"))
    return weight not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
