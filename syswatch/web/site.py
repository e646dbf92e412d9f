"""The web application: all endpoints, the stream and the access checks."""

import codecs
from collections.abc import Sequence

from syswatch.base.classes import frozen
from syswatch.comparison.run import Run
from syswatch.model.call_numbers import table_names
from syswatch.service.ranges import Ranges
from syswatch.service.reactor import Reactor
from syswatch.service.session import ISession
from syswatch.settings.access import Access

from .api import Api
from .dashboard import DashboardApi
from .diff_api import DiffApi
from .download_api import DownloadApi
from .group_api import GroupApi
from .hosts import Hosts
from .index import Index
from .metrics import Metrics
from .pages import Pages
from .profile_api import ProfileApi, import_making
from .query_api import QueryApi
from .recording_download import RecordingDownload
from .responses import ResponseCache
from .root import RootResource
from .router import Router
from .routes import Entrance
from .saving_api import Saver, SavingApi
from .stream_on_demand import StreamOnDemand
from .stream_upgrade import StreamResource
from .time_api import TimeApi
from .timeline_api import RecordingReader, TimelineApi

# Which are looked up by name.
_ENCODINGS = ("ascii", "idna", "latin-1", "utf-8")


@frozen
class WebApplication:
    """The resources that serve one session."""

    root: RootResource
    stream: StreamOnDemand
    _pages: Pages
    _metrics: Metrics

    @classmethod
    def create(  # noqa: PLR0913  one for each thing that may be served
        cls,
        session: ISession,
        reactor: Reactor,
        access: Access,
        ranges: Ranges | None = None,
        recording: RecordingReader | None = None,
        save: Saver | None = None,
        baselines: Sequence[Run] = (),
        *,
        counts_evidence: bool = False,
    ) -> "WebApplication":
        """Return an application with all endpoints that the settings permit."""
        cache = ResponseCache(session, ranges)
        hosts = Hosts(access.allowed_hosts, access.trusted_proxies)
        stream = StreamOnDemand(cache, reactor, access.most_clients)
        pages, scraped = Pages(), Metrics(cache, stream, access.metrics)
        endpoints: list[object] = [
            pages,
            Api(cache),
            TimeApi(cache),
            GroupApi(cache),
            TimelineApi(recording),
            QueryApi(recording),
            RecordingDownload(recording),
            DownloadApi(cache),
            SavingApi(save),
            DiffApi(cache, baselines),
            ProfileApi(cache, counts_evidence=counts_evidence),
            DashboardApi(cache, has_baselines=bool(baselines), counts_evidence=counts_evidence),
            scraped,
        ]
        if access.debug_endpoints:
            from .diagnostics.pprof import Diagnostics

            endpoints.append(Diagnostics(reactor, access.command_line))
        endpoints.append(Index(tuple(endpoints)))
        root = RootResource(
            Router(Entrance(hosts, session.refresh), tuple(endpoints)),
            StreamResource(stream, hosts, access.ws_token or access.http_token),
            hosts,
            access.http_token,
        )
        return cls(root, stream, pages, scraped)

    def prepare(self) -> None:
        """
        Import and read what is otherwise imported and read for the first request that needs it.

        A process that changes its user may not be permitted to do so afterwards.
        """
        for encoding in _ENCODINGS:
            codecs.lookup(encoding)
        table_names()
        import_making()
        self._pages.read_files()
        self._metrics.exposition()
        self.root.router.klein()
        self.stream.upgrade()
