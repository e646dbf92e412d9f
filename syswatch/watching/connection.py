"""
The connection of this process to its watcher.

The watcher is started when the first block begins, and ends with this process.
"""

import ctypes
import os
import socket
import subprocess

import attrs

from syswatch.base.classes import define

from .errors import WatchError
from .isolated import command
from .messages import Hello, Reply, Request, receive_reply, send

_MODULE = "syswatch.watching.watcher"
# Where Yama restricts tracing, a process may still name one that may trace it.
_PR_SET_PTRACER = 0x59616D61
_MOST_OUTPUT = 1 << 16


@define(eq=False)
class Connection:
    """A running watcher."""

    _socket: socket.socket
    # What the watcher prints: only what goes wrong.
    _output_fd: int
    # Tests may close all descriptors, and their numbers are used again.
    _identity: tuple[int, int] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Remember which socket it is."""
        self._identity = _identity_of(self._socket.fileno())

    @classmethod
    def open(cls) -> "Connection":
        """Start a watcher of this process, and let it trace."""
        ours, theirs = socket.socketpair()
        output_fd = os.memfd_create("syswatch")
        try:
            with theirs:
                subprocess.run(
                    command(_MODULE, str(os.getpid()), str(theirs.fileno()), detached=True),
                    stdin=subprocess.DEVNULL,
                    stdout=output_fd,
                    stderr=output_fd,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    check=True,
                )
            opened = cls(ours, output_fd)
            hello = opened._receive()
        except BaseException as error:
            ours.close()
            os.close(output_fd)
            if isinstance(error, OSError | subprocess.SubprocessError):
                raise WatchError(f"the watcher cannot be started: {error}") from error
            raise
        if isinstance(hello, Hello):
            ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(hello.pid), 0, 0, 0)
        return opened

    @property
    def is_usable(self) -> bool:
        """Return whether the descriptor still is the connection."""
        try:
            return _identity_of(self._socket.fileno()) == self._identity
        except OSError:
            return False

    def ask(self, request: Request) -> Reply:
        """Send a request, and wait for the reply."""
        if not self.is_usable:
            raise WatchError("the watched program has closed the connection to its watcher")
        try:
            send(self._socket, request)
        except OSError as error:
            raise self._broken() from error
        return self._receive()

    def close(self) -> None:
        """Let the watcher end."""
        if self.is_usable:
            self._socket.close()
            os.close(self._output_fd)
        else:
            # The number belongs to another file by now.
            self._socket.detach()

    def _receive(self) -> Reply:
        try:
            reply = receive_reply(self._socket)
        except OSError as error:
            raise self._broken() from error
        if reply is None:
            raise self._broken()
        return reply

    def _broken(self) -> WatchError:
        output = os.pread(self._output_fd, _MOST_OUTPUT, 0).decode(errors="replace")
        last = output.strip("\0\n ").rpartition("\n")[2]
        return WatchError(f"the watcher ended unexpectedly{last and f': {last}'}")


def _identity_of(descriptor: int) -> tuple[int, int]:
    stat = os.fstat(descriptor)
    return stat.st_dev, stat.st_ino
