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
import struct
import sys
import time

_REQUEST = (
    b"GET /stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
_BUFFER = 1 << 18
# With this option, which Python does not name, the kernel says when it has received data.
_SO_TIMESTAMPNS = 35
_TIMESTAMP = struct.Struct("qq")
_CLOSE, _PING, _PONG = 0x88, 0x89, 0x8A
# All frames but these have the text of a message.
_CONTROL = 0x08
# The longest control frame, and longer than the header of any other.
_MOST_CONTROL = 127
# Messages are a second apart.
_SAME_TICK_S = 0.7


class Client:
    """A connection, and the state of the frame that it is receiving."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self.socket.sendall(_REQUEST)
        self.head, self.left, self.upgraded = b"", 0, False
        self.status = 0
        self.close_code = 0

    def take(self, data: memoryview) -> int:
        """Take received data; return how many messages it completes."""
        whole = 0
        while data:
            if self.left:
                taken = min(self.left, len(data))
                self.left -= taken
                whole += not self.left
                data = data[taken:]
            else:
                data = self._begin(data) if self.upgraded else self._answered(data)
        return whole

    def _answered(self, data: memoryview) -> memoryview:
        """Take the head of the answer; return what follows it."""
        before = len(self.head)
        self.head += data
        end = self.head.find(b"\r\n\r\n") + 4
        if end < 4:
            return data[:0]
        self.status, self.upgraded, self.head = int(self.head.split()[1]), True, b""
        return data[end - before :]

    def _begin(self, data: memoryview) -> memoryview:
        """Take the header of a frame, or all of a control frame; return what follows it."""
        before = len(self.head)
        self.head += data[:_MOST_CONTROL]
        size = _frame_size(self.head)
        if size is None:
            return data[:0]
        end, payload = size
        if self.head[0] & _CONTROL:
            if len(self.head) < end + payload:
                return data[:0]
            self._reply(self.head[0], self.head[end : end + payload])
            end += payload
        else:
            self.left = payload
        self.head = b""
        return data[end - before :]

    def _reply(self, kind: int, payload: bytes) -> None:
        if kind == _CLOSE:
            self.close_code = int.from_bytes(payload[:2], "big")
            self._send(_CLOSE, b"\x03\xe9")
        elif kind == _PING:
            self._send(_PONG, payload)

    def _send(self, kind: int, payload: bytes) -> None:
        # Masked with zeroes, as clients must: the payload is in clear.
        self.socket.sendall(bytes((kind, 0x80 | len(payload), 0, 0, 0, 0)) + payload)


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
        self._buffer = memoryview(bytearray(_BUFFER))

    def connect(self) -> dict[str, int]:
        """Wait until all connections have been answered."""
        while not all(client.upgraded for client in self.clients.values()):
            self._read(1)
        return {"connected": sum(client.status == 101 for client in self.clients.values())}

    def measure(self, seconds: float) -> dict[str, object]:
        """Measure how much later than at the first client a message arrives at each client."""
        end = time.monotonic() + seconds
        arrived: list[float] = []
        taken: list[float] = []
        size = 0
        while (now := time.monotonic()) < end:
            arrivals, received = self._read(end - now)
            arrived += arrivals
            taken += [time.time()] * len(arrivals)
            size += received
        ticks, p99_ms = _lag(arrived)
        return {
            "ticks": ticks,
            "messages": len(arrived),
            "megabytes": round(size / 1e6, 1),
            "p99_ms": p99_ms,
            # With the time that these clients, which share a CPU, need themselves.
            "taken_p99_ms": _lag(taken)[1],
            "cpu_s": sum(resource.getrusage(resource.RUSAGE_SELF)[:2]),
        }

    def one_more(self) -> dict[str, int]:
        """Return the status of one more client."""
        client = Client(self.port)
        client.take(memoryview(client.socket.recv(4096)))
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

    def _read(self, patience_s: float) -> tuple[list[float], int]:
        """Read from clients that have data; return when messages arrived, and all bytes."""
        arrived: list[float] = []
        size = 0
        # Few at a time: the clock is read after each batch.
        for number, _ in self.poll.poll(patience_s, 16):
            client = self.clients.get(number)
            if client is None:
                self.poll.unregister(number)
                continue
            try:
                taken, extra, *_ = client.socket.recvmsg_into((self._buffer,), 64)
            except ConnectionResetError:
                taken = 0
            if not taken:
                client.close_code = client.close_code or 1006
                self.poll.unregister(number)
                continue
            size += taken
            arrived += [_received_s(extra)] * client.take(self._buffer[:taken])
        return arrived, size


def _received_s(extra: list[tuple[int, int, bytes]]) -> float:
    """Return when the kernel has received data: now if it has only begun to note it."""
    if not extra:
        return time.time()
    seconds, nanoseconds = _TIMESTAMP.unpack(extra[0][2])
    return float(seconds + nanoseconds / 1e9)


def _lag(times_s: list[float]) -> tuple[int, float | None]:
    """Return the ticks that messages belong to, and the 99th percentile of their lag in ms."""
    ticks, began = 0, 0.0
    lags_ms = []
    for at in sorted(times_s):
        if at - began > _SAME_TICK_S:
            ticks, began = ticks + 1, at
        lags_ms.append(1000 * (at - began))
    lags_ms.sort()
    return ticks, lags_ms[int(len(lags_ms) * 0.99)] if lags_ms else None


def _frame_size(head: bytes) -> tuple[int, int] | None:
    """Return the lengths of a frame's header and payload, None while they are unknown."""
    if len(head) < 2:
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
