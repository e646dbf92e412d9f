"""Calls about sockets, and calls that wait for them."""

import struct

from .injected_calls import Case
from .memory_images import (
    ABSTRACT,
    INET,
    INET6,
    NETLINK,
    NOWHERE,
    OTHER,
    UNIX,
    A,
    B,
    C,
    laid_out,
    qwords,
)

VECTORS = laid_out({0: qwords(B, 3, C, 5), 0x100: b"abc", 0x200: b"defghijkl"})
NAMED = laid_out(
    {
        0: qwords(B, 16, C, 2, 0, 0, 0),
        0x100: INET,
        0x200: qwords(A + 0x300, 3, A + 0x310, 5),
        0x300: b"abc",
        0x310: b"defgh",
    }
)
RIGHTS = struct.pack("<Qiiii", 24, 1, 1, 3, 4)
CREDENTIALS = struct.pack("<Qiiiii4x", 28, 1, 2, 3, 4, 5)
STRANGE = struct.pack("<Qii4s4x", 20, 41, 50, b"abcd")
WITH_CONTROL = laid_out(
    {
        0: qwords(0, 0, C, 1, A + 0x400, len(RIGHTS + CREDENTIALS + STRANGE), 0x40),
        0x200: qwords(A + 0x300, 3),
        0x300: b"abc",
        0x400: RIGHTS + CREDENTIALS + STRANGE,
    }
)
TWO = laid_out(
    {
        0: qwords(0, 0, C, 2, 0, 0, 0, 4) + qwords(0, 0, C, 1, 0, 0, 0, 2),
        0x200: qwords(A + 0x300, 3, A + 0x310, 5),
        0x300: b"abc",
        0x310: b"defgh",
    }
)


def answered(address: bytes, length: int) -> bytes:
    """Return memory with an address, and its length at a second pointer."""
    return laid_out({0: address, 0x100: struct.pack("<i", length)})


CASES = (
    Case("socket", (2, 0x80801, 6)),
    Case("socket", (1, 2, 0)),
    Case("socket", (16, 3, 15)),
    Case("socketpair", (1, 1, 0, A), struct.pack("<ii", 3, 4)),
    *(
        Case("connect", (3, A, len(address) - cut), address)
        for address in (INET, INET6, UNIX, ABSTRACT, NETLINK, OTHER, bytes(16))
        for cut in (0, 3)
    ),
    Case("connect", (3, A, 1), INET),
    Case("connect", (3, 0, 5)),
    Case("bind", (3, A, 2), UNIX),
    Case("bind", (3, A, 110), UNIX),
    Case("accept", (3, A, B), answered(INET, 16)),
    Case("accept", (3, A, B), answered(INET, 5)),
    Case("accept", (3, 0, 0)),
    Case("accept4", (3, A, 0, 0x80800), INET),
    Case("getsockname", (3, A, B), answered(UNIX, 2)),
    Case("getpeername", (3, A, B), answered(INET6, 28)),
    Case("sendto", (3, B, 3, 0x4000, A, 16), answered(INET, 16)),
    Case("sendto", (3, A, 3, 0, 0, 0), b"abc"),
    Case("recvfrom", (3, C, 10, 0x40, A, B), answered(INET, 16)),
    Case("recvfrom", (3, C, 10, 0, 0, 0)),
    Case("recvfrom", (3, C, 10, 0, A, NOWHERE), INET),
    Case("shutdown", (3, 1)),
    Case("listen", (3, 128)),
    Case("setsockopt", (3, 1, 2, A, 4), b"\1"),
    Case("setsockopt", (3, 1, 13, A, 8), b"\1"),
    Case("setsockopt", (3, 1, 20, A, 16), b"\1"),
    Case("setsockopt", (3, 6, 13, A, 5), b"cubic"),
    Case("setsockopt", (3, 6, 1, A, 4), b"\1"),
    Case("setsockopt", (3, 41, 26, 0, 4)),
    Case("setsockopt", (3, 999, 26, A, 4), b"\1"),
    Case("getsockopt", (3, 1, 4, A, B), answered(b"\1\2\3\4", 4)),
    Case("getsockopt", (3, 1, 4, A, B), answered(struct.pack("<i", 111), 4)),
    Case("getsockopt", (3, 1, 17, A, B), answered(struct.pack("<iII", 7, 8, 9), 12)),
    Case("getsockopt", (3, 6, 11, A, B), answered(bytes(range(104)), 104)),
    Case("writev", (1, A, 2), VECTORS),
    Case("writev", (1, A, 0), VECTORS),
    Case("writev", (1, A, 40), VECTORS),
    Case("writev", (1, NOWHERE, 2)),
    Case("readv", (1, A, 2), VECTORS),
    Case("preadv", (1, A, 2, 5), VECTORS),
    Case("pwritev2", (1, A, 2, 5, 0, 1), VECTORS),
    Case("process_vm_readv", (9, A, 2, A, 2, 0), VECTORS),
    Case("sendmsg", (3, A, 0x4000), NAMED),
    Case("recvmsg", (3, A, 0), NAMED),
    Case("sendmsg", (3, A, 0), WITH_CONTROL),
    Case("recvmsg", (3, A, 0x40000000), WITH_CONTROL),
    Case("recvmsg", (3, NOWHERE, 0)),
    Case("sendmmsg", (3, A, 2, 0x4000), TWO),
    Case("recvmmsg", (3, A, 2, 0, 0), TWO),
    Case("poll", (A, 2, 100), struct.pack("<ihhihh", 3, 1, 1, 4, 5, 0)),
    Case("poll", (A, 1, -1), struct.pack("<ihh", -1, 1, 0)),
    Case("poll", (0, 0, 5)),
    Case("ppoll", (A, 1, B, C, 8), struct.pack("<ihh", 3, 1, 1)),
    Case("select", (5, A, B, 0, C), laid_out({0: b"\x0b", 0x100: b"\x04"})),
    Case("select", (0, 0, 0, 0, 0)),
    Case("pselect6", (5, A, 0, B, C, A + 0x300), laid_out({0: b"\x0f", 0x300: qwords(C, 8)})),
    Case("epoll_create1", (0x80000,)),
    Case("epoll_ctl", (3, 1, 4, A), struct.pack("<IQ", 0x80000001, 0x500000007)),
    Case("epoll_ctl", (3, 2, 4, A)),
    Case("epoll_wait", (3, A, 10, -1), struct.pack("<IQ", 0x11, 7) * 4),
    Case("epoll_pwait", (3, A, 10, -1, B, 8), struct.pack("<IQ", 0x11, 7) * 4),
    Case("epoll_pwait2", (3, A, 10, B, C, 8), struct.pack("<IQ", 0x11, 7) * 4),
    Case("eventfd2", (3, 0x80001)),
)
