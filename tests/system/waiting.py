"""Programs that are known to wait for one thing, and servers that keep a client waiting."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.system.servers import is_waiting, wait_for

# How long each program waits, in all.
WAIT_S = 1.0

CHILD = (
    "import os, subprocess, sys, time\n"
    "spin = 'import time; end = time.monotonic() + 1\\nwhile time.monotonic() < end: pass'\n"
    "subprocess.run([sys.executable, '-S', '-c', spin], check=True)\n"
)
READ = 'import os; os.write(1, b"%d\\n" % os.getpid()); os.read(0, 1)'
RECEIVE = """
import os, socket, sys
peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
peer.sendall(b"%d" % os.getpid())
peer.recv(1)
"""
# Waits by one of the classes in the module "selectors".
POLL = """
import os, selectors, socket, sys
poll = getattr(selectors, sys.argv[1])()
for port in map(int, sys.argv[2:]):
    peer = socket.create_connection(("127.0.0.1", port))
    poll.register(peer, selectors.EVENT_READ)
    peer.sendall(b"%d" % os.getpid())
while poll.get_map():
    for key, _ in poll.select():
        poll.unregister(key.fileobj)
        with key.fileobj as peer:
            peer.recv(1)
"""
# Synchronizes so many writes to a file that exists.
SYNC = """
import os, sys
file = os.open(sys.argv[1], os.O_RDWR)
for place in range(int(sys.argv[2])):
    os.pwrite(file, os.urandom(4096), 8192 * place)
    os.fsync(file)
"""


@contextmanager
def servers(*delays_s: float) -> Iterator[list[int]]:
    """Answer one byte on a port for each delay; yield the ports.

    A client sends its PID.  A delay begins when the clients of shorter delays are served and gone,
    and the client is asleep, so that all of it is waited for, however slowly the client is traced.
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
        pid = int(client.recv(16))
        for shorter_s, thread in threads:
            if shorter_s < delay_s:
                thread.join()
        wait_for(lambda: is_waiting(pid))
        time.sleep(delay_s)
        client.sendall(b"!")
        client.recv(1)
