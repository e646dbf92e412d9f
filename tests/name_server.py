"""Answers of name servers, and a name server on a loopback address."""

import errno
import socket
import struct
import threading
from collections.abc import Mapping
from unittest import SkipTest

PORT = 53
# Loopback addresses, of which each server takes one that is free: other tests may run meanwhile.
_ADDRESSES = [f"127.53.0.{number}" for number in range(1, 255)]
# Over TCP, the length of a message precedes it.
_LENGTH_BYTES = 2
_HEADER = struct.Struct(">6H")
_RECORD = struct.Struct(">2HIH")
_RESPONSE = 0x8180
_CNAME = 5
_FIRST_NAME = struct.pack(">H", 0xC000 | _HEADER.size)


def encoded(name: str) -> bytes:
    """Return a name as it is in a message."""
    labels = (label.encode() for label in name.split("."))
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def query(name: str, kind: int = 1) -> bytes:
    """Return a question for an address."""
    return _HEADER.pack(7, 0x100, 1, 0, 0, 0) + encoded(name) + struct.pack(">2H", kind, 1)


def record(owner: bytes, kind: int, data: bytes) -> bytes:
    """Return a record that lasts for a minute."""
    return owner + _RECORD.pack(kind, 1, 60, len(data)) + data


def answer(question: bytes, ip: str, alias: str = "") -> bytes:
    """Return an answer with one address, for an alias if one is given."""
    owner, records = _FIRST_NAME, []
    if alias:
        records.append(record(owner, _CNAME, encoded(alias)))
        owner = encoded(alias)
    if ":" in ip:
        records.append(record(owner, 28, socket.inet_pton(socket.AF_INET6, ip)))
    else:
        records.append(record(owner, 1, socket.inet_aton(ip)))
    header = _HEADER.pack(7, _RESPONSE, 1, len(records), 0, 0)
    return header + question[_HEADER.size :] + b"".join(records)


class NameServer:
    """Answers questions for names in threads of its own, until it is left."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._replies = {
            query(name): answer(query(name), ip, f"alias.{name}") for name, ip in addresses.items()
        }
        self._threads = [threading.Thread(target=each) for each in (self._serve, self._accept)]

    def __enter__(self) -> str:
        """Start the threads; return the address."""
        self._udp, self._tcp, self._address = _listen()
        for thread in self._threads:
            thread.start()
        return self._address

    def __exit__(self, *_: object) -> None:
        """End the threads."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", (self._address, PORT))
        self._tcp.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._udp.close()
        self._tcp.close()

    def _serve(self) -> None:
        while True:
            question, peer = self._udp.recvfrom(512)
            if not question:
                return
            self._udp.sendto(self._replies[question], peer)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._tcp.accept()
            except OSError:
                return
            with connection:
                reply = self._replies[connection.recv(512)[_LENGTH_BYTES:]]
                connection.sendall(len(reply).to_bytes(_LENGTH_BYTES, "big") + reply)


def _listen() -> tuple[socket.socket, socket.socket, str]:
    """Return sockets for UDP and TCP at the port of name servers, and their address."""
    for address in _ADDRESSES:
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            udp.bind((address, PORT))
            return udp, socket.create_server((address, PORT)), address
        except OSError as error:
            udp.close()
            if error.errno != errno.EADDRINUSE:
                raise SkipTest(f"cannot listen on {address}:{PORT}: {error}") from error
    raise SkipTest(f"every address from {_ADDRESSES[0]} to {_ADDRESSES[-1]} is in use")
