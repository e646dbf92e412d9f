"""Tests that the peers of messages are noted."""

import sys

from .case import PtraceCase

_SCRIPT = """
import ctypes, socket, struct
def address(last):
    port = struct.pack(">H", 9)
    return struct.pack("=H", socket.AF_INET) + port + bytes([127, 0, 0, last]) + bytes(8)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.sendto(b"x", ("127.0.0.1", 9))
udp.sendto(b"", ("127.0.0.2", 9))
udp.sendmsg([b"x"], [], 0, ("127.0.0.3", 9))
try:
    udp.sendto(bytes(100_000), ("127.0.0.4", 9))
except OSError:
    pass
data = ctypes.create_string_buffer(1)
part = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(data), 1))
names = [ctypes.create_string_buffer(address(last)) for last in (5, 6)]
message = lambda name: struct.pack(
    "QQQQQQQQ", ctypes.addressof(name), 16, ctypes.addressof(part), 1, 0, 0, 0, 0
)
assert ctypes.CDLL(None).sendmmsg(udp.fileno(), b"".join(map(message, names)), 2, 0) == 2
try:
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", "/none/here.sock")
except OSError:
    pass
tcp = socket.create_server(("127.0.0.1", 0))
socket.create_connection(tcp.getsockname()).send(b"x")
udp.connect(("127.0.0.7", 9))
udp.send(b"x")
"""


class DestinationTests(PtraceCase):
    """Messages of sockets that are not connected."""

    def test_rows(self) -> None:
        """Each peer has a row, though the call is counted for the socket."""
        delta = self.trace(sys.executable, "-S", "-c", _SCRIPT, log_rate=0).delta
        noted = {
            delta.objects[key.object].name
            for key, sums in delta.activity.items()
            if key.call.startswith("send") and not sums.count
        }
        hosts = {f"127.0.0.{last}:9" for last in range(1, 7)}
        self.assertEqual({*hosts, "/none/here.sock"}, noted)
