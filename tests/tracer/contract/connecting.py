"""Tests that a connection that fails is credited to the peer."""

import socket
import sys
from contextlib import closing

from .case import BackendCase

_CONNECTS = """
import socket, sys
with socket.socket() as client:
    assert client.connect_ex(("127.0.0.1", int(sys.argv[1])))
"""


class ConnectContract(BackendCase):
    """Calls of connect that do not succeed."""

    def test_refused(self) -> None:
        """The object is the peer, although the socket is never connected to it."""
        with closing(socket.socket()) as bound:
            # No other program can listen at the port, and this socket does not.
            bound.bind(("127.0.0.1", 0))
            port = bound.getsockname()[1]
            delta = self.trace(sys.executable, "-I", "-S", "-c", _CONNECTS, str(port)).delta
        rows = {delta.objects[key.object].name for key in delta.activity if key.call == "connect"}
        self.assertEqual({f"127.0.0.1:{port}"}, rows)
