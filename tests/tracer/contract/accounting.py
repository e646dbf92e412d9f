"""Tests of bytes: they are those that the kernel counts for a process or a connection."""

import os
import platform
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import IO

from syswatch.model.catalog import number_of
from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectKind
from tests.system.servers import is_waiting, need, wait_for

from .case import BackendCase
from .kernel_counts import accounting, counted, growth
from .relay import Relay

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


class AccountingContract(BackendCase):
    """Real programs that are attached to before they begin to work."""

    def check_fed(self, *command: str, folder: Path, feed: bytes) -> None:
        """Attach to a program that waits for its input, and compare until it has ended."""
        process = self.begin(*command, folder=folder, stdin=subprocess.PIPE)
        assert process.stdin is not None
        self.check_released(process, partial(fill, process.stdin, feed))

    def begin(
        self, *command: str, folder: Path | None = None, stdin: int = subprocess.DEVNULL
    ) -> "subprocess.Popen[bytes]":
        """Start a program."""
        nowhere = subprocess.DEVNULL
        process = subprocess.Popen(command, cwd=folder, stdin=stdin, stdout=nowhere)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def check_released(
        self, process: "subprocess.Popen[bytes]", release: Callable[[], object]
    ) -> None:
        """Attach to a program that will wait in read, let it go on, and compare at its end."""
        delta, by_kernel = self.released(process, release)
        self.assertEqual(by_kernel, counted(delta))

    def released(
        self, process: "subprocess.Popen[bytes]", release: Callable[[], object]
    ) -> tuple[Delta, Counter[str]]:
        """Return what was traced after the release, and what the kernel has counted."""
        pid = process.pid
        await_read(pid)
        tracer = self.attach_to(pid)
        before = accounting(pid)
        release()
        # A zombie still has its numbers.
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        after = accounting(pid)
        return tracer.finish().delta, growth(before, after)

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
        folder = self.repository()
        pack = ["git", "-C", str(folder), "pack-objects", "--all", "--stdout", "-q"]
        objects = subprocess.run(pack, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        clone = Path(self.mktemp()).absolute()
        subprocess.run(["git", "init", "-q", "--bare", str(clone)], check=True)
        command = ("git", "index-pack", "--threads=1", "--stdin")
        self.check_fed(*command, folder=clone, feed=objects.stdout)

    def test_clone(self) -> None:
        """A clone over a socket, with the processes that it starts."""
        need("git")
        folder = self.repository()
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            clone = ("git", "clone", "-q", f"git://127.0.0.1:{port}/{folder.name}", "copy")
            process = self.begin(*clone, folder=folder.parent)
            peer, _ = server.accept()
        behind, daemon = socket.socketpair()
        with peer, behind:
            await_read(process.pid)
            asked = peer.recv(1 << 16, socket.MSG_PEEK)
            serve = ("git", "daemon", "--inetd", "--export-all", f"--base-path={folder.parent}")
            end = daemon.detach()
            self.addCleanup(subprocess.Popen(serve, stdin=end, stdout=end).wait)
            os.close(end)
            relay = Relay(peer, behind)
            delta, by_kernel = self.released(process, relay.start)
            relay.finish()
        programs = delta.calls["execve"].count - delta.calls["execve"].errors
        for name, count in counted(delta).items():
            self.assertEqual(by_kernel[name], count + programs * self.loading[name], name)
        rows = [row for key, row in delta.activity.items() if is_peer(delta, key.object, port)]
        self.assertEqual(relay.to_server, len(asked) + sum(row.bytes_out for row in rows))
        self.assertEqual(relay.to_client, sum(row.bytes_in for row in rows))
        for name in _FILES:
            copy = folder.parent / "copy" / name
            self.assertEqual((folder / name).read_bytes(), copy.read_bytes())

    @cached_property
    def loading(self) -> Counter[str]:
        """Return what the kernel counts when it loads git."""
        process = self.begin("sh", "-c", "read line; exec git --version", stdin=subprocess.PIPE)
        assert process.stdin is not None
        delta, by_kernel = self.released(process, process.stdin.close)
        return by_kernel - counted(delta)

    def test_cp(self) -> None:
        """A program that copies files, the first of which it has to wait for."""
        folder = self.folder()
        os.mkfifo(folder / "fifo")
        (folder / "copies").mkdir()
        process = self.begin("cp", "--copy-contents", "fifo", *_FILES, "copies", folder=folder)
        # Kept open: without a writer it would find the end of the file.
        with os.fdopen(wait_for(lambda: writer_of(folder / "fifo")), "wb", buffering=0) as fifo:
            self.check_released(process, partial(fill, fifo, bytes(_SIZE)))
        for name in _FILES:
            copy = folder / "copies" / name
            self.assertEqual((folder / name).read_bytes(), copy.read_bytes())
        self.assertEqual(_SIZE, (folder / "copies" / "fifo").stat().st_size)

    def repository(self) -> Path:
        """Return a new folder with a repository that has some files."""
        folder = self.folder()
        git = ("git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "all"], check=True)
        return folder

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


def fill(pipe: IO[bytes], data: bytes) -> None:
    """Write all data into a pipe, and close it."""
    with pipe:
        view = memoryview(data)
        while view:
            view = view[pipe.write(view) :]


def writer_of(fifo: Path) -> int | None:
    """Return a descriptor that writes to a FIFO; None if no process has opened it for reading."""
    try:
        descriptor = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None
    os.set_blocking(descriptor, True)
    return descriptor


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
    carried = {name: int(count) for name, count in re.findall(r"\bbytes_(\w+):(\d+)", text)}
    # What is sent again is in both numbers.
    return carried["sent"] - carried.get("retrans", 0), carried["received"]


def await_read(pid: int) -> None:
    """Wait until a process waits in read."""
    wait_for(lambda: is_waiting(pid) and syscall_of(pid) == _READ)


def syscall_of(pid: int) -> str:
    """Return the number of the call that a process is blocked in."""
    return Path(f"/proc/{pid}/syscall").read_text().split()[0]
