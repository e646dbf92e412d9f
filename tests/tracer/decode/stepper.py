"""A minimal tracer for tests: one child, one stop at a time."""

import ctypes
import os
import signal
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from syswatch.model.catalog import name_of
from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter
from syswatch.tracer.ptrace.memory import ThreadMemory

_LIBC = ctypes.CDLL(None, use_errno=True)
_TRACEME, _SETOPTIONS, _SYSCALL, _GET_INFO = 0, 0x4200, 24, 0x420E
_GOOD_STOPS = (
    0x1 | 0x10 | 0x100000
)  # System call stops are marked, execs are reported, the child is killed with the tracer.
_ENTRY, _EXIT = 1, 2


def _ptrace(request: int, pid: int, address: int = 0, data: object = 0) -> int:
    result: int = _LIBC.ptrace(request, pid, ctypes.c_void_p(address), data)
    return result


@attrs.frozen
class StoppedMemory:
    """The memory of a stopped process."""

    pid: int
    file: int

    def link(self, name: str) -> bytes:
        """Return the target of a link of the process."""
        try:
            return os.fsencode(Path(f"/proc/{self.pid}/{name}").readlink())
        except OSError:
            return b""

    def counted(self, address: int) -> int | None:  # noqa: ARG002  as decoding asks for it
        """Return None: nothing is counted."""
        return None

    def netlink(self, descriptor: int) -> int | None:
        """Return the protocol of a netlink socket."""
        return ThreadMemory(self.pid).netlink(descriptor)

    def read(self, address: int, length: int) -> bytes:
        """Return the readable bytes."""
        try:
            return os.pread(self.file, length, address)
        except (OSError, OverflowError):
            return b""

    def string(self, address: int, limit: int) -> bytes | None:
        """Return a string, read page by page."""
        found = b""
        while len(found) < limit:
            size = min(limit - len(found), 4096 - (address + len(found)) % 4096)
            page = self.read(address + len(found), size)
            if not page:
                return found or None
            found += page
            if b"\0" in page:
                return found.partition(b"\0")[0]
        return found


def trace(argv: Sequence[str], options: TraceOptions) -> Iterator[str]:
    """Run a program and print its calls, the first of which is its execve."""
    pid = os.fork()
    if not pid:
        # As the child of a strace that Python has started: it ignores these signals, and has
        # closed what whoever runs the tests has left open.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        os.closerange(3, 256)
        _ptrace(_TRACEME, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.execv(argv[0], list(argv))  # noqa: S606  the point of it
    os.waitpid(pid, 0)
    _ptrace(_SETOPTIONS, pid, 0, _GOOD_STOPS)
    formatter = Formatter(options, os.uname().machine)
    file = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    name, captured = "", None
    args: tuple[int, ...] = ()
    deliver = 0
    while True:
        _ptrace(_SYSCALL, pid, 0, deliver)
        _, status = os.waitpid(pid, 0)
        deliver = 0
        if not os.WIFSTOPPED(status):
            os.close(file)
            return
        stop = os.WSTOPSIG(status)
        if status >> 16:
            # After an exec, the memory is that of another program.
            os.close(file)
            file = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
            continue
        if stop != signal.SIGTRAP | 0x80:
            deliver = stop
            continue
        memory = StoppedMemory(pid, file)
        kind, fields = _info(pid)
        if kind == _ENTRY:
            name = name_of(fields[0], os.uname().machine) or ""
            args = tuple(fields[1:7])
            captured = (
                formatter.capture(name, args, memory) if formatter.needs_entry(name) else None
            )
        elif kind == _EXIT:
            ret, failed = fields[0], bool(fields[1])
            text = formatter.format(name, args, ret, failed, memory, captured)
            yield f"{name}({text}) = {formatter.result(name, args, ret, failed, memory)}"


def _info(pid: int) -> tuple[int, tuple[int, ...]]:
    buffer = ctypes.create_string_buffer(128)
    _ptrace(_GET_INFO, pid, len(buffer), buffer)
    kind = buffer.raw[0]
    if kind == _ENTRY:
        return kind, struct.unpack_from("<7Q", buffer.raw, 24)
    ret, failed = struct.unpack_from("<q?", buffer.raw, 24)
    return kind, (ret, failed)
