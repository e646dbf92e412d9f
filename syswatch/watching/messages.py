"""The messages between a process that watches itself and its watcher, and how they are framed."""

import socket
import struct

import msgspec

_HEADER = struct.Struct("!I")


class Begin(msgspec.Struct, tag=True):
    """Trace the process, if it is not traced, and answer when it is."""

    token: int
    backend: str


class End(msgspec.Struct, tag=True):
    """The block has ended: answer with its sums."""

    token: int
    # Threads whose calls are not counted.
    without_threads: tuple[int, ...] = ()


class Hello(msgspec.Struct, tag=True):
    """The watcher has started, as this process."""

    pid: int


class Ready(msgspec.Struct, tag=True):
    """The process is traced."""

    backend: str


class Refused(msgspec.Struct, tag=True):
    """The process cannot be traced, or no more."""

    message: str
    # Whether a right is missing.
    is_permission: bool = False


class Sums(msgspec.Struct, tag=True):
    """What happened in a block."""

    # The frame of a delta.
    delta: bytes
    # Whether the marks of both ends have arrived.
    is_whole: bool = True


Request = Begin | End
Reply = Hello | Ready | Refused | Sums


def send(connection: socket.socket, message: Request | Reply) -> None:
    """Send a message; blocks until it is written."""
    body = msgspec.msgpack.encode(message)
    connection.sendall(_HEADER.pack(len(body)) + body)


def receive_request(connection: socket.socket) -> Request | None:
    """Wait for a request; None if the process has ended."""
    body = _receive(connection)
    return None if body is None else msgspec.msgpack.decode(body, type=Request)


def receive_reply(connection: socket.socket) -> Reply | None:
    """Wait for a reply; None if the watcher has ended."""
    body = _receive(connection)
    return None if body is None else msgspec.msgpack.decode(body, type=Reply)


def _receive(connection: socket.socket) -> bytes | None:
    header = _receive_exactly(connection, _HEADER.size)
    return None if header is None else _receive_exactly(connection, *_HEADER.unpack(header))


def _receive_exactly(connection: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            return None
        data += part
    return bytes(data)
