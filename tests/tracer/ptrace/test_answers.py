"""Tests that every answer of a name server is read, also if its call is handled by no loop."""

import sys

from syswatch.model.objects import ObjectKind
from tests.name_server import NameServer, query

from .case import PtraceCase

_ADDRESSES = {f"db{number}.example.org": f"127.9.8.{number}" for number in range(1, 6)}
# Receives slowly first, so that none of the other calls is among the slowest.
_ASKS = """
import os, select, socket, struct, sys
server, *asked = sys.argv[1:]
idle, _ = socket.socketpair()
idle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 2000))
for _ in range(60):
    try:
        idle.recv(1)
    except OSError:
        pass
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as name_server:
    name_server.connect((server, 53))
    for pair in asked:
        question, address = pair.split("=")
        name_server.send(bytes.fromhex(question))
        select.select([name_server], [], [])
        name_server.recv(4096)
        for _ in range(5):
            os.getppid()
for pair in asked:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.connect((pair.split("=")[1], 5432))
"""


class AnswerTests(PtraceCase):
    """Names that are learnt one after the other."""

    def test_all(self) -> None:
        """Each peer has the name that was in its answer."""
        asked = [f"{query(name).hex()}={ip}" for name, ip in _ADDRESSES.items()]
        with NameServer(_ADDRESSES) as server:
            command = (sys.executable, "-I", "-S", "-c", _ASKS, server, *asked)
            delta = self.trace(*command, log_rate=0).delta
        peers = [info for info in delta.objects.values() if info.kind is ObjectKind.UDP]
        hosts = {info.name.partition(":")[0]: info.host for info in peers if info.host}
        for name, ip in _ADDRESSES.items():
            self.assertEqual(name, hosts.get(ip))
