"""A program that makes many kinds of system calls, for the screenshots."""

import contextlib
import os
import random
import select
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable

_FOLDERS = ("/etc/demo", "/usr/local/etc/demo", "/opt/demo/etc")


def pause(seconds: float) -> None:
    """Wait as an event loop does that has nothing to do."""
    select.select((), (), (), seconds)


def talk(ours: socket.socket, theirs: socket.socket) -> None:
    """Send a message and receive it."""
    ours.send(b"x" * 100)
    theirs.recv(200)
    pause(random.random() / 50)  # noqa: S311  a load, not a secret


def search() -> None:
    """Look for a missing file in several directories, then open an existing one."""
    for folder in _FOLDERS:
        with contextlib.suppress(OSError):
            os.close(os.open(f"{folder}/settings.ini", os.O_RDONLY))
    os.close(os.open("/etc/hosts", os.O_RDONLY))
    pause(0.03)


def keep(journal: int) -> None:
    """Write a page and wait for the disk."""
    os.write(journal, b"y" * 4096)
    os.fsync(journal)
    pause(0.3)


def burst() -> None:
    """Make many calls at once, from time to time."""
    pause(random.uniform(4, 9))  # noqa: S311  a load, not a secret
    for _ in range(400):
        os.getppid()
        os.access("/tmp", os.R_OK)  # noqa: S108  only checked


def wait(poller: select.epoll) -> None:
    """Wait for an event, with a timeout."""
    poller.poll(0.05)


def start() -> None:
    """Start a program, and send a signal to a missing process."""
    subprocess.run(["true"], check=True)  # noqa: S607  whichever is on the path
    with contextlib.suppress(OSError):
        os.kill(1 << 22, 0)
    pause(1.5)


def answer(listening: socket.socket) -> None:
    """Answer the requests of one client, slowly."""
    connection, _ = listening.accept()
    with connection:
        while connection.recv(200):
            time.sleep(random.uniform(0.02, 0.12))  # noqa: S311  a load, not a secret
            connection.send(b"z" * 3000)


def ask(connection: socket.socket) -> None:
    """Send a request and wait for the answer."""
    connection.send(b"a" * 60)
    connection.recv(4000)


def take_turns(lock: threading.Lock) -> None:
    """Work while holding a lock."""
    with lock:
        sum(range(200_000))
        time.sleep(0.01)
    pause(0.02)


def _forever(work: Callable[..., None], *arguments: object) -> None:
    while True:
        work(*arguments)


def main() -> None:
    """Do all of this at the same time."""
    ours, theirs = socket.socketpair()
    poller = select.epoll()
    poller.register(ours, select.EPOLLIN)
    lock = threading.Lock()
    listening = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=answer, args=(listening,), daemon=True).start()
    client = socket.create_connection(listening.getsockname())
    with tempfile.TemporaryFile() as file:
        for work in (
            (ask, client),
            (take_turns, lock),
            (take_turns, lock),
            (talk, ours, theirs),
            (search,),
            (keep, file.fileno()),
            (burst,),
            (wait, poller),
        ):
            threading.Thread(target=_forever, args=work, daemon=True).start()
        _forever(start)


if __name__ == "__main__":
    main()
