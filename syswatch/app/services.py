"""The services that do what the command line asks for."""

from syswatch.app.top import Top
from syswatch.app.tracing import TracingService
from syswatch.options.config import Config, Remote
from syswatch.service.reactor import Reactor


def make_service(action: Config | Remote, reactor: Reactor) -> TracingService | Top:
    """Return the service for an action."""
    if isinstance(action, Remote):
        return Top(reactor, action.url, action.token)
    return TracingService(reactor, action)
