"""A relay between a client and a server."""

import socket
import threading

from tests.system.servers import PATIENCE_S


class Relay:
    """Copies what two sockets receive to each other, in threads, and counts the bytes."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.to_server = self.to_client = 0
        self._ends = client, server
        self._threads = [threading.Thread(target=each) for each in (self._ask, self._answer)]

    def start(self) -> None:
        """Begin to copy."""
        for thread in self._threads:
            thread.start()

    def finish(self) -> None:
        """Wait until both sides have sent everything."""
        for thread in self._threads:
            thread.join(PATIENCE_S)

    def _ask(self) -> None:
        client, server = self._ends
        self.to_server = _copy(client, server)

    def _answer(self) -> None:
        client, server = self._ends
        self.to_client = _copy(server, client)


def _copy(source: socket.socket, sink: socket.socket) -> int:
    copied = 0
    while data := source.recv(1 << 16):
        sink.sendall(data)
        copied += len(data)
    sink.shutdown(socket.SHUT_WR)
    return copied
