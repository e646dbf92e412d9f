"""Tests of socket addresses that depend on the machine."""

import os
import socket
import struct

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.decode.sockaddr import socket_address


class InterfaceTests(SynchronousTestCase):
    """Names of network interfaces, which can contain any bytes."""

    def test_hostile(self) -> None:
        """Names of interfaces are quoted as other strings."""
        self.patch(socket, "if_indextoname", lambda _: os.fsdecode(b"e\x1b[m\xff"))
        host = socket.inet_pton(socket.AF_INET6, "fe80::1")
        data = struct.pack("<HHI16sI", socket.AF_INET6, 0, 0, host, 7)
        self.assertIn(r'sin6_scope_id=if_nametoindex("e\33[m\377")', socket_address(data))
