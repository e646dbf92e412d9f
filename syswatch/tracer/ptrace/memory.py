"""Reading the memory of a traced thread."""

import ctypes
import errno
import os
import re
from pathlib import Path

from syswatch.base.classes import frozen
from syswatch.machine.proc import read_link

# A string of unknown length is read page by page, because the next page may not be readable.
_PAGE = os.sysconf("SC_PAGE_SIZE")
_LARGEST_READ = 1 << 20
LONGEST_PATH = 4096
_SOCKET = re.compile(rb"socket:\[(\d+)\]")
_OTHER_WAY_MAY_WORK = frozenset({errno.ENOSYS, errno.EPERM})


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


_libc = ctypes.PyDLL(None, use_errno=True)
# No argument types are declared, because converting arguments takes as long as the call.
_process_vm_readv = _libc.process_vm_readv
_process_vm_readv.restype = ctypes.c_ssize_t
# Most reads are short; this process has one thread, so they can use the same memory.
_shared = ctypes.create_string_buffer(_PAGE + 1)
_shared_at = ctypes.addressof(_shared)
_here, _there = _Vector(), _Vector()
# Of a string: the whole of the shared memory.
_text = _Vector(_shared_at, _PAGE)
_text_ref = ctypes.byref(_text)
_here_ref, _there_ref = ctypes.byref(_here), ctypes.byref(_there)


@frozen
class ThreadMemory:
    """The memory of one thread; reading it never raises, whatever the address."""

    tid: int

    def read(self, address: int, length: int) -> bytes:
        """Return the bytes at an address, fewer than requested at the end of a mapping."""
        length = min(length, _LARGEST_READ)
        if length <= 0 or not 0 < address < 1 << 64:
            return b""
        buffer = _shared if length <= _PAGE else ctypes.create_string_buffer(length)
        _here.base, _here.length = ctypes.addressof(buffer), length
        _there.base, _there.length = address, length
        count = _process_vm_readv(self.tid, _here_ref, 1, _there_ref, 1, 0)
        if count < 0:
            return self._read_file(address, length)
        return ctypes.string_at(buffer, count)

    def string(self, address: int, limit: int) -> bytes | None:
        """Return the bytes before a NUL, at most `limit`; None if nothing is readable."""
        # The rest of the page, and the first NUL in it: nearly all strings end there.
        length = min(_PAGE - address % _PAGE, limit)
        if not 0 < address < 1 << 64:
            return None
        _there.base, _there.length = address, length
        count = _process_vm_readv(self.tid, _text_ref, 1, _there_ref, 1, 0)
        if count > 0:
            _shared[count] = b"\0"
            text = _shared.value
            if len(text) < count:
                return text
        return self._long_string(address, limit)

    def _long_string(self, address: int, limit: int) -> bytes | None:
        text = b""
        while len(text) < limit:
            at = address + len(text)
            wanted = min(_PAGE - at % _PAGE, limit - len(text))
            piece = self.read(at, wanted)
            before, nul, _ = piece.partition(b"\0")
            text += before
            if nul:
                return text
            if len(piece) < wanted:
                return text or None
        return text

    def link(self, name: str) -> bytes:
        """Return the target of a link in the thread's /proc directory; empty if unknown."""
        return read_link(self.tid, name)

    def counted(self, address: int) -> int | None:  # noqa: ARG002  as decoding asks for it
        """Return None: all memory can be read, so the caller can count."""
        return None

    def netlink(self, descriptor: int) -> int | None:
        """Return the protocol of a netlink socket; None for other descriptors."""
        match = _SOCKET.fullmatch(self.link(f"fd/{descriptor}"))
        if match is None:
            return None
        try:
            table = Path(f"/proc/{self.tid}/net/netlink").read_bytes()
        except OSError:
            return None
        rows = (line.split() for line in table.splitlines()[1:])
        return next((int(row[1]) for row in rows if row[-1] == match[1]), None)

    def _read_file(self, address: int, length: int) -> bytes:
        """Read /proc/TID/mem, which may be allowed where process_vm_readv is not."""
        if ctypes.get_errno() not in _OTHER_WAY_MAY_WORK:
            return b""
        try:
            memory = os.open(f"/proc/{self.tid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return b""
        try:
            return os.pread(memory, length, address)
        except (OSError, OverflowError):
            return b""
        finally:
            os.close(memory)
