"""Tests of syswatch.tracer.objects.dns, .answers, and .hosts."""

import json
import socket
import struct
from unittest import TestCase

from hypothesis import example, given
from hypothesis import strategies as st

from syswatch.model.objects import ObjectKind, Side
from syswatch.tracer.objects.addresses import Endpoint, SocketFacts, UnixAddress
from syswatch.tracer.objects.answers import learn, may_answer
from syswatch.tracer.objects.dns import addresses_in_answer, addresses_in_reply
from syswatch.tracer.objects.hosts import HostNames
from tests.name_server import answer, encoded, query, record

_NAME = "db.example.org"
_ANSWER = answer(query(_NAME), "10.0.0.5", "alias.example.net")
_SERVER = Endpoint("10.0.0.1", 53)
_ASKED = SocketFacts(ObjectKind.UDP, socket.AF_INET, None, _SERVER, Side.CLIENT)
_RESOLVED = UnixAddress(b"/run/systemd/resolve/io.systemd.Resolve")


def _answer_of(*records: bytes, flags: int = 0x8180, questions: int = 1) -> bytes:
    header = struct.pack(">6H", 7, flags, questions, len(records), 0, 0)
    return header + query(_NAME)[12:] + b"".join(records)


def _address(owner: str, ip: str = "10.0.0.5") -> bytes:
    return record(encoded(owner), 1, socket.inet_aton(ip))


class AnswerTest(TestCase):
    """Messages of name servers."""

    def test_address(self) -> None:
        """An address belongs to the name that was asked for, even if that is an alias."""
        for ip in ("10.0.0.5", "2001:db8::5"):
            for alias in ("", "alias.example.net"):
                found = addresses_in_answer(answer(query(_NAME), ip, alias))
                self.assertEqual({ip: _NAME}, found)

    def test_tcp(self) -> None:
        """Over TCP, the length comes first."""
        message = len(_ANSWER).to_bytes(2, "big") + _ANSWER
        self.assertEqual({"10.0.0.5": _NAME}, addresses_in_answer(message))

    def test_case(self) -> None:
        """Upper case makes no difference, as some resolvers vary it."""
        self.assertEqual(
            {"10.0.0.5": _NAME}, addresses_in_answer(_answer_of(_address("DB.example.ORG")))
        )

    def test_others(self) -> None:
        """Records of other names and of other types are left out."""
        records = _address("other.example.org"), record(encoded(_NAME), 16, b"\x03abc")
        self.assertEqual({}, addresses_in_answer(_answer_of(*records)))
        mixed = _answer_of(*records, _address(_NAME, "10.0.0.6"))
        self.assertEqual({"10.0.0.6": _NAME}, addresses_in_answer(mixed))

    def test_not_an_answer(self) -> None:
        """A question, a failure and several questions are no answer."""
        for flags in (0x0100, 0x8183, 0xA180):
            self.assertEqual({}, addresses_in_answer(_answer_of(_address(_NAME), flags=flags)))
        self.assertEqual({}, addresses_in_answer(_answer_of(_address(_NAME), questions=2)))

    def test_cut(self) -> None:
        """Of a message that was cut, only complete records count."""
        whole = _answer_of(_address(_NAME), _address(_NAME, "10.0.0.6"))
        self.assertEqual({"10.0.0.5": _NAME}, addresses_in_answer(whole[:-1]))

    def test_loop(self) -> None:
        """Pointers that form a loop, and names that are too long, are refused."""
        header = struct.pack(">6H", 7, 0x8180, 1, 1, 0, 0)
        self.assertEqual({}, addresses_in_answer(header + b"\xc0\x0c" + bytes(20)))
        self.assertEqual({}, addresses_in_answer(header + b"\x01a\xc0\x0c" + bytes(20)))
        long = b"\x3f" + b"a" * 63
        self.assertEqual({}, addresses_in_answer(header + long * 5 + bytes(20)))

    def test_strange_name(self) -> None:
        """A name that no host can have is not shown."""
        for name in ("a\x1b[31m", "a b", "ä"):
            self.assertEqual({}, addresses_in_answer(answer(query(name), "10.0.0.5")))

    @given(st.binary(max_size=300), st.integers(0, len(_ANSWER)), st.integers(0, 40))
    @example(b"\xc0\x0c", 12, 2)
    def test_hostile(self, noise: bytes, at: int, removed: int) -> None:
        """Whatever the bytes are, the result is a table of addresses and plain names."""
        for message in (noise, _ANSWER[:at] + noise + _ANSWER[at + removed :]):
            for ip, name in addresses_in_answer(message).items():
                socket.getaddrinfo(ip, None, flags=socket.AI_NUMERICHOST)
                self.assertRegex(name, r"\A[\w.-]+\Z")


class ReplyTest(TestCase):
    """Replies of systemd-resolved."""

    def test_addresses(self) -> None:
        """Addresses of both families have the name of the reply."""
        v6 = [*socket.inet_pton(socket.AF_INET6, "2001:db8::5")]
        addresses = [
            {"ifindex": 2, "family": 2, "address": [10, 0, 0, 5]},
            {"family": 10, "address": v6},
        ]
        reply = json.dumps({"parameters": {"addresses": addresses, "name": _NAME, "flags": 1}})
        self.assertEqual(
            {"10.0.0.5": _NAME, "2001:db8::5": _NAME}, addresses_in_reply(reply.encode() + b"\0")
        )

    @example([10**9])
    @example(10**12)
    @given(st.recursive(st.none() | st.integers() | st.text(), st.lists))
    def test_unexpected(self, value: object) -> None:
        """Other JSON is ignored."""
        for parameters in (
            value,
            {"name": value, "addresses": [{"address": [1, 2, 3, 4]}]},
            {"name": _NAME, "addresses": value},
            {"name": _NAME, "addresses": [{"address": value}]},
        ):
            reply = json.dumps({"parameters": parameters}).encode()
            for name in addresses_in_reply(reply).values():
                self.assertIn(name, (_NAME, str(value).rstrip(".")))

    @given(st.binary(max_size=300))
    @example(b"[" * 100_000)
    def test_hostile(self, data: bytes) -> None:
        """What is not JSON is ignored."""
        self.assertEqual({}, addresses_in_reply(data))


class LearnTest(TestCase):
    """Which data teaches names."""

    def test_port(self) -> None:
        """Only what a name server has sent is an answer."""
        hosts = HostNames()
        unconnected = _ASKED._replace(remote=None)
        self.assertFalse(learn(hosts, unconnected, _ANSWER, Endpoint("10.0.0.1", 5353)))
        self.assertFalse(learn(hosts, unconnected, _ANSWER))
        self.assertEqual("", hosts.name_of("10.0.0.5"))
        self.assertTrue(learn(hosts, unconnected, _ANSWER, _SERVER))
        self.assertEqual(_NAME, hosts.name_of("10.0.0.5"))

    def test_sockets(self) -> None:
        """Answers are expected by clients of name servers and unconnected UDP sockets."""
        resolved = SocketFacts(ObjectKind.UNIX, socket.AF_UNIX, None, _RESOLVED)
        for facts in (_ASKED, _ASKED._replace(remote=None), resolved):
            self.assertTrue(may_answer(facts))
        for other in (
            None,
            _ASKED._replace(side=Side.SERVER),
            _ASKED._replace(remote=Endpoint("10.0.0.1", 80)),
            resolved._replace(remote=UnixAddress(b"/run/other")),
            SocketFacts(ObjectKind.TCP, socket.AF_INET),
        ):
            self.assertFalse(may_answer(other))

    def test_resolved(self) -> None:
        """A reply of systemd-resolved teaches names, too."""
        hosts = HostNames()
        facts = SocketFacts(ObjectKind.UNIX, socket.AF_UNIX, None, _RESOLVED)
        reply = {"parameters": {"name": _NAME, "addresses": [{"address": [10, 0, 0, 5]}]}}
        learn(hosts, facts, json.dumps(reply).encode())
        self.assertEqual(_NAME, hosts.name_of("10.0.0.5"))


class HostNamesTest(TestCase):
    """Names of addresses."""

    def test_order(self) -> None:
        """What the target has looked up counts more than /etc/hosts."""
        hosts = HostNames({"10.0.0.5": "file"})
        self.assertEqual("file", hosts.name_of("10.0.0.5"))
        hosts.learn("10.0.0.5", "asked")
        self.assertEqual("asked", hosts.name_of("10.0.0.5"))
        self.assertEqual({"10.0.0.5": "asked"}, hosts.take())
        hosts.learn("10.0.0.5", "asked")
        self.assertEqual({}, hosts.take())

    def test_bound(self) -> None:
        """The oldest names are forgotten."""
        hosts = HostNames()
        for number in range(10_001):
            hosts.learn(str(number), "name")
        self.assertEqual(["", "name"], [hosts.name_of(each) for each in ("0", "1")])
