"""Waiting for several descriptors: poll, select and epoll."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import flags

from .descriptors import descriptor
from .names_misc import EPOLL_OPERATION
from .numbers import signed_32, unsigned_32
from .structures import readable_elements
from .traced_call import Printers, TracedCall, follow, follow_on_success

_POLLFD = struct.Struct("<iHH")
_EPOLL_EVENT = {"x86_64": struct.Struct("<IQ"), "aarch64": struct.Struct("<I4xQ")}
_EVENT_NAMES = """
    {0}IN=1 {0}PRI=2 {0}OUT=4 {0}ERR=8 {0}HUP=0x10 {0}NVAL=0x20 {0}RDNORM=0x40 {0}RDBAND=0x80
    {0}WRNORM=0x100 {0}WRBAND=0x200 {0}MSG=0x400
"""
_POLL_EVENTS = flags(
    "POLL???",
    _EVENT_NAMES.format("POLL") + "POLLREMOVE=0x1000 POLLRDHUP=0x2000 POLL_BUSY_LOOP=0x8000",
)
_EPOLL_EVENTS = flags(
    "EPOLL???",
    _EVENT_NAMES.format("EPOLL")
    + """
    EPOLLRDHUP=0x2000 EPOLLEXCLUSIVE=0x10000000 EPOLLWAKEUP=0x20000000 EPOLLONESHOT=0x40000000
    EPOLLET=0x80000000
    """,
)
_EPOLL_CTL_DEL = EPOLL_OPERATION["EPOLL_CTL_DEL"]
_MOST_DESCRIPTORS = 1024 * 1024
_MOST_POLLED = 8192


def _requested(call: TracedCall, index: int, address: int) -> str:
    def text(fd: int, events: int, _returned: int) -> str:
        requested = f", events={_POLL_EVENTS(events)}" if fd >= 0 else ""
        return f"{{fd={descriptor(call, fd)}{requested}}}"

    return readable_elements(call, address, call.unsigned_int(index + 1), _POLLFD, text)


def polled(call: TracedCall) -> str:
    """Return the descriptors that have returned events; empty if there are none."""
    count = min(call.unsigned_int(1), _MOST_POLLED)
    texts: list[str] = []
    for fd, _, events in _POLLFD.iter_unpack(call.read(call.argument(0), count * _POLLFD.size)):
        if not events:
            continue
        if len(texts) == call.settings.string_limit:
            texts.append("...")
            break
        texts.append(f"{{fd={fd}, revents={_POLL_EVENTS(events)}}}")
    return f"[{', '.join(texts)}]" if texts else ""


def _set(call: TracedCall, _index: int, address: int) -> str:
    if signed_32(call.argument(0)) <= 0:
        return f"{address:#x}"
    return f"[{' '.join(descriptor(call, fd) for fd in members(call, address))}]"


def members(call: TracedCall, address: int) -> list[int]:
    """Return the descriptors of a set, which the first argument limits."""
    bound = min(max(signed_32(call.argument(0)), 0), _MOST_DESCRIPTORS)
    if not bound:
        return []
    word = call.settings.word_size
    size = (bound + 8 * word - 1) // (8 * word) * word
    bits = int.from_bytes(call.read(address, size), "little") & ((1 << bound) - 1)
    found = []
    while bits:
        found.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return found


def _epoll_layout(call: TracedCall) -> struct.Struct:
    return _EPOLL_EVENT.get(call.settings.architecture, _EPOLL_EVENT["x86_64"])


def _event(call: TracedCall, address: int) -> str:
    layout = _epoll_layout(call)
    events, data = call.unpack(layout, address)
    shown = f"{{u32={unsigned_32(data)}, u64={data}}}"
    return f"{{events={_EPOLL_EVENTS(events)}, data={shown}}}"


def _registered(call: TracedCall, index: int, address: int) -> str:
    if call.unsigned_int(index - 2) == _EPOLL_CTL_DEL:
        return f"{address:#x}"
    return _event(call, address)


def _returned_events(call: TracedCall, _index: int, address: int) -> str:
    layout = _epoll_layout(call)
    count = max(call.ret, 0)
    limit = call.settings.string_limit
    texts = [_event(call, address + n * layout.size) for n in range(min(count, limit))]
    if count > limit:
        texts.append("...")
    return f"[{', '.join(texts)}]"


PRINTERS = Printers(
    at_entry={
        Kind.POLLFDS_INOUT: follow(_requested),
        Kind.FD_SET_INOUT: follow(_set),
        Kind.EPOLL_EVENT_IN: follow(_registered),
    },
    at_exit={Kind.EPOLL_EVENTS_OUT: follow_on_success(_returned_events)},
)
