"""Programs that are known to wait for one thing, and servers that keep a client waiting."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

# How long each program waits, in all.
WAIT_S = 1.0

CHILD = (
    "import os, subprocess, sys, time\n"
    "spin = 'import time; end = time.monotonic() + 1\\nwhile time.monotonic() < end: pass'\n"
    "subprocess.run([sys.executable, '-S', '-c', spin], check=True)\n"
)
READ = 'import os; os.write(1, b"?"); os.read(0, 1)'
RECEIVE = """
import socket, sys
peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
peer.sendall(b"?")
peer.recv(1)
"""
POLL = """
import select, socket, sys
poll = select.epoll()
peers = {}
for port in map(int, sys.argv[1:]):
    peer = socket.create_connection(("127.0.0.1", port))
    peers[peer.fileno()] = peer
    poll.register(peer, select.EPOLLIN)
    peer.sendall(b"?")
while peers:
    for number, _ in poll.poll():
        poll.unregister(number)
        with peers.pop(number) as peer:
            peer.recv(1)
"""
SYNC = """
import os, sys
with open(sys.argv[1], "wb", buffering=0) as file:
    for _ in range(1000):
        file.write(b".")
        os.fsync(file)
"""


@contextmanager
def servers(*delays_s: float) -> Iterator[list[int]]:
    """Answer one byte on a port for each delay; yield the ports.

    A delay begins when the clients of shorter delays are served and gone, so that it is waited for
    even by a client that tracing slows down.
    """
    with ExitStack() as stack:
        ports = []
        threads: list[tuple[float, threading.Thread]] = []
        for delay_s in delays_s:
            server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            ports.append(server.getsockname()[1])
            thread = threading.Thread(target=_answer, args=(server, delay_s, threads), daemon=True)
            threads.append((delay_s, thread))
        for _, thread in threads:
            thread.start()
            stack.callback(thread.join)
        yield ports


def _answer(
    server: socket.socket, delay_s: float, threads: list[tuple[float, threading.Thread]]
) -> None:
    client, _ = server.accept()
    with client:
        client.recv(1)
        for shorter_s, thread in threads:
            if shorter_s < delay_s:
                thread.join()
        time.sleep(delay_s)
        client.sendall(b"!")
        client.recv(1)
