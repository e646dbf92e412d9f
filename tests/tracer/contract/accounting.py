"""Tests of bytes: they are those that the kernel counts for a process or a connection."""

import os
import platform
import re
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from syswatch.model.activity import NO_SUMS, Activity, Sums
from syswatch.model.catalog import number_of
from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectKind
from tests.system.servers import need, wait_for

from .case import BackendCase

# What the kernel counts in rchar and wchar, and the calls in syscr and syscw, whether or not they
# succeed.
_READING = frozenset({"read", "pread64", "readv", "preadv", "preadv2"})
_WRITING = frozenset({"write", "pwrite64", "writev", "pwritev", "pwritev2"})
_COPYING = frozenset({"sendfile", "copy_file_range"})
_FILES = tuple(f"file{number}" for number in range(20))
_SIZE = 70_001
# Sends as many bytes as it is told, and receives a megabyte each time; at last sends one byte.
_CLIENT = """
import socket, sys
peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
for _ in range(3):
    peer.sendall(b"?" * int(sys.stdin.readline()))
    peer.recv(1 << 20, socket.MSG_WAITALL)
peer.sendall(b"!")
sys.stdin.readline()
"""
_READ = str(number_of("read", platform.machine()))
_ANSWER = bytes(1 << 20)


def accounting(pid: int) -> dict[str, int]:
    """Return the content of /proc/PID/io."""
    lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    return {name: int(value) for name, value in (line.split(": ") for line in lines)}


def total(activity: Activity, pid: int, calls: Iterable[str]) -> Sums:
    """Return the sum of the rows of some calls of a process."""
    sums = NO_SUMS
    for key, row in activity.items():
        if key.pid == pid and key.call in calls:
            sums += row
    return sums


def check(delta: Delta, pid: int, before: Mapping[str, int], after: Mapping[str, int]) -> None:
    """Compare the rows of a process with the growth of what the kernel has counted."""
    read = total(delta.activity, pid, _READING)
    written = total(delta.activity, pid, _WRITING)
    copied = total(delta.activity, pid, _COPYING)
    counted = {
        "rchar": read.bytes_in + copied.bytes_in,
        "wchar": written.bytes_out + copied.bytes_out,
        "syscr": read.count + copied.count,
        "syscw": written.count + copied.count,
    }
    growth = {name: after[name] - before[name] for name in counted}
    if counted != growth:
        raise AssertionError(f"the kernel has counted {growth}, the tracer {counted}")


class AccountingContract(BackendCase):
    """Real programs that are attached to before they begin to work."""

    def check_fed(self, *command: str, folder: Path, feed: bytes) -> None:
        """Attach to a program that waits for its input, and compare until it has ended."""
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=nowhere)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        assert process.stdin is not None
        wait_for(lambda: syscall_of(process.pid) == _READ)
        tracer = self.attach_to(process.pid)
        before = accounting(process.pid)
        process.stdin.write(feed)
        process.stdin.close()
        # A zombie still has its numbers.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        after = accounting(process.pid)
        check(tracer.finish().delta, process.pid, before, after)

    def folder(self) -> Path:
        """Return a new folder with some files."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        for name in _FILES:
            (folder / name).write_bytes(os.urandom(_SIZE))
        return folder

    def test_tar(self) -> None:
        """An archiver that reads the names of files from a pipe."""
        need("tar")
        names = "\n".join(_FILES).encode()
        self.check_fed("tar", "-cf", "all.tar", "-T", "-", folder=self.folder(), feed=names)

    def test_git(self) -> None:
        """The part of a clone that receives the objects and writes them."""
        need("git")
        folder = self.folder()
        git = ("git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "all"], check=True)
        pack = [*git, "pack-objects", "--all", "--stdout", "-q"]
        objects = subprocess.run(pack, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        clone = Path(self.mktemp()).absolute()
        subprocess.run(["git", "init", "-q", "--bare", str(clone)], check=True)
        command = ("git", "index-pack", "--threads=1", "--stdin")
        self.check_fed(*command, folder=clone, feed=objects.stdout)

    def test_connection(self) -> None:
        """A connection has carried what the kernel counts for its socket."""
        need("ss")
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            command = (sys.executable, "-I", "-S", "-c", _CLIENT, str(port))
            tracer, stdin = self.start_with_pipe(*command)
            peer, _ = server.accept()
            with peer, os.fdopen(stdin, "wb", buffering=0) as orders:
                for asked in (1, 5000, 100_000):
                    orders.write(b"%d\n" % asked)
                    receive(peer, asked)
                    peer.sendall(_ANSWER)
                receive(peer, 1)
                sent, received = carried(port)
                orders.write(b"0\n")
                delta = tracer.finish().delta
        rows = {key: row for key, row in delta.activity.items() if is_peer(delta, key.object, port)}
        self.assertEqual((sent, received), (105_002, 3 * len(_ANSWER)))
        total_out = sum(row.bytes_out for row in rows.values())
        total_in = sum(row.bytes_in for row in rows.values())
        self.assertEqual((sent, received), (total_out, total_in))


def is_peer(delta: Delta, number: int, port: int) -> bool:
    """Return whether an object is the server at a port."""
    info = delta.objects.get(number)
    return info is not None and info.kind is ObjectKind.TCP and info.name.endswith(f":{port}")


def receive(peer: socket.socket, count: int) -> None:
    """Receive so many bytes."""
    while count:
        count -= len(peer.recv(count))


def carried(port: int) -> tuple[int, int]:
    """Return the bytes that the client of a port has sent and received, as ss prints them."""
    command = ["ss", "-tinH", "dst", f"127.0.0.1:{port}"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sent, received = (re.search(rf"bytes_{name}:(\d+)", text) for name in ("sent", "received"))
    assert sent is not None, text
    assert received is not None, text
    return int(sent[1]), int(received[1])


def syscall_of(pid: int) -> str:
    """Return the number of the call that a process is blocked in."""
    return Path(f"/proc/{pid}/syscall").read_text().split()[0]
