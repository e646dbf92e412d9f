"""
Many clients of /stream in one process, as lean as sockets can be, for bench/service.py.

    python bench/listeners.py PORT CLIENTS STALLED

It connects CLIENTS that read and STALLED that never do, then reads requests from standard input and
answers each with a line of JSON: `measure SECONDS`, `one-more`, `await-end`.
"""

import json
import resource
import select
import socket
import sys
import time

_REQUEST = (
    b"GET /stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
_BUFFER = 1 << 18
_CLOSE = 0x88
# Masked with zeroes, as clients must: the code is in clear.
_CLOSE_ANSWER = b"\x88\x82\0\0\0\0\x03\xe9"
# Messages are a second apart.
_SAME_TICK_S = 0.7


class Client:
    """A connection, and the state of the frame that it is receiving."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(_REQUEST)
        self.head, self.left, self.upgraded = b"", 0, False
        self.status = 0
        self.close_code = 0

    def take(self, data: bytes) -> int:
        """Take received data; return how many messages it completes."""
        whole = 0
        while data:
            if self.left:
                taken = min(self.left, len(data))
                self.left -= taken
                whole += not self.left
                data = data[taken:]
                continue
            self.head += data
            data = self._begin()
        return whole

    def _begin(self) -> bytes:
        """Take the head of the answer or of a frame; return what follows it."""
        if not self.upgraded:
            head, found, rest = self.head.partition(b"\r\n\r\n")
            if found:
                self.status, self.upgraded, self.head = int(head.split()[1]), True, b""
            return rest
        size = _frame_size(self.head)
        if size is None:
            return b""
        if self.head[0] == _CLOSE:
            self.close_code = int.from_bytes(self.head[2:4], "big")
            self.head = b""
            self.socket.sendall(_CLOSE_ANSWER)
            return b""
        header, self.left = size
        rest, self.head = self.head[header:], b""
        return rest


class Listeners:
    """All clients."""

    def __init__(self, port: int, clients: int, stalled: int) -> None:
        self.port = port
        self.poll = select.epoll()
        self.clients: dict[int, Client] = {}
        for _ in range(clients):
            client = Client(port)
            self.clients[client.socket.fileno()] = client
            self.poll.register(client.socket, select.EPOLLIN)
        self.stalled = [Client(port) for _ in range(stalled)]

    def connect(self) -> dict[str, int]:
        """Wait until all connections have been answered."""
        while not all(client.upgraded for client in self.clients.values()):
            self._read(1)
        return {"connected": sum(client.status == 101 for client in self.clients.values())}

    def measure(self, seconds: float) -> dict[str, object]:
        """Measure how much later than the first client each client has its message."""
        end = time.monotonic() + seconds
        lags_ms: list[float] = []
        ticks, began, size = 0, -_SAME_TICK_S, 0
        while (now := time.monotonic()) < end:
            messages, received = self._read(end - now)
            now = time.monotonic()
            if messages and now - began > _SAME_TICK_S:
                began, ticks = now, ticks + 1
            lags_ms += [1000 * (now - began)] * messages
            size += received
        lags_ms.sort()
        return {
            "ticks": ticks,
            "messages": len(lags_ms),
            "megabytes": round(size / 1e6, 1),
            "p99_ms": lags_ms[int(len(lags_ms) * 0.99)] if lags_ms else None,
            "cpu_s": sum(resource.getrusage(resource.RUSAGE_SELF)[:2]),
        }

    def one_more(self) -> dict[str, int]:
        """Return the status of one more client."""
        client = Client(self.port)
        client.take(client.socket.recv(4096))
        client.socket.close()
        return {"status": client.status}

    def await_end(self) -> dict[str, object]:
        """Read until the server has closed all connections; return when, and the close codes."""
        codes: dict[int, int] = {}
        while self.clients:
            self._read(1)
            for number, client in tuple(self.clients.items()):
                if client.close_code:
                    codes[client.close_code] = codes.get(client.close_code, 0) + 1
                    del self.clients[number]
        return {"at": time.monotonic(), "codes": codes}

    def _read(self, patience_s: float) -> tuple[int, int]:
        """Read from clients that have data; return the numbers of messages and bytes."""
        messages = size = 0
        # Few at a time: the clock is read after each batch.
        for number, _ in self.poll.poll(patience_s, 16):
            client = self.clients.get(number)
            if client is None:
                self.poll.unregister(number)
                continue
            try:
                data = client.socket.recv(_BUFFER)
            except ConnectionResetError:
                data = b""
            if not data:
                client.close_code = client.close_code or 1006
                self.poll.unregister(number)
            size += len(data)
            messages += client.take(data)
        return messages, size


def _frame_size(head: bytes) -> tuple[int, int] | None:
    """Return the lengths of a frame's header and payload, None while they are unknown."""
    if len(head) < 4:
        return None
    short = head[1] & 0x7F
    if short < 126:
        return 2, short
    width = 2 if short == 126 else 8
    if len(head) < 2 + width:
        return None
    return 2 + width, int.from_bytes(head[2 : 2 + width], "big")


def _say(what: object) -> None:
    print(json.dumps(what), flush=True)


def main() -> None:
    """Connect, then answer requests."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    port, clients, stalled = map(int, sys.argv[1:])
    listeners = Listeners(port, clients, stalled)
    _say(listeners.connect())
    for line in sys.stdin:
        match line.split():
            case ["measure", seconds]:
                _say(listeners.measure(float(seconds)))
            case ["one-more"]:
                _say(listeners.one_more())
            case ["await-end"]:
                _say(listeners.await_end())


if __name__ == "__main__":
    main()
