"""The arguments of a call in a log as values, for the effects that it has on descriptors."""

import errno as errnos
import re
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache

import attrs

from syswatch.base.classes import define
from syswatch.base.text import unescaped
from syswatch.tracer.objects.addresses import Address, Endpoint, UnixAddress
from syswatch.tracer.objects.ways import MSG_PEEK

from .arguments import split
from .grammar import DECORATION, STRING
from .log_numbers import whole_number

_TRANSLATED_PID = re.compile(rb" /\* (\d{1,8}) in strace's PID NS \*/$")
_LEADING_NUMBER = re.compile(rb" *(-?\d+|0x[0-9a-f]+)")
_NUMBERED = re.compile(rb"-?\d++(?!x)(?:%s)?" % DECORATION)
_STRING = re.compile(rb" *(%s)(\.\.\.)?" % STRING)
# The second argument, or the first buffer of a message.
_DATA = re.compile(rb"(?:^[^,]*, |\biov_base=)(%s)(\.\.\.)?" % STRING)
_PAIR = re.compile(rb" *\[(\d+)(?:%s)?, (\d+)(?:%s)?\]" % (DECORATION, DECORATION))
_FLAGS_FIELD = re.compile(rb"\bflags=([^,}]*)")
_PORT = re.compile(rb"\bsin6?_port=htons\((\d+)\)")
_IP = re.compile(rb'(?:inet_addr\(|inet_pton\(AF_INET6, )"([0-9a-fA-F.:]+)"')
_SOCKET_ADDRESS = re.compile(rb"\{sa_family=(?:%s|[^\"}])*\}" % STRING)
_UNIX_PATH = re.compile(rb"\bsun_path=(@?)(%s)" % STRING)
_RIGHTS = re.compile(rb"SCM_RIGHTS, cmsg_data=\[([^\]]*)\]")
_DIGITS = re.compile(rb"(?<![\w./:-])(\d+)(?=[,<\]]|$)")
_EVENT_DATA = re.compile(rb"\bu64=(0x[0-9a-f]+|\d+)")
_CHILD_STACK = re.compile(rb" *(?:child_stack|stack)=")
_O_CLOEXEC = 0o2000000
# The names that matter for descriptors; others count as no flag.
_FLAGS: dict[bytes, int] = {
    b"O_CLOEXEC": _O_CLOEXEC,
    b"SOCK_CLOEXEC": _O_CLOEXEC,
    b"EFD_CLOEXEC": _O_CLOEXEC,
    b"TFD_CLOEXEC": _O_CLOEXEC,
    b"SFD_CLOEXEC": _O_CLOEXEC,
    b"IN_CLOEXEC": _O_CLOEXEC,
    b"EPOLL_CLOEXEC": _O_CLOEXEC,
    b"OPEN_TREE_CLOEXEC": _O_CLOEXEC,
    b"MFD_CLOEXEC": 1,
    b"FSOPEN_CLOEXEC": 1,
    b"FSPICK_CLOEXEC": 1,
    b"FSMOUNT_CLOEXEC": 1,
    b"FAN_CLOEXEC": 1,
    b"FD_CLOEXEC": 1,
    b"PERF_FLAG_FD_CLOEXEC": 8,
    b"SECCOMP_FILTER_FLAG_NEW_LISTENER": 8,
    b"LANDLOCK_CREATE_RULESET_VERSION": 1,
    b"CLOSE_RANGE_UNSHARE": 2,
    b"CLOSE_RANGE_CLOEXEC": 4,
    b"CLONE_FILES": 0x400,
    b"MSG_CMSG_CLOEXEC": 0x40000000,
    b"MSG_PEEK": MSG_PEEK,
    b"F_DUPFD": 0,
    b"F_SETFD": 2,
    b"F_DUPFD_CLOEXEC": 1030,
    b"FIONCLEX": 0x5450,
    b"FIOCLEX": 0x5451,
    b"EPOLL_CTL_ADD": 1,
    b"EPOLL_CTL_DEL": 2,
    b"EPOLL_CTL_MOD": 3,
    b"AF_UNIX": socket.AF_UNIX,
    b"AF_INET": socket.AF_INET,
    b"AF_INET6": socket.AF_INET6,
    b"AF_NETLINK": socket.AF_NETLINK,
    b"AF_PACKET": socket.AF_PACKET,
    b"SOCK_STREAM": socket.SOCK_STREAM,
    b"SOCK_DGRAM": socket.SOCK_DGRAM,
    b"SOCK_RAW": socket.SOCK_RAW,
    b"SOCK_SEQPACKET": socket.SOCK_SEQPACKET,
    b"BPF_MAP_CREATE": 0,
    b"BPF_PROG_LOAD": 5,
    b"BPF_OBJ_GET": 7,
    b"BPF_PROG_GET_FD_BY_ID": 13,
    b"BPF_MAP_GET_FD_BY_ID": 14,
}
# A command that is not in the list must not be taken for F_DUPFD or BPF_MAP_CREATE, which are 0.
_UNKNOWN_NAME = 1 << 31
# The errors that make a difference.
_ERRNOS = {"EBADF": errnos.EBADF, "EINPROGRESS": errnos.EINPROGRESS}
_COMMANDS = (b"F_", b"BPF_")


def _unknown_path(_fd: int) -> bytes:
    return b""


@define
class LoggedArguments:
    """An `ObservedCall` of a log; the directory is that of the process, as far as it is known."""

    name: str
    pid: int
    comm: str
    args: bytes
    result: int
    directory: bytes = b""
    # Returns the path of an open directory, or nothing.
    path_of: Callable[[int], bytes] = _unknown_path
    _split: list[bytes] | None = attrs.field(default=None, init=False)

    def detached(self) -> "LoggedArguments":
        """Return the call for another process of this program, without the directories."""
        return attrs.evolve(self, path_of=_unknown_path)

    @property
    def tid(self) -> int:
        """In a log, each thread has a PID of its own."""
        return self.pid

    def argument(self, index: int) -> bytes:
        """Return the text of an argument."""
        if self._split is None:
            self._split = list(split(self.args))
        return self._split[index].strip() if index < len(self._split) else b""

    def number(self, index: int) -> int:
        """Return an argument as a number; that of clone has its flags under their name."""
        text = self.argument(index)
        if self.name == "clone" and index == 0 and _CHILD_STACK.match(self.args):
            return self.flags_field(0)
        return flags(text)

    def text(self, index: int) -> bytes:
        """Return a string; one that strace has cut is not the whole string."""
        match = _STRING.match(self.argument(index))
        return unescaped(match[1][1:-1]) if match and not match[2] else b""

    def base(self, index: int) -> bytes:
        """Return the directory that a path is relative to, if that is known."""
        before = self.argument(index - 1) if index else b""
        if before.startswith(b"AT_FDCWD") or not before[:1].isdigit():
            return decorated(before) or self.directory
        return decorated(before) or self.path_of(
            whole_number(leading_number(before).partition(b"<")[0])
        )

    def flags_field(self, _index: int) -> int:
        """Return the flags in a structure."""
        match = _FLAGS_FIELD.search(self.args)
        return flags(match[1]) if match else 0

    def address(self, index: int) -> Address | None:
        """Return a socket address."""
        return address(self.argument(index))

    def destinations(self) -> Sequence[Address]:
        """Return the socket addresses of the messages that a call has sent or failed to send."""
        found = map(address, _SOCKET_ADDRESS.findall(self.args))
        return [each for each in found if each is not None]

    def descriptors(self, index: int) -> Sequence[int]:
        """Return the descriptors of a pair."""
        match = _PAIR.match(self.argument(index))
        return (whole_number(match[1]), whole_number(match[2])) if match else ()

    def received(self, _index: int) -> Sequence[int]:
        """Return the descriptors in control data."""
        lists = _RIGHTS.findall(self.args)
        return [whole_number(fd) for text in lists for fd in _DIGITS.findall(text)]

    def event(self, index: int) -> int:
        """Return the data of an event of epoll."""
        match = _EVENT_DATA.search(self.argument(index))
        return whole_number(match[1]) if match else 0


@lru_cache(maxsize=4096)
def flags(text: bytes) -> int:
    """Return a number, or the bits that some names stand for."""
    number = _LEADING_NUMBER.match(text)
    if number:
        return int(number[1], 0) & 0xFFFFFFFFFFFFFFFF if b"x" in number[1] else _decimal(number[1])
    bits = 0
    for name in text.split(b"|"):
        known = _FLAGS.get(name.strip())
        if known is not None:
            bits |= known
        elif name.startswith(_COMMANDS):
            return _UNKNOWN_NAME
        elif name[:1].isdigit():
            bits |= flags(name)
    return bits


def _decimal(text: bytes) -> int:
    # With a leading zero it is octal, as a mode.
    octal = len(text) > 1 and text.startswith(b"0")
    with suppress(ValueError):
        return int(text, 8 if octal else 10) & 0xFFFFFFFFFFFFFFFF
    return 0


def address(text: bytes) -> Address | None:
    """Return the socket address in a structure."""
    if path := _UNIX_PATH.search(text):
        raw = unescaped(path[2][1:-1])
        return UnixAddress(b"\0" + raw if path[1] else raw)
    port, ip = _PORT.search(text), _IP.search(text)
    if port and ip and 0 < whole_number(port[1]) <= 0xFFFF:  # noqa: PLR2004  ports have 16 bits
        return Endpoint(_plain_ip(ip[1].decode()), int(port[1]))
    return UnixAddress(b"") if b"AF_UNIX" in text else None


def _plain_ip(ip: str) -> str:
    # An IPv4 address as seen through an IPv6 socket.
    return ip.removeprefix("::ffff:") if "." in ip else ip


def decorated(text: bytes) -> bytes:
    """Return the path that -y has added to a descriptor, or nothing."""
    _, opening, rest = text.partition(b"<")
    path = rest.rpartition(b">")[0]
    return unescaped(path) if opening and path.startswith(b"/") else b""


def string_of(quoted: bytes) -> bytes:
    """Return what is in quotes; an ellipsis may follow them."""
    return unescaped(quoted[1 : quoted.rindex(b'"')])


def received(args: bytes) -> bytes:
    """Return the first string in the arguments of a call; nothing if strace has cut it."""
    match = _DATA.search(args)
    return unescaped(match[1][1:-1]) if match and not match[2] else b""


def leading_number(ret: bytes) -> bytes:
    """Return the number with which a result begins, with the target of a descriptor."""
    match = _NUMBERED.match(ret)
    return match[0] if match else b""


def result_number(ret: bytes, errno: str) -> int:
    """Return a result as a number, negative if the call failed."""
    if errno:
        return -_ERRNOS.get(errno, 1)
    # Of a PID in a namespace, that which lines begin with.
    match = _TRANSLATED_PID.search(ret) or _LEADING_NUMBER.match(ret)
    return whole_number(match[1]) if match else 0
