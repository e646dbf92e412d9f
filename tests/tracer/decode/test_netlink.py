"""Messages of netlink sockets, as strace prints them."""

import struct

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter

from .injected_calls import ArenaMemory, Case
from .memory_images import A, B, laid_out

_ROUTE, _SOCK_DIAG, _GENERIC = 0, 4, 16
_REQUEST, _DUMP = 1, 0x301


def message(kind: int, bits: int, body: bytes = b"") -> bytes:
    """Return a message with a correct length."""
    return struct.pack("<IHHIi", 16 + len(body), kind, bits, 7, -5) + body


def attribute(kind: int, value: bytes) -> bytes:
    """Return an attribute with its padding."""
    return struct.pack("<HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def header(length: int, kind: str, bits: str) -> str:
    """Return the text of a header."""
    return (
        f"{{nlmsg_len={length}, nlmsg_type={kind}, nlmsg_flags={bits}, nlmsg_seq=7, nlmsg_pid=-5}}"
    )


_LINK = struct.pack("<BxHiII", 0, 772, 0, 0x49, 0)
_SHOWN_LINK = (
    "{ifi_family=AF_UNSPEC, ifi_type=ARPHRD_LOOPBACK, ifi_index=0, "
    "ifi_flags=IFF_UP|IFF_LOOPBACK|IFF_RUNNING, ifi_change=0}"
)


class NetlinkTests(SynchronousTestCase):
    """The texts are those that strace 6.1 has printed for such messages."""

    def sent(self, data: bytes, protocol: int | None = _ROUTE) -> str:
        """Return the text of a message that is sent."""
        case = Case("sendto", (3, A, len(data), 0, 0, 0), data)
        return self.shown(case, protocol).removeprefix("3, ").partition(f", {len(data)}, 0")[0]

    def shown(self, case: Case, protocol: int | None) -> str:
        """Return the arguments of a call on a socket with this protocol."""
        memory = ArenaMemory(case, protocol=protocol)
        formatter = Formatter(TraceOptions(), "x86_64")
        args = (*case.args, *[0] * 6)[:6]
        captured = formatter.capture(case.name, args, memory)
        return formatter.format(case.name, args, 20, False, memory, captured)  # noqa: FBT003

    def test_request(self) -> None:
        """Requests are printed with the flags of requests."""
        data = message(18, _DUMP, _LINK + attribute(29, struct.pack("<I", 9)))
        shown = header(40, "RTM_GETLINK", "NLM_F_REQUEST|NLM_F_DUMP")
        mask = "[{nla_len=8, nla_type=IFLA_EXT_MASK}, RTEXT_FILTER_VF|RTEXT_FILTER_SKIP_STATS]"
        self.assertEqual(f"[{shown}, {_SHOWN_LINK}, {mask}]", self.sent(data))

    def test_several(self) -> None:
        """Several messages or attributes are printed as lists, unknown values in hexadecimal."""
        attributes = attribute(3, b"lo\0") + attribute(0x43, b"\1") + attribute(4, b"\5")
        data = message(16, 2, _LINK + attributes) + message(3, 2, bytes(4))
        first = header(56, "RTM_NEWLINK", "NLM_F_MULTI")
        last = header(20, "NLMSG_DONE", "NLM_F_MULTI")
        texts = (
            '[{nla_len=7, nla_type=IFLA_IFNAME}, "lo"], '
            '[{nla_len=5, nla_type=0x43 /* IFLA_??? */}, "\\x01"], '
            '[{nla_len=5, nla_type=IFLA_MTU}, "\\x05"]'
        )
        expected = f"[[{first}, {_SHOWN_LINK}, [{texts}]], [{last}, 0]]"
        self.assertEqual(expected, self.sent(data))

    def test_address(self) -> None:
        """Addresses are printed by family, and numbers by name."""
        body = struct.pack("<BBBBI", 2, 8, 0x80, 254, 0)
        body += attribute(1, b"\x7f\0\0\1") + attribute(2, bytes(15) + b"\1")
        shown = header(52, "RTM_NEWADDR", "NLM_F_REQUEST|NLM_F_CREATE")
        subject = (
            "{ifa_family=AF_INET, ifa_prefixlen=8, ifa_flags=IFA_F_PERMANENT, "
            "ifa_scope=RT_SCOPE_HOST, ifa_index=0}"
        )
        texts = (
            '[[{nla_len=8, nla_type=IFA_ADDRESS}, inet_addr("127.0.0.1")], '
            '[{nla_len=20, nla_type=IFA_LOCAL}, inet_pton(AF_INET6, "::1")]]'
        )
        data = message(20, 0x401, body)
        self.assertEqual(f"[{shown}, {subject}, {texts}]", self.sent(data))

    def test_failure(self) -> None:
        """An error is printed with the request that caused it."""
        asked = message(18, _REQUEST, b"\0\0\0\0")
        data = message(2, 0, struct.pack("<i", -19) + asked)
        inner = f"[{header(20, 'RTM_GETLINK', 'NLM_F_REQUEST')}, {{ifi_family=AF_UNSPEC, ...}}]"
        shown = f"[{header(40, 'NLMSG_ERROR', '0')}, {{error=-ENODEV, msg={inner}}}]"
        self.assertEqual(shown, self.sent(data))

    def test_sockets(self) -> None:
        """Requests of NETLINK_SOCK_DIAG are decoded."""
        body = struct.pack("<BBBxI", 2, 6, 0, 0x480) + bytes(48)
        expected = (
            f"[{header(72, 'SOCK_DIAG_BY_FAMILY', 'NLM_F_REQUEST|NLM_F_DUMP')}, "
            "{sdiag_family=AF_INET, sdiag_protocol=IPPROTO_TCP, idiag_ext=0, "
            "idiag_states=1<<TCP_CLOSE|1<<TCP_LISTEN, id={idiag_sport=htons(0), "
            'idiag_dport=htons(0), idiag_src=inet_addr("0.0.0.0"), '
            'idiag_dst=inet_addr("0.0.0.0"), idiag_if=0, idiag_cookie=[0, 0]}}]'
        )
        self.assertEqual(expected, self.sent(message(20, _DUMP, body), _SOCK_DIAG))

    def test_other_sockets(self) -> None:
        """On sockets of another protocol, and other sockets, bytes are printed."""
        data = message(18, _REQUEST, b"\0\0\0\0")
        for protocol in (None, _GENERIC):
            self.assertTrue(self.sent(data, protocol).startswith('"\\24\\0\\0\\0'))
        self.assertEqual('"GET / HTTP/1.0\\r\\n\\r\\n"', self.sent(b"GET / HTTP/1.0\r\n\r\n"))

    def test_received(self) -> None:
        """Messages received with a netlink address are decoded."""
        parts = {
            0: struct.pack("<QI4xQQQQI4x", B, 12, A + 0x80, 1, 0, 0, 0),
            0x80: struct.pack("<QQ", A + 0x200, 4096),
            0x100: struct.pack("<HHII", 16, 0, 0, 0),
            0x200: message(3, 2, bytes(4)),
        }
        shown = self.shown(Case("recvmsg", (3, A, 0), laid_out(parts)), _ROUTE)
        expected = f"iov_base=[{header(20, 'NLMSG_DONE', 'NLM_F_MULTI')}, 0], iov_len=4096"
        self.assertIn(expected, shown)
