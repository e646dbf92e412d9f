"""A server of a made-up trace, of waiting threads or of groups, as a process of its own."""

import sys
from typing import Any

import attrs
from twisted.internet import reactor as global_reactor

from syswatch.service.reactor import Reactor
from syswatch.settings.access import Access
from syswatch.web.server import QuietSite
from syswatch.web.site import WebApplication
from tests.made_trace import snapshot_of
from tests.views.group_trace import GROUPED
from tests.web.served import FakeSession


def main(seconds: int, state: str) -> None:
    """Serve the trace until the process is terminated."""
    reactor: Reactor = global_reactor  # type: ignore[assignment]
    snapshot = snapshot_of(seconds, done=state == "done")
    if state == "grouped":
        sums = attrs.evolve(snapshot.sums, groups=GROUPED.groups, group_infos=GROUPED.group_infos)
        snapshot = attrs.evolve(snapshot, sums=sums)
    session = FakeSession(snapshot)
    web = WebApplication.create(session, reactor, Access())
    site: Any = QuietSite(web.root, reactor)
    address: Any = reactor.listenTCP(0, site, interface="127.0.0.1").getHost()
    sys.stderr.write(f"serving http://127.0.0.1:{address.port}/\n")
    sys.stderr.flush()
    reactor.run()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
