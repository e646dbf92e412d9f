"""The services that do what the command line asks for."""

from syswatch.app.top import Top
from syswatch.app.watch import Watch
from syswatch.options.config import Config, Remote
from syswatch.service.reactor import Reactor


def make_service(action: Config | Remote, reactor: Reactor) -> Watch | Top:
    """Return the service for an action."""
    if isinstance(action, Remote):
        return Top(reactor, action.url, action.token)
    return Watch(reactor, action)
