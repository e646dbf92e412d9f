"""
Runs a command with a directory in which fsync takes a fixed time.

    python slow_files.py MILLISECONDS DIRECTORY COMMAND...

A disk takes any time, and a file system in memory takes none.  So this is a file system of its own
(FUSE) with one file, which waits before it answers to fsync.  It is mounted in a mount namespace
that only it and the command have, so that it disappears with them.
"""

import ctypes
import os
import select
import signal
import stat
import struct
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

_CLONE_NEWNS = 0x20000
_MS_REC, _MS_PRIVATE = 0x4000, 1 << 18
# The requests of the kernel (linux/fuse.h), and what answers look like.
_REQUEST = struct.Struct("<IIQQIIIHH")
_ANSWER = struct.Struct("<IiQ")
_INIT_ANSWER = struct.Struct("<IIIIHHIIHHIIH22x")
_ATTRIBUTES = struct.Struct("<6Q10I")
_LONGEST = 1 << 17
_MAJOR, _MINOR = 7, 31
_LOOKUP, _GETATTR, _SETATTR, _OPEN, _WRITE, _RELEASE, _FSYNC = 1, 3, 4, 14, 16, 18, 20
_FLUSH, _INIT, _ACCESS = 25, 26, 34
# Requests that expect no answer: FORGET, INTERRUPT and BATCH_FORGET.
_SILENT = (2, 36, 42)
_ENOSYS = 38
_ROOT, _FILE = 1, 2
# The kernel keeps names and attributes for so many seconds.
_VALID_S = 3600
# Every write arrives here at once.
_DIRECT_IO = 1


def main() -> int:
    """Mount the directory, run the command, and return its exit status."""
    delay_s, directory, command = int(sys.argv[1]) / 1000, sys.argv[2], sys.argv[3:]
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    libc = ctypes.CDLL(None, use_errno=True)
    _check(libc.unshare(_CLONE_NEWNS))
    _check(libc.mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None))
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0"
    _check(libc.mount(b"bench", directory.encode(), b"fuse", ctypes.c_ulong(0), options.encode()))
    child = os.fork()
    if not child:
        try:
            os.execvp(command[0], command)  # noqa: S606
        finally:
            os._exit(127)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _serve(device, delay_s, os.pidfd_open(child))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _check(result: int) -> None:
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _serve(device: int, delay_s: float, child: int) -> None:
    """Answer requests until the command has ended."""
    answers = _answers(delay_s)
    while True:
        ready, _, _ = select.select([device, child], [], [])
        if child in ready:
            return
        data = os.read(device, _LONGEST)
        _, request, number, node, *_ = _REQUEST.unpack_from(data)
        answer = answers.get(request)
        if request in _SILENT:
            continue
        body = answer(node, data[_REQUEST.size :]) if answer else b""
        error = 0 if answer else -_ENOSYS
        # A request whose process was killed is not there any more.
        with suppress(FileNotFoundError):
            os.write(device, _ANSWER.pack(_ANSWER.size + len(body), error, number) + body)


def _answers(delay_s: float) -> Mapping[int, Callable[[int, bytes], bytes]]:
    def attributes(node: int, _body: bytes) -> bytes:
        return struct.pack("<QII", _VALID_S, 0, 0) + _attributes(node)

    def lookup(_node: int, _body: bytes) -> bytes:
        return struct.pack("<QQQQII", _FILE, 0, _VALID_S, _VALID_S, 0, 0) + _attributes(_FILE)

    def sync(_node: int, _body: bytes) -> bytes:
        time.sleep(delay_s)
        return b""

    return {
        _INIT: lambda _node, _body: _INIT_ANSWER.pack(
            _MAJOR, _MINOR, 0, 0, 1, 1, _LONGEST // 2, 1, 0, 0, 0, 0, 0
        ),
        _LOOKUP: lookup,
        _GETATTR: attributes,
        _SETATTR: attributes,
        _OPEN: lambda _node, _body: struct.pack("<QII", 0, _DIRECT_IO, 0),
        _WRITE: lambda _node, body: struct.pack("<II", *struct.unpack_from("<16xI", body), 0),
        _FSYNC: sync,
        _RELEASE: lambda _node, _body: b"",
        _FLUSH: lambda _node, _body: b"",
        _ACCESS: lambda _node, _body: b"",
    }


def _attributes(node: int) -> bytes:
    mode = stat.S_IFDIR | 0o755 if node == _ROOT else stat.S_IFREG | 0o644
    return _ATTRIBUTES.pack(node, 0, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


if __name__ == "__main__":
    sys.exit(main())
