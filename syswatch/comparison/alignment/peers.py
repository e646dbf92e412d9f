"""Names of peers: by host, where the program has looked it up, and without ephemeral ports."""

import re

from syswatch.model.objects import ObjectKind

from .objects import align_socket
from .paths import align_path, shape_of_path

_LISTENING = "listening on "
UNCONNECTED = "unconnected on "
PORT = "‹port›"
# From here on, Linux chooses ports by itself (net.ipv4.ip_local_port_range).
_FIRST_EPHEMERAL = 32768
_LOCAL_PORT = re.compile(
    r"(?P<host>^(?:listening on |unconnected on ).*|.* -> |^localhost|^127\.[\d.]+|^\[::1\])"
    r":(?P<port>\d{5})(?=$|/udp$)"
)


def align_peer(kind: ObjectKind, name: str, host: str) -> str:
    """Return what identifies a peer in any run."""
    if kind is ObjectKind.UNIX:
        listening = _LISTENING if name.startswith(_LISTENING) else ""
        path = name.removeprefix(listening)
        return listening + align_path(path) if path.startswith("/") else align_socket(name)
    if kind is ObjectKind.SOCKET:
        return align_socket(name)
    # The addresses of a name may differ from run to run.
    if host and ":" in name and " " not in name:
        name = f"{host}:{name.rpartition(':')[2]}"
    if name.startswith(UNCONNECTED):
        # It has no other side, and a port that the kernel has chosen tells nothing.
        name = shape_of_peer(name)
    return f"{name}/udp" if kind is ObjectKind.UDP else name


def shape_of_peer(name: str) -> str:
    """Return a peer with a sign for a port of this machine that the kernel has chosen."""
    if "/" in name and not name.endswith("/udp"):
        return shape_of_path(name)
    return _LOCAL_PORT.sub(_without_port, name)


def _without_port(found: re.Match[str]) -> str:
    if int(found["port"]) < _FIRST_EPHEMERAL:
        return found[0]
    return f"{found['host']}:{PORT}"
