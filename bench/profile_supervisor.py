"""Answers for the kernel which calls a seccomp filter has refused, and writes down each of them."""

import fcntl
import os
import select
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs

_EPERM = 1
# From linux/seccomp.h: what a notification and an answer consist of, and how they are exchanged.
_NOTIFICATION = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_CONTINUE = 1


def _request(number: int, size: int) -> int:
    """Return the number of a request of ioctl that reads and writes, of the type '!'."""
    return 3 << 30 | size << 16 | ord("!") << 8 | number


_RECEIVE = _request(0, _NOTIFICATION.size)
_SEND = _request(1, _ANSWER.size)


@attrs.frozen
class Refused:
    """A call that a filter refused."""

    number: int
    arguments: tuple[int, ...]
    program: str


@attrs.define
class Supervisor:
    """
    Refuses what the default action of a filter covers, as if that were an error.

    The runtime that has loaded the filter sends its descriptor to a socket.  The calls of the
    runtime itself are made: they are those by which it hands over the descriptor.
    """

    path: Path
    # Its executable.
    runtime: str
    refused: list[Refused] = attrs.field(factory=list)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Answer while a block runs."""
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.path))
            listener.listen()
            thread = threading.Thread(target=self._accept, args=(listener,), daemon=True)
            thread.start()
            try:
                yield
            finally:
                with suppress(OSError):
                    listener.shutdown(socket.SHUT_RDWR)
                thread.join()
                self.path.unlink()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    # With the state of the container, which may be longer than one message.
                    _, descriptors, _, _ = socket.recv_fds(connection, 1 << 16, 1)
                for each in descriptors:
                    self._answer_all(each)

    def _answer_all(self, descriptor: int) -> None:
        """Answer until all processes with the filter have ended."""
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        try:
            while not any(events & select.POLLHUP for _, events in poll.poll()):
                # The process may have been killed meanwhile.
                with suppress(FileNotFoundError):
                    self._answer(descriptor)
        finally:
            os.close(descriptor)

    def _answer(self, descriptor: int) -> None:
        content = bytearray(_NOTIFICATION.size)
        fcntl.ioctl(descriptor, _RECEIVE, content)
        identity, pid, _, number, _, _, *arguments = _NOTIFICATION.unpack(content)
        if self._is_runtime(pid):
            answer = _ANSWER.pack(identity, 0, 0, _CONTINUE)
        else:
            self.refused.append(Refused(number, tuple(arguments), _program(pid)))
            answer = _ANSWER.pack(identity, 0, -_EPERM, 0)
        fcntl.ioctl(descriptor, _SEND, bytearray(answer))

    def _is_runtime(self, pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/exe").samefile(self.runtime)
        except OSError:
            return False


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "a process that has ended"
