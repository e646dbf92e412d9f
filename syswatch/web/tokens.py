"""Shared tokens: who knows one may ask."""

import hmac

import attrs
from twisted.web.iweb import IRequest

_SCHEME = b"bearer"


@attrs.frozen(repr=False)
class Token:
    """A secret that a client must present; it never shows in a log or a repr."""

    secret: bytes

    def is_in_header(self, request: IRequest) -> bool:
        """Return whether the request carries the token in its Authorization header."""
        return self._equals(presented(request) or b"")

    def is_in_header_or_query(self, request: IRequest) -> bool:
        """Return the same for a client that cannot set headers; a bearer token decides."""
        bearer = presented(request)
        if bearer is None:
            return self._equals((request.args.get(b"token") or [b""])[-1])
        return self._equals(bearer)

    def _equals(self, presented_secret: bytes) -> bool:
        # In constant time: the time of a refusal must not tell how much was right.
        return hmac.compare_digest(self.secret, presented_secret)


def presented(request: IRequest) -> bytes | None:
    """
    Return the bearer token of a request's header, None where there is none.

    Another scheme is no token: a proxy may pass on the password that it asked for itself.
    """
    headers = request.requestHeaders.getRawHeaders(b"authorization") or ()
    schemes = (header.partition(b" ") for header in headers)
    tokens = [token.strip() for scheme, _, token in schemes if scheme.lower() == _SCHEME]
    return tokens[-1] if tokens else None
