"""How long it takes until a trace shows the first numbers: in the API, and on a terminal."""

import fcntl
import json
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

# It makes some hundred calls a second, of one kind.
TARGET = (sys.executable, "-S", "-c", "import time\nwhile True: time.sleep(0.002)")
_SHOWN = b"nanosleep"
# What it calls while it starts, which is counted only if it is run.
STARTING = b"mmap"
_WAIT_S = 0.002
_TIMEOUT_S = 20
_REQUEST = b"GET /api/stats HTTP/1.0\r\n\r\n"
_BLOCK = 1 << 16
_ROWS, _COLUMNS = 40, 120


@contextmanager
def target() -> Iterator[int]:
    """Run a process that can be attached to; yield its PID."""
    with subprocess.Popen(TARGET, stdin=subprocess.DEVNULL) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def in_api(words: Sequence[str], *more: str) -> float:
    """
    Run a command with an address to serve; return when /api/stats has calls, in seconds.

    What is left of the command line follows after the address.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    began = time.monotonic()
    with subprocess.Popen(
        [*words, "--serve", f"127.0.0.1:{port}", *more],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as service:
        try:
            while not _has_calls(port):
                if time.monotonic() - began > _TIMEOUT_S or service.poll() is not None:
                    raise TimeoutError(" ".join(words))
                time.sleep(_WAIT_S)
            return time.monotonic() - began
        finally:
            service.terminate()


def on_screen(words: Sequence[str], call: bytes = _SHOWN) -> float:
    """Run a command in a terminal; return when a call of the target is shown, in seconds."""
    began = time.monotonic()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(words[0], [*words], {**os.environ, "TERM": "xterm-256color"})  # noqa: S606  no shell is wanted
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        shown = b""
        while call not in shown:
            if time.monotonic() - began > _TIMEOUT_S:
                raise TimeoutError(" ".join(words))
            shown += _output(terminal)
        passed = time.monotonic() - began
        os.kill(pid, signal.SIGTERM)
        while not os.waitpid(pid, os.WNOHANG)[0]:
            _output(terminal)
        return passed
    finally:
        os.close(terminal)


def _has_calls(port: int) -> bool:
    with suppress(OSError, ValueError), socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(_REQUEST)
        with client.makefile("rb") as answer:
            body = answer.read().partition(b"\r\n\r\n")[2]
        return any(row["Count"] for row in json.loads(body))
    return False


def _output(terminal: int) -> bytes:
    """Return what is written to the terminal next; empty for nothing, for a while."""
    if not select.select([terminal], [], [], 0.1)[0]:
        return b""
    try:
        return os.read(terminal, _BLOCK)
    except OSError:  # Nobody has it open.
        time.sleep(_WAIT_S)
        return b""
