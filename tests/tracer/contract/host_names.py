"""Tests that peers get the names that the target itself has looked up."""

import sys

from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectKind
from tests.name_server import NameServer, query

from .case import BackendCase

_NAME = "db.example.org"
# So that the start of the interpreter, which makes hundreds of calls, does not use up the quota of
# samples in which eBPF finds the answers.
_UNLIMITED = 1_000_000
_IP = "127.9.8.7"
# Asks the name server in some way, and connects a socket to the peer.
_ASKS = """
import os, socket, sys
way, address, question = sys.argv[1:]
question = bytes.fromhex(question)
server = address, 53
peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if way == "before":
    peer.connect(("127.9.8.7", 5432))
if way == "tcp":
    with socket.create_connection(server) as asked:
        asked.sendall(len(question).to_bytes(2, "big") + question)
        while asked.recv(4096):
            pass
else:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        if way != "unconnected":
            asked.connect(server)
        asked.sendto(question, server)
        if way == "message":
            asked.recvmsg(4096)
        elif way == "read":
            os.read(asked.fileno(), 4096)
        else:
            asked.recvfrom(4096)
if way != "before":
    peer.connect(("127.9.8.7", 5432))
"""


class HostNameContract(BackendCase):
    """Names of the peer after it was looked up in different ways."""

    def hosts(self, way: str, **options: object) -> list[str]:
        """Return the names of the peer, of which there is one object."""
        options = {"log_rate": _UNLIMITED, **options}
        with NameServer({_NAME: _IP}) as address:
            delta: Delta = self.trace(
                sys.executable, "-I", "-S", "-c", _ASKS, way, address, query(_NAME).hex(), **options
            ).delta
        peers = [info for info in delta.objects.values() if info.kind is ObjectKind.UDP]
        return [info.host for info in peers if info.name == f"{_IP}:5432"]

    def test_connected(self) -> None:
        """The name is in the answer to a question that was sent over a connected socket."""
        self.assertEqual([_NAME], self.hosts("connected"))

    def test_unconnected(self) -> None:
        """Without a connection, the address of the datagram tells that it is an answer."""
        self.assertEqual([_NAME], self.hosts("unconnected"))

    def test_message(self) -> None:
        """The answer is in a message."""
        self.assertEqual([_NAME], self.hosts("message"))

    def test_read(self) -> None:
        """The answer is read as from a file."""
        self.assertEqual([_NAME], self.hosts("read"))

    def test_tcp(self) -> None:
        """The answer arrives over TCP."""
        self.assertEqual([_NAME], self.hosts("tcp"))

    def test_before(self) -> None:
        """A peer that was known before gets its name later."""
        self.assertEqual([_NAME], self.hosts("before"))

    def test_without_arguments(self) -> None:
        """If no arguments may be read, no names are learnt."""
        self.assertEqual([], self.hosts("connected", read_arguments=False))
