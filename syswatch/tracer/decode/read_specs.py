"""How much memory the printers read for each kind of argument, and what pointers they follow."""

import enum
from collections.abc import Callable, Mapping

import attrs

from syswatch.model.catalog import ArgumentKind as Kind

from .strings import LOOK_AHEAD
from .traced_call import Settings, time_bytes

# Behind the registers of the arguments stands the result.
ARGUMENTS = 6
RESULT = ARGUMENTS
_REGISTER = 8
_LONGEST_PATH = 4096
_ADDRESS_BYTES = 128
_CONTROL_BYTES = 512
_CPU_SET_BYTES = 1024
_FD_SET_BYTES = 128
_MOST_POLLED = 8192
_THREAD_NAME_BYTES = 16
_MEMORY_NAME_BYTES = 80
_LEAST_OPTION_BYTES = 12
_STRUCTURE_BYTES = 256
_GENERAL_REGISTERS = 27
_INTERFACE_BYTES = 40


class Form(enum.IntEnum):
    """What is behind a pointer."""

    BYTES = 0
    TEXT = 1  # up to its NUL
    LIST = 2  # pointers up to a null pointer
    POINTERS = 3  # the same, only counted
    ENTRIES = 4  # the entries of a directory, only counted


@attrs.frozen
class Limit:
    """A number in memory that says how much is to be read."""

    at: int
    width: int = _REGISTER
    scale: int = 1


@attrs.frozen
class Read:
    """
    One thing that is read: what is behind a pointer.

    The pointer, and what limits the length, stand in what holds them: among the registers, or in
    something that has been read before.  There may be several pointers, one after another.
    """

    pointer: int
    size: int
    form: Form = Form.BYTES
    width: int = _REGISTER
    # How wide the pointers of a list are.
    unit: int = 0
    limit: Limit | None = None
    stride: int = 0
    count: int = 1
    within: tuple["Read", ...] = ()


@attrs.frozen
class PointerArgument:
    """An argument that is a pointer."""

    name: str
    index: int
    settings: Settings

    @property
    def text(self) -> int:
        """How many bytes of a text are needed: one more tells that there are more."""
        ahead = LOOK_AHEAD if self.settings.redact else 0
        return self.settings.string_limit + 1 + ahead

    def read(self, size: int, form: Form = Form.BYTES, **more: object) -> Read:
        """Return what is read behind the argument."""
        return Read(_REGISTER * self.index, size, form, **more)  # type: ignore[arg-type]

    def counted(self, units_at: int, scale: int, most: int, *within: Read) -> Read:
        """Return an array whose length another argument tells, or the result."""
        limit = Limit(_REGISTER * units_at, scale=scale)
        return self.read(scale * most, limit=limit, within=within)


# What makes of a place what is read there.
ReadSpec = Callable[[PointerArgument], Read]


def _fixed(size: int) -> ReadSpec:
    return lambda place: place.read(size)


def structure(place: PointerArgument) -> Read:
    """Return what is read of a structure of which nothing else is said."""
    return place.read(_STRUCTURE_BYTES)


def _words(count: int) -> ReadSpec:
    return lambda place: place.read(count * place.settings.word_size)


def _times(count: int) -> ReadSpec:
    return lambda place: place.read(count * time_bytes(place.name, place.settings))


def _text(size_of: Callable[[PointerArgument], int]) -> ReadSpec:
    return lambda place: place.read(size_of(place), Form.TEXT)


def _array(units_from: int, scale: int) -> ReadSpec:
    """Read an array; the argument that counts its elements stands so many places away."""
    return lambda place: place.counted(place.index + units_from, scale, place.settings.string_limit)


def _returned(scale: int) -> ReadSpec:
    return lambda place: place.counted(RESULT, scale, place.settings.string_limit)


def _buffer_bytes(place: PointerArgument) -> int:
    # The last byte of an attribute tells whether it is text.
    return _LONGEST_PATH if place.name.endswith("xattr") else place.text


def _list(place: PointerArgument) -> Read:
    word, count = place.settings.word_size, place.settings.string_limit + 1
    element = Read(0, place.text, Form.TEXT, word, stride=word, count=count)
    return place.read(word * count, Form.LIST, unit=word, within=(element,))


def _data(place: PointerArgument) -> Read:
    """Return what the elements of an array of buffers point to."""
    word = place.settings.word_size
    limit = Limit(word, word)
    return Read(
        0, place.text, width=word, limit=limit, stride=2 * word, count=place.settings.string_limit
    )


def _vectors(place: PointerArgument) -> Read:
    scale = 2 * place.settings.word_size
    return place.counted(place.index + 1, scale, place.settings.string_limit, _data(place))


def _message_parts(place: PointerArgument, stride: int = 0, count: int = 1) -> tuple[Read, ...]:
    """Return what headers of messages point to: the address, the buffers, and what goes beside."""
    word, vectors = place.settings.word_size, place.settings.string_limit

    def part(at: int, size: int, limit: Limit, *within: Read) -> Read:
        return Read(
            at * word, size, width=word, limit=limit, stride=stride, count=count, within=within
        )

    return (
        part(0, _ADDRESS_BYTES, Limit(word, 4)),
        part(2, 2 * word * vectors, Limit(3 * word, word, 2 * word), _data(place)),
        part(4, _CONTROL_BYTES, Limit(5 * word, word)),
    )


def _message(place: PointerArgument) -> Read:
    return place.read(7 * place.settings.word_size, within=_message_parts(place))


def _messages(place: PointerArgument) -> Read:
    # The length of each message, and padding, stands behind its header.
    stride, count = 8 * place.settings.word_size, place.settings.string_limit
    return place.counted(place.index + 1, stride, count, *_message_parts(place, stride, count))


def _signal_mask(place: PointerArgument) -> Read:
    """Return the set and its size, to which the last argument of pselect6 points."""
    word = place.settings.word_size
    return place.read(2 * word, within=(Read(0, 8, width=word),))


def _registers(place: PointerArgument) -> Read:
    """Return what ptrace reads, and the registers that it may point to."""
    return place.read(_STRUCTURE_BYTES, within=(Read(0, _GENERAL_REGISTERS * 8),))


def _request(place: PointerArgument) -> Read:
    """Return the structure of a request; the one for all interfaces points to them."""
    interfaces = Read(8, _INTERFACE_BYTES * place.settings.string_limit, limit=Limit(0, 4))
    return place.read(_STRUCTURE_BYTES, within=(interfaces,))


def _attributes(place: PointerArgument) -> Read:
    """Return the attributes of bpf, and the texts: a path or a name, and a license."""
    texts = tuple(Read(at, _LONGEST_PATH, Form.TEXT) for at in (0, 16))
    return place.read(_STRUCTURE_BYTES, within=texts)


READS: Mapping[Kind, ReadSpec] = {
    Kind.BPF_ATTRIBUTES_IN: _attributes,
    Kind.PATH: _text(lambda _: _LONGEST_PATH),
    Kind.STRING: _text(lambda place: place.text),
    Kind.PATH_OUT: _text(lambda _: _LONGEST_PATH),
    Kind.BUFFER_IN: lambda place: place.counted(place.index + 1, 1, _buffer_bytes(place)),
    Kind.BUFFER_OUT: lambda place: place.counted(RESULT, 1, _buffer_bytes(place)),
    Kind.DATAGRAM_IN: lambda place: place.counted(place.index + 1, 1, place.text),
    Kind.DATAGRAM_OUT: lambda place: place.counted(RESULT, 1, place.text),
    Kind.ARGV: _list,
    Kind.ENVP: lambda place: place.read(0, Form.POINTERS, unit=place.settings.word_size),
    Kind.IOVEC_IN: _vectors,
    Kind.IOVEC_OUT: _vectors,
    Kind.IOVEC_REMOTE: lambda place: _array(1, 2 * place.settings.word_size)(place),
    Kind.DIRENTS_OUT: lambda place: place.read(0, Form.ENTRIES, limit=Limit(_REGISTER * RESULT)),
    Kind.SOCKOPT_IN: lambda place: place.counted(
        place.index + 1, 1, max(place.text, _LEAST_OPTION_BYTES)
    ),
    Kind.SOCKOPT_OUT: lambda place: place.read(max(place.text, _LEAST_OPTION_BYTES)),
    Kind.INT_OUT: _fixed(4),
    Kind.OFFSET_OUT: _fixed(8),
    Kind.OFFSET_INOUT: _fixed(8),
    Kind.SOCKLEN_INOUT: _fixed(4),
    Kind.FD_PAIR_OUT: _fixed(8),
    Kind.WAIT_STATUS_OUT: _fixed(4),
    Kind.UID_LIST_IN: _array(-1, 4),
    Kind.UID_LIST_OUT: _returned(4),
    Kind.CPU_SET_IN: lambda place: place.counted(place.index - 1, 1, _CPU_SET_BYTES),
    Kind.CPU_SET_OUT: lambda place: place.counted(RESULT, 1, _CPU_SET_BYTES),
    Kind.SOCKADDR_IN: lambda place: place.counted(place.index + 1, 1, _ADDRESS_BYTES),
    Kind.SOCKADDR_OUT: _fixed(_ADDRESS_BYTES),
    Kind.MSGHDR_IN: _message,
    Kind.MSGHDR_OUT: _message,
    Kind.MMSGHDRS_IN: _messages,
    Kind.MMSGHDRS_OUT: _messages,
    Kind.TIME_OUT: _words(1),
    Kind.TIMESPEC_IN: _times(2),
    Kind.TIMESPEC_OUT: _times(2),
    Kind.TIMESPEC_PAIR_IN: _times(4),
    Kind.TIMEVAL_IN: _words(2),
    Kind.TIMEVAL_OUT: _words(2),
    Kind.TIMEVAL_PAIR_IN: _words(4),
    Kind.ITIMERVAL_IN: _words(4),
    Kind.ITIMERVAL_OUT: _words(4),
    Kind.ITIMERSPEC_IN: _times(4),
    Kind.ITIMERSPEC_OUT: _times(4),
    Kind.STAT_OUT: _fixed(64),
    Kind.STATX_OUT: _fixed(64),
    Kind.STATFS_OUT: _fixed(96),
    Kind.POLLFDS_INOUT: lambda place: place.counted(place.index + 1, 8, _MOST_POLLED),
    Kind.FD_SET_INOUT: _fixed(_FD_SET_BYTES),
    Kind.EPOLL_EVENT_IN: _fixed(16),
    Kind.EPOLL_EVENTS_OUT: _returned(16),
    Kind.SIGSET_IN: _fixed(8),
    Kind.SIGSET_OUT: _fixed(8),
    Kind.SIGACTION_IN: _fixed(32),
    Kind.SIGACTION_OUT: _fixed(32),
    Kind.SIGINFO_IN: _fixed(128),
    Kind.SIGINFO_OUT: _fixed(128),
    Kind.SIGALTSTACK_IN: _fixed(24),
    Kind.SIGALTSTACK_OUT: _fixed(24),
    Kind.RLIMIT_IN: _fixed(16),
    Kind.RLIMIT_OUT: _fixed(16),
    Kind.RUSAGE_OUT: _words(4),
    Kind.UTSNAME_OUT: _fixed(130),
    Kind.SYSINFO_OUT: _fixed(112),
    Kind.SCHED_PARAM_IN: _fixed(4),
    Kind.SCHED_PARAM_OUT: _fixed(4),
    Kind.OPEN_HOW_IN: _fixed(24),
    # Behind the fourth of its words the kernel writes the number of the new thread.
    Kind.CLONE_ARGS_IN: lambda place: place.read(64, within=(Read(24, 4),)),
    Kind.FCNTL_ARGUMENT: _fixed(32),
}
# What is read by the printers of whole calls: by the argument.
SPECIAL_CALL_READS: Mapping[str, Mapping[int, ReadSpec]] = {
    "arch_prctl": {1: _words(1)},
    "clone": {2: _fixed(4)},
    "fsconfig": {3: _text(lambda _: _LONGEST_PATH)},
    "ioctl": {2: _request},
    "kcmp": {4: structure},
    "keyctl": dict.fromkeys(range(1, 5), lambda place: place.read(max(place.text, 32))),
    "mount": {4: _text(lambda place: place.text)},
    "prctl": {
        1: _text(lambda _: _THREAD_NAME_BYTES),
        2: structure,
        4: _text(lambda _: _MEMORY_NAME_BYTES),
    },
    "ptrace": {3: _registers},
    "pselect6": {5: _signal_mask},
    "reboot": {3: _text(lambda place: place.text)},
    "seccomp": {2: structure},
    "syslog": {1: lambda place: place.counted(RESULT, 1, place.text)},
}
