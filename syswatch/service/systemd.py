"""The service manager's protocols: readiness notification and socket activation."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from syswatch.model.snapshot import Snapshot
    from syswatch.service.session import ISession

# Meant for this process only: neither the tracer nor the command may act on them.
PRIVATE_VARIABLES = frozenset(
    ("LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC")
)
# SD_LISTEN_FDS_START of the protocol.
_FIRST_ACTIVATED_FD = 3


def notify_systemd(state: str) -> None:
    """Send the service manager a state such as `READY=1`; do nothing without one."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    # A tracer does not need it, and it takes a while to import.
    import socket

    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        # "@" is the notation for the NUL byte that starts an abstract name.
        channel.connect(f"\0{address[1:]}" if address.startswith("@") else address)
        channel.send(state.encode())


def notify_when_ready(session: "ISession") -> None:
    """Send `READY=1` once the tracer has started, as `/readyz` has it."""

    def notify(snapshot: "Snapshot") -> None:
        if snapshot.is_ready:
            unsubscribe()
            notify_systemd("READY=1")

    unsubscribe = session.subscribe(notify)


def activated_fds(environment: Mapping[str, str]) -> range:
    """Return the descriptors of the listening sockets that the service manager passed."""
    if environment.get("LISTEN_PID") != str(os.getpid()):
        return range(0)
    count = int(environment.get("LISTEN_FDS", "0"))
    return range(_FIRST_ACTIVATED_FD, _FIRST_ACTIVATED_FD + count)
