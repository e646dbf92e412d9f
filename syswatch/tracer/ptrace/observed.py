"""A call of a stopped thread, as the effects on descriptor tables ask for it."""

import struct
from collections.abc import Sequence

import attrs

from syswatch.base.classes import define
from syswatch.tracer.decode.traced_call import WORD_BYTES
from syswatch.tracer.objects.addresses import Address, parse_address
from syswatch.tracer.objects.ways import bytes_moved

from .abi import read_arguments, signed
from .calls import CallKind
from .threads import Thread

_PATH_BYTES = 4096
_ADDRESS_BYTES = 128
_INT = struct.Struct("<i")
_EPOLL_DATA_AT = {"x86_64": 4, "i386": 4}
_EPOLL_DATA_ALIGNED_AT = 8
_SOL_SOCKET = 1
_SCM_RIGHTS = 1
_LONGEST_CONTROL = 4096
_MOST_MESSAGES = 64
# The kernel accepts no more messages in one call.
_MOST_IOVECS = 1024
_CLONE_FILES = 0x400
_AT_FDCWD = -100
# By the size of a pointer.
_SIGINFO_PID_AT = {8: 16, 4: 12}


@define
class Observed:
    """A call at its entry, with a result of 0, or at its exit."""

    thread: Thread
    kind: CallKind
    # Or a negated errno.
    result: int = 0
    # Whether memory and links may be read.
    reads: bool = True
    _arguments: tuple[int, ...] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Read the registers."""
        self._arguments = read_arguments(self.thread.entry)

    @property
    def name(self) -> str:
        """The name, of 32-bit programs too: without a mark."""
        return self.kind.plain_name

    @property
    def pid(self) -> int:
        """The process."""
        return self.thread.process.pid

    @property
    def tid(self) -> int:
        """The thread."""
        return self.thread.tid

    @property
    def comm(self) -> str:
        """The command of the process."""
        return self.thread.process.comm

    @property
    def word(self) -> int:
        """The size of a pointer."""
        return WORD_BYTES.get(self.kind.architecture, 8)

    def number(self, index: int) -> int:
        """Return an argument as an unsigned number."""
        return self._arguments[index]

    @property
    def shares_files(self) -> bool:
        """Whether a clone lets the child share the descriptors; fork and vfork do not."""
        match self.name:
            case "clone":
                return bool(self.number(0) & _CLONE_FILES)
            case "clone3":
                return bool(self.flags_field(0) & _CLONE_FILES)
        return False

    def signed(self, index: int) -> int:
        """Return an argument as a C `int`, such as a descriptor."""
        return signed(self._arguments[index])

    def waited_pid(self) -> int:
        """Return the child that waitid has written to its third argument."""
        at = _SIGINFO_PID_AT[self.word]
        return int.from_bytes(self.read(self._arguments[2] + at, 4), "little")

    def text(self, index: int) -> bytes:
        """Return the string that an argument points to."""
        if not self.reads:
            return b""
        return self.thread.memory.string(self._arguments[index], _PATH_BYTES) or b""

    def base(self, index: int) -> bytes:
        """Return the directory that a path argument is relative to: that of the one before it."""
        # A path at the beginning, or after another path as that of link, has no such argument.
        place = self.kind.target.directory if index == self.kind.target.argument else index - 1
        directory = self.signed(place) if place >= 0 else _AT_FDCWD
        name = "cwd" if directory == _AT_FDCWD else f"fd/{directory}"
        return self.thread.memory.link(name)

    def flags_field(self, index: int) -> int:
        """Return the flags at the beginning of the structure that an argument points to."""
        return int.from_bytes(self.read(self._arguments[index], 8), "little")

    def address(self, index: int) -> Address | None:
        """Return the socket address that an argument points to; its length follows."""
        length = self._arguments[index + 1]
        if self.name.startswith("accept"):
            # Here it is a pointer to the length.
            length = int.from_bytes(self.read(length, 4), "little")
        return parse_address(self.read(self._arguments[index], min(length, _ADDRESS_BYTES)))

    def destinations(self) -> Sequence[Address]:
        """Return the socket addresses of the messages that a call has sent or failed to send."""
        if self.name == "sendto":
            found = [self.address(4)] if self.number(4) else []
        else:
            size, count = 8 * self.word, 1
            if self.name == "sendmmsg":
                # The first one that failed is the last one that was tried.
                count = min(self.number(2), max(self.result, 0) + 1, _MOST_IOVECS)
            found = [self._named_by(self.number(1) + size * each) for each in range(count)]
        return [each for each in found if each is not None]

    def _named_by(self, header: int) -> Address | None:
        """Return the address in a `struct msghdr`."""
        data = self.read(header, self.word + 4)
        name = int.from_bytes(data[: self.word], "little")
        length = int.from_bytes(data[self.word :], "little")
        return parse_address(self.read(name, min(length, _ADDRESS_BYTES))) if name else None

    def descriptors(self, index: int) -> Sequence[int]:
        """Return the two descriptors that the kernel has written to the array of an argument."""
        return [fd for (fd,) in _INT.iter_unpack(self.read(self._arguments[index], 8))]

    def received(self, index: int) -> Sequence[int]:
        """Return the descriptors in the control data of a message or an array of messages."""
        address, word = self._arguments[index], self.word
        header = 7 * word
        if self.name != "recvmmsg":
            return self._rights(address)
        # Each struct msghdr is followed by a length, which is padded.
        count = min(max(self.result, 0), _MOST_MESSAGES)
        return [
            fd for number in range(count) for fd in self._rights(address + number * (header + word))
        ]

    def event(self, index: int) -> int:
        """Return the data in a `struct epoll_event`."""
        at = _EPOLL_DATA_AT.get(self.kind.architecture, _EPOLL_DATA_ALIGNED_AT)
        return int.from_bytes(self.read(self._arguments[index] + at, 8), "little")

    def message_bytes(self) -> int:
        """Return the sum of the lengths in an array of `struct mmsghdr`."""
        address, word = self._arguments[1], self.word
        data = self.read(address, 8 * word * min(max(self.result, 0), _MOST_IOVECS))
        lengths = (data[at : at + 4] for at in range(7 * word, len(data), 8 * word))
        # The program may have changed them since.
        return sum(bytes_moved(int.from_bytes(each, "little")) for each in lengths)

    def read(self, address: int, length: int) -> bytes:
        """Return memory of the thread, less where it ends."""
        if not self.reads:
            return b""
        return self.thread.memory.read(address, length)

    def _rights(self, message: int) -> list[int]:
        word = self.word
        control = int.from_bytes(self.read(message + 4 * word, word), "little")
        length = int.from_bytes(self.read(message + 5 * word, word), "little")
        data = self.read(control, min(length, _LONGEST_CONTROL))
        found: list[int] = []
        header = word + 8
        while len(data) >= header:
            size = int.from_bytes(data[:word], "little")
            level, kind = struct.unpack_from("<ii", data, word)
            if size < header:
                break
            if (level, kind) == (_SOL_SOCKET, _SCM_RIGHTS):
                body = data[header:size]
                found += [fd for (fd,) in _INT.iter_unpack(body[: len(body) // 4 * 4])]
            data = data[(size + word - 1) // word * word :]
        return found
