"""How far a path is open: to those who have no token, and to pages of other origins."""

from enum import Enum, auto

from twisted.web.iweb import IRequest

from .errors import forbidden_origin
from .hosts import Hosts


class Exposure(Enum):
    """What a path holds and costs, and so how far it is open."""

    # Needs no token, and any page may load it: it holds no data, and costs nothing.
    PUBLIC = auto()
    # Needs the token, if there is one.  Pages of other origins may link to it, and no more.
    DATA = auto()
    # Not even that: it keeps the server busy, or takes the only place for a profile.
    COSTLY = auto()

    def check(self, request: IRequest, hosts: Hosts) -> None:
        """Refuse a request that a page of another origin has caused, unless it may."""
        if self is Exposure.PUBLIC or hosts.is_same_origin(request):
            return
        if self is Exposure.COSTLY or not is_followed_link(request):
            raise forbidden_origin()


def is_followed_link(request: IRequest) -> bool:
    """Return whether a browser shows the answer by itself, so that no page can use it."""
    return (
        request.getHeader(b"sec-fetch-mode") == b"navigate"
        and request.getHeader(b"sec-fetch-dest") == b"document"
        and request.getHeader(b"origin") is None
    )
