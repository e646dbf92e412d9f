"""Send data through several kinds of sockets."""

import array
import socket
import struct
from contextlib import suppress

left, right = socket.socketpair()
rights = array.array("i", [0, 1])
left.sendmsg([b"x", b"yy" * 40], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
right.recvmsg(100, 100)
left.send(b"abc" * 200)
right.recvfrom(1000)
left.shutdown(socket.SHUT_WR)
right.recv(10)
named = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
named.bind("socket")
abstract = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
abstract.connect("socket")
abstract.sendto(b"hello", "socket")
named.recvfrom(10)
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    server = socket.create_server((address, 0), family=family)
    port = server.getsockname()[1]
    client = socket.create_connection((address, port))
    answering, _ = server.accept()
    answering.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    answering.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    answering.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    answering.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    client.sendall(b"request" * 100)
    answering.recv_into(bytearray(10_000))
    answering.getpeername()
    client.close()
    with suppress(OSError):
        socket.create_connection((address, 1))
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagrams.bind(("127.0.0.1", 0))
datagrams.sendto(b"question", datagrams.getsockname())
datagrams.recvfrom_into(bytearray(100))
datagrams.settimeout(0.001)
with suppress(OSError):
    datagrams.recv(1)
socket.getaddrinfo("localhost", 80)
socket.if_nameindex()
