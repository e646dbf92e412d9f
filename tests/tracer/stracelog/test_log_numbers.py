"""Tests of numbers that no system call can have."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.tracer.objects.ways import bytes_moved
from syswatch.tracer.stracelog.log_numbers import whole_number
from tests.reading import condense

_LINES = (
    'read(3</a>, "x", 1) = N',
    'read(N</a>, "x", 1) = 1',
    'write(N, "x", 1) = N',
    "sendfile(4, 3, NULL, 9) = N",
    "recvmmsg(3, [{msg_hdr={}, msg_len=N}], 1, 0, NULL) = N",
    "wait4(-1, NULL, 0, NULL) = N",
    "waitid(P_ALL, 0, {si_signo=SIGCHLD, si_pid=N}, WEXITED, NULL) = 0",
    "clone(child_stack=NULL, flags=CLONE_VM) = N",
    "pipe2([3, N], O_CLOEXEC) = 0",
    "dup2(3, N) = N",
    "fcntl(4<pipe:[N]>, F_DUPFD, N) = N",
    "getsockname(4<TCP:[127.0.0.1:N->127.0.0.1:N]>, NULL, NULL) = 0",
    'connect(3, {sa_family=AF_INET, sin_port=htons(N), sin_addr=inet_addr("1.2.3.4")}, 16) = 0',
    "nanosleep({tv_sec=N, tv_nsec=N}, NULL) = 0",
    "epoll_ctl(4, EPOLL_CTL_ADD, N, {events=EPOLLIN, data={u32=1, u64=N}}) = 0",
    "epoll_wait(4, [{events=EPOLLIN, data={u32=1, u64=N}}], 1, -1) = 1",
    "close_range(3, N, 0) = 0",
    'openat(N, "a", O_RDONLY) = N',
    "N read(3, NULL, 0) = 0",
)
_NUMBERS = ("1" * 19, "18446744073709551615", "9" * 30, "9" * 5000, "-1", "0x" + "f" * 30)


class NumberTests(SynchronousTestCase):
    """Numbers of any length."""

    def test_any_number(self) -> None:
        """Whatever number a line has, the results can be sent; those of other lines are there."""
        for number in _NUMBERS:
            for line in _LINES:
                lines = [f"7 {line.replace('N', number)} <0.1>\n".encode()] * 4
                delta = condense(*lines, b'7 write(1, "abc", 3) = 3 <0.1>\n')
                self.assertLess(0, len(encode(delta)), line)
                self.assertLessEqual(1, delta.calls["write"].count, line)

    def test_limits(self) -> None:
        """A number beyond 64 bits is none, and a call moves at most two gigabytes."""
        self.assertEqual((12, -3, 255), tuple(map(whole_number, (b"12", b"-3", b"0xff"))))
        self.assertEqual((-1, -1), tuple(map(whole_number, (b"9" * 19, b"9" * 5000))))
        self.assertEqual((5, 0, 0), tuple(map(bytes_moved, (5, -5, 1 << 31))))
