"""Bearer tokens in requests."""

from twisted.web.iweb import IRequest

from syswatch.settings.access import Token

_SCHEME = b"bearer"


def is_in_header(token: Token, request: IRequest) -> bool:
    """Return whether the request has the token in its Authorization header."""
    return token.matches(presented(request) or b"")


def is_in_header_or_query(token: Token, request: IRequest) -> bool:
    """Return the same for clients that cannot set headers; a bearer token takes precedence."""
    bearer = presented(request)
    if bearer is None:
        bearer = (request.args.get(b"token") or [b""])[-1]
    return token.matches(bearer)


def presented(request: IRequest) -> bytes | None:
    """
    Return the bearer token of a request's header, or None.

    Other schemes are ignored: a proxy may pass on the password that it asked for itself.
    """
    headers = request.requestHeaders.getRawHeaders(b"authorization") or ()
    schemes = (header.partition(b" ") for header in headers)
    tokens = [token.strip() for scheme, _, token in schemes if scheme.lower() == _SCHEME]
    return tokens[-1] if tokens else None
