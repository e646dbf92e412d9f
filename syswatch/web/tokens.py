"""Shared tokens: who knows one may ask."""

import hmac

import attrs
from twisted.web.iweb import IRequest

_SCHEME = b"bearer "


@attrs.frozen(repr=False)
class Token:
    """A secret that a client must present; it never shows in a log or a repr."""

    secret: bytes

    def is_in_header(self, request: IRequest) -> bool:
        """Say whether the request carries the token in its Authorization header."""
        return self._equals(presented(request))

    def is_in_header_or_query(self, request: IRequest) -> bool:
        """Say the same for a client that cannot set headers; a header, if there is one, decides."""
        if request.getHeader(b"authorization") is not None:
            return self.is_in_header(request)
        return self._equals((request.args.get(b"token") or [b""])[-1])

    def _equals(self, presented_secret: bytes) -> bool:
        # In constant time: the time of a refusal must not tell how much was right.
        return hmac.compare_digest(self.secret, presented_secret)


def presented(request: IRequest) -> bytes:
    """Return the bearer token of a request's header, empty where there is none."""
    header = request.getHeader(b"authorization") or b""
    return header[len(_SCHEME) :].strip() if header[: len(_SCHEME)].lower() == _SCHEME else b""
