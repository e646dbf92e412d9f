"""
Attacks on a server, one at a time, for bench/service.py.

    python bench/attacks.py PORT NAME CLIENTS

It prints a line when the attack has started, and continues until it is killed.
"""

import contextlib
import itertools
import resource
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.web.frames import UPGRADE, VIOLATIONS
from tests.web.served import request

TOKEN = "sesame"  # noqa: S105  the one of the server under attack
_STREAM = request(f"/stream?token={TOKEN}", UPGRADE)
_PATHS = ("/../../etc/passwd", "/static/%00", "/syscall/%ff", "/api/syscall/" + "a" * 10_000, "/☃")
_PORT, CLIENTS = (int(sys.argv[1]), int(sys.argv[3])) if __name__ == "__main__" else (0, 0)


def hold(number: int, data: bytes = b"") -> list[socket.socket]:
    """Open connections, and send data on each."""
    clients = [socket.create_connection(("127.0.0.1", _PORT)) for _ in range(number)]
    for client in clients:
        client.sendall(data)
    return clients


def send(data: bytes, *, reading: bool = True) -> None:
    """Send on a new connection, and read a first part of the answer, or all of it."""
    with socket.create_connection(("127.0.0.1", _PORT)) as client, contextlib.suppress(OSError):
        client.sendall(data)
        while client.recv(65_536) and reading:
            pass


def drip(number: int, head: bytes, drop: bytes) -> Iterator[None]:
    """Send requests that never end; reconnect when the server closes the connection."""
    clients = hold(number, head)
    while True:
        for index, client in enumerate(clients):
            try:
                client.sendall(drop)
            except OSError:
                [clients[index]] = hold(1, head)
        yield
        time.sleep(0.2)


def slow_headers() -> Iterator[None]:
    """Send a header from time to time."""
    return drip(CLIENTS, b"GET /api/stats HTTP/1.1\r\nHost: localhost\r\n", b"X: more\r\n")


def slow_bodies() -> Iterator[None]:
    """Send a thousand bytes of a thousand million now and then."""
    return drip(CLIENTS, request("/", {"Content-Length": "1000000000"}, "POST"), b"x" * 1_000)


def idle() -> Iterator[None]:
    """Connect and say nothing."""
    clients = hold(2 * CLIENTS)
    while clients:
        yield
        time.sleep(1)


def deaf_listeners() -> Iterator[None]:
    """Listen to the stream and do not read."""
    clients = hold(CLIENTS, _STREAM)
    while clients:
        yield
        time.sleep(1)


def fleeting_listeners() -> Iterator[None]:
    """Listen and go, over and over."""
    while True:
        clients = hold(CLIENTS // 10, _STREAM)
        # More at once would measure the queue of the kernel.
        clients[-1].recv(65_536)
        for client in clients:
            client.close()
        yield


def nonsense_frames() -> Iterator[None]:
    """Listen, and send what is no WebSocket."""
    for frame, _ in itertools.cycle(VIOLATIONS):
        [client] = hold(1, _STREAM)
        with client, contextlib.suppress(OSError):
            client.recv(65_536)
            client.sendall(frame)
            while client.recv(65_536):
                pass
        yield


def guessed_tokens() -> Iterator[None]:
    """Guess the token of the stream."""
    for number in itertools.count():
        bearer = {"Authorization": f"Bearer {number}", "Connection": "close"}
        send(request("/stream", bearer))
        yield


def large_headers() -> Iterator[None]:
    """Send megabytes of headers."""
    while True:
        send(request("/api/stats", {"X": "a" * 1_000_000}))
        send(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 100_000 + b"\r\n")
        yield


def large_bodies() -> Iterator[None]:
    """Send megabytes of bodies."""
    length = 10_000_000
    head = request("/", {"Content-Length": str(length), "Connection": "close"}, "POST")
    while True:
        send(head + b"x" * length)
        yield


def pipelines() -> Iterator[None]:
    """Send a thousand requests at once, and disconnect at the first answers."""
    while True:
        send(request("/api/stats") * 1_000, reading=False)
        yield


def odd_paths() -> Iterator[None]:
    """Request paths that do not exist."""
    for path in itertools.cycle(_PATHS):
        send(request(path.encode().decode("latin-1"), {"Connection": "close"}))
        yield


ATTACKS: dict[str, Callable[[], Iterator[None]]] = {
    each.__name__.replace("_", " "): each
    for each in (
        slow_headers,
        slow_bodies,
        idle,
        deaf_listeners,
        fleeting_listeners,
        nonsense_frames,
        guessed_tokens,
        large_headers,
        large_bodies,
        pipelines,
        odd_paths,
    )
}


def main() -> None:
    """Attack."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    attack = ATTACKS[sys.argv[2]]()
    next(attack)
    print("started", flush=True)
    for _ in attack:
        pass


if __name__ == "__main__":
    main()
