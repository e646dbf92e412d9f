"""The root resource: checks host and token, then passes a request to the stream or the router."""

from twisted.web.iweb import IRequest
from twisted.web.resource import IResource, Resource

from syswatch.base.classes import frozen
from syswatch.settings.access import Token

from . import urls
from .errors import bad_request, not_found, unauthorized
from .hosts import Hosts
from .responses import ErrorResource, send_error
from .router import Router
from .tokens import is_in_header

_HEALTHZ = urls.HEALTHZ.encode()
_STREAM = urls.STREAM.encode()


@frozen(slots=False)
class RootResource(Resource):
    """
    The root of the resource tree.

    The stream is separate because it takes over the connection.  It has a token of its own and
    checks it before the upgrade.
    """

    router: Router
    stream: IResource
    hosts: Hosts
    token: Token | None = None

    def getChildWithDefault(self, _name: bytes, request: IRequest) -> IResource:
        """Return the resource for a request, or one that refuses it."""
        path = request.path
        # A probe may use any name for the server.
        refusal = self.hosts.refusal(request, any_name=path == _HEALTHZ)
        if refusal is not None:
            return ErrorResource(refusal)
        if not path.startswith(b"/"):
            message = "The request target must be a path or a URL of this server."
            return ErrorResource(bad_request(message))
        if path == _STREAM:
            return self.stream
        if self._lacks_token(request):
            return ErrorResource(unauthorized())
        return self.router.resource(request)

    def render(self, request: IRequest) -> bytes:
        """Refuse; not reached in practice, because every path has a first segment."""
        return send_error(request, not_found())

    def _lacks_token(self, request: IRequest) -> bool:
        if self.token is None or self.router.is_public(request.path):
            return False
        return not is_in_header(self.token, request)
