"""What `-y` and `-yy` add to a descriptor, as an object."""

import re

from syswatch.base.text import unescaped
from syswatch.model.objects import ObjectKind
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.addresses import Endpoint, SocketFacts, UnixAddress
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.descriptors import Found
from syswatch.tracer.objects.sockets import USUAL_PORT_RANGE, with_side

from .log_numbers import whole_number

_DESCRIPTOR = re.compile(rb"-?\d+<(.*)>(\(deleted\))?", re.DOTALL)
_DEVICE = re.compile(rb"(.*)<(char|block) \d+:\d+>", re.DOTALL)
_SOCKET = re.compile(rb"([A-Z]+)(?:v6)?(?:-[A-Z]+)?:\[(.*)\]", re.DOTALL)
_ENDPOINT = re.compile(rb"\[?([0-9a-fA-F.:]+?)\]?:(\d{1,5})")
_UNIX_PATH = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_INTERNET = {b"TCP": ObjectKind.TCP, b"UDP": ObjectKind.UDP}


def find_in_text(text: bytes, owner: Owner, listening: frozenset[int]) -> Found | None:
    """Return what a descriptor refers to, as the log says; None if it does not."""
    match = _DESCRIPTOR.fullmatch(text)
    if match is None:
        return None
    inside, deleted = match.groups()
    fd = whole_number(text.partition(b"<")[0])
    if device := _DEVICE.fullmatch(inside):
        inside = device[1]
    if socket := _SOCKET.fullmatch(inside):
        facts = _facts(socket[1], socket[2])
        if facts is not None:
            facts = with_side(facts, listening, USUAL_PORT_RANGE)
            return Found(describe.socket(facts, fd, owner), facts)
    link = unescaped(inside) + (b" (deleted)" if deleted else b"")
    return Found(describe.from_link(link, fd, owner))


def _facts(protocol: bytes, inside: bytes) -> SocketFacts | None:
    kind = _INTERNET.get(protocol)
    if kind is not None:
        return _internet(kind, inside)
    if protocol == b"UNIX":
        path = _UNIX_PATH.search(inside)
        raw = unescaped(path[1]) if path else b""
        if raw.startswith(b"@"):
            raw = b"\0" + raw[1:]
        return SocketFacts(ObjectKind.UNIX, local=UnixAddress(raw) if raw else None)
    return None


def _internet(kind: ObjectKind, inside: bytes) -> SocketFacts:
    local, arrow, remote = inside.partition(b"->")
    own = _endpoint(local)
    return SocketFacts(kind, local=own, remote=_endpoint(remote) if arrow else None)


def _endpoint(text: bytes) -> Endpoint | None:
    match = _ENDPOINT.fullmatch(text)
    if match is None or whole_number(match[2]) > 0xFFFF:  # noqa: PLR2004  ports have 16 bits
        return None
    ip = match[1].decode()
    return Endpoint(ip.removeprefix("::ffff:") if "." in ip else ip, int(match[2]))
