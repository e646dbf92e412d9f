"""The readiness protocol of systemd: a datagram to the socket that it names."""

import os
import socket
from contextlib import suppress


def notify(state: str) -> None:
    """Tell the service manager a state such as `READY=1`, if there is one that listens."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        # An abstract name is written with @ for the NUL it begins with.
        channel.connect(f"\0{address[1:]}" if address.startswith("@") else address)
        channel.send(state.encode())
