"""The whole site: every room, the stream, and the door before them."""

import attrs

from syswatch.service.reactor import Reactor
from syswatch.service.session import ISession
from syswatch.settings.access import Access

from .answers import Tick
from .api import Api
from .boards import Boards
from .diagnostics.pprof import Diagnostics
from .hosts import Hosts
from .index import Index
from .metrics import Metrics
from .pages import Pages
from .root import Root
from .routes import PublicPaths, application, below, direct
from .scraping import Scraping
from .stream import Stream
from .upgrade import StreamResource


@attrs.frozen
class Web:
    """What is served of one session."""

    root: Root
    stream: Stream

    @classmethod
    def of(cls, session: ISession, reactor: Reactor, access: Access) -> "Web":
        """Build every room."""
        tick = Tick(session)
        hosts = Hosts(access.allowed_hosts, access.trusted_proxies)
        stream = Stream(tick, reactor, access.most_clients)
        rooms: list[object] = [
            Pages(),
            Api(tick),
            Boards(tick),
            Scraping(tick, Metrics(tick, stream)),
        ]
        if access.debug_endpoints:
            rooms.append(Diagnostics(reactor, access.command_line))
        rooms.append(Index(tuple(rooms)))
        root = Root(
            application(hosts, *rooms).resource(),
            StreamResource(stream, hosts, access.ws_token or access.http_token),
            hosts,
            access.http_token,
            PublicPaths.of(*rooms).has,
            direct(hosts, *rooms),
            below(hosts, *rooms),
        )
        return cls(root, stream)
