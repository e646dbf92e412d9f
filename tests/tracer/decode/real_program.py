"""The program that both tracers run; it makes the same calls every time."""

import array
import contextlib
import ctypes
import fcntl
import mmap
import os
import resource
import select
import signal
import socket
import struct
import sys
import tempfile
import termios
import time

folder = tempfile.mkdtemp() if len(sys.argv) < 2 else sys.argv[1]
os.chdir(folder)
libc = ctypes.CDLL(None)


def pipes() -> None:
    """Write to a pipe, read from it, and wait for events."""
    reading, writing = os.pipe()
    os.write(writing, b'hi \x00\x01\x7f"there"\n' * 5)
    os.read(reading, 200)
    for descriptor, events in ((reading, select.POLLIN), (writing, select.POLLOUT)):
        poller = select.poll()
        poller.register(descriptor, events)
        poller.poll(1)
    select.select([reading], [writing], [], 1)
    select.select([reading], [], [], 0)
    epoll = select.epoll()
    epoll.register(writing, select.EPOLLOUT)
    epoll.poll(1)
    epoll.modify(writing, select.EPOLLIN | select.EPOLLET)
    epoll.poll(0)
    epoll.unregister(writing)
    epoll.close()
    fcntl.ioctl(reading, termios.FIONREAD, b"1234")
    fcntl.fcntl(reading, fcntl.F_GETFL)
    fcntl.fcntl(reading, fcntl.F_SETFL, os.O_NONBLOCK)
    os.dup2(reading, 40)
    os.close(40)


def sockets() -> None:
    """Connect, send and receive within the process."""
    left, right = socket.socketpair()
    rights = array.array("i", [0])
    left.sendmsg([b"x", b"yy" * 40], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    right.recvmsg(100, 100)
    left.send(b"abc")
    right.recvfrom(10)
    named = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    named.bind("sock")
    left.close()
    abstract = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    abstract.connect("sock")
    abstract.sendto(b"hey", "sock")
    named.recvfrom(10)
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", 1))
    with contextlib.suppress(OSError):
        socket.socket(socket.AF_INET6).connect(("::1", 1))
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    server.listen(5)
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()


def files() -> None:
    """Use files and directories."""
    with open("file", "w+b") as file:  # noqa: PTH123  system calls are the point
        number = file.fileno()
        file.write(b"abc" * 100)
        file.flush()
        os.fsync(number)
        os.ftruncate(number, 50)
        os.pread(number, 5, 1)
        os.pwritev(number, [b"ab", b"cd"], 0)
        os.preadv(number, [bytearray(3), bytearray(9)], 0)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.lockf(file, fcntl.LOCK_SH)
        os.fchmod(number, 0o640)
        with contextlib.suppress(OSError):
            fcntl.ioctl(file, termios.TCGETS, b"x" * 60)
        mmap.mmap(number, 50).close()
    os.utime("file", (1_000_000_000, 1_000_000_000.5))
    os.stat("/dev/null")  # noqa: PTH116
    os.access("/etc/passwd", os.R_OK | os.X_OK)
    os.mkdir("made", 0o750)  # noqa: PTH102
    os.rename("made", "moved")  # noqa: PTH104
    os.symlink("x", "moved/link")  # noqa: PTH211
    os.readlink("moved/link")  # noqa: PTH115
    os.listdir("moved")  # noqa: PTH208
    os.unlink("moved/link")  # noqa: PTH108
    os.rmdir("moved")  # noqa: PTH106
    with contextlib.suppress(OSError):
        os.open("/none", os.O_RDONLY | os.O_DIRECTORY)
    libc.syscall(332, -100, b"file", 0, 0x7FF, ctypes.create_string_buffer(256))
    libc.syscall(437, -100, b"file", struct.pack("3Q", 0, 0, 0), 24)


def processes() -> None:
    """Use child processes, limits and signals."""
    for code in (3, -9):
        child = os.fork()
        if not child:
            os.kill(os.getpid(), -code) if code < 0 else os._exit(code)
        os.waitpid(child, 0)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    signal.signal(signal.SIGUSR1, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGTERM])
    signal.sigpending()
    signal.setitimer(signal.ITIMER_REAL, 1000)
    signal.sigtimedwait([signal.SIGUSR2], 0)
    time.sleep(0.001)
    resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 1024 * 1024))
    os.sched_getaffinity(0)
    os.uname()
    os.getresuid()
    os.umask(0o22)
    libc.prctl(15, b"renamed", 0, 0, 0)


pipes()
sockets()
files()
processes()
