"""Which memory printers read for each kind of argument, and which pointers they follow."""

from collections.abc import Callable, Mapping

from syswatch.model.catalog import ArgumentKind as Kind

from .memory_reads import REGISTER_BYTES, RESULT, Form, Limit, PointerArgument, Read, ReadSpec
from .traced_call import time_bytes

_INT, _LONG_LONG = 4, 8
_PATH_MAX = 4096
# Structures and arrays that are read as a whole, whatever their length.
_SOCKADDR_BYTES = 128
_CONTROL_BYTES = 512
_CPU_SET_BYTES = 1024
_FD_SET_BYTES = 128
_MOST_POLLED = 8192
_LEAST_OPTION_BYTES = 12
_STRUCTURE_BYTES = 256
_IFREQ_BYTES = 40
_USER_REGISTERS = 27
_POLLFD_BYTES = 8
_EPOLL_EVENT_BYTES = 16
_SIGSET_BYTES = 8
_SIGACTION_BYTES = 32
_SIGINFO_BYTES = 128
_STACK_T_BYTES = 24
_RLIMIT_BYTES = 16
_OPEN_HOW_BYTES = 24
_FLOCK_BYTES = 32
_CLONE_ARGS_BYTES, _PARENT_TID_OFFSET = 64, 24
_TASK_COMM_LEN = 16
_ANON_VMA_NAME_MAX_LEN = 80
_SYSINFO_BYTES = 112
_KEYCTL_BYTES = 32
# The beginnings of larger structures, as far as they are printed.
_STAT_BYTES = 64
_STATFS_BYTES = 96
_UTSNAME_BYTES = 130
# The offsets of pointers to text in union bpf_attr: pathname or name, and license.
_BPF_TEXT_OFFSETS = (0, 16)
# The fields of struct msghdr in words: msg_name, msg_namelen, and so on.
_MSG_NAME, _MSG_NAMELEN, _MSG_IOV, _MSG_IOVLEN, _MSG_CONTROL, _MSG_CONTROLLEN, _ = range(7)
_MSGHDR_WORDS, _MMSGHDR_WORDS = 7, 8


def _fixed(size: int) -> ReadSpec:
    return lambda argument: argument.read(size)


def structure(argument: PointerArgument) -> Read:
    """Read as much as any structure needs that has no spec of its own."""
    return argument.read(_STRUCTURE_BYTES)


def _words(count: int) -> ReadSpec:
    return lambda argument: argument.read(count * argument.settings.word_size)


def _times(count: int) -> ReadSpec:
    return lambda argument: argument.read(count * time_bytes(argument.name, argument.settings))


def _text(size_of: Callable[[PointerArgument], int]) -> ReadSpec:
    return lambda argument: argument.read(size_of(argument), Form.TEXT)


def _array(units_from: int, scale: int) -> ReadSpec:
    """Read an array; the argument with its length is at so many indexes from the pointer."""
    return lambda argument: argument.counted(
        argument.index + units_from, scale, argument.settings.string_limit
    )


def _returned(scale: int) -> ReadSpec:
    return lambda argument: argument.counted(RESULT, scale, argument.settings.string_limit)


def _buffer_bytes(argument: PointerArgument) -> int:
    # Whether the value of an attribute is text depends on its last byte.
    return _PATH_MAX if argument.name.endswith("xattr") else argument.text


def _list(argument: PointerArgument) -> Read:
    word, count = argument.settings.word_size, argument.settings.string_limit + 1
    element = Read(0, argument.text, Form.TEXT, word, stride=word, count=count)
    return argument.read(word * count, Form.LIST, unit=word, within=(element,))


def _data(argument: PointerArgument) -> Read:
    """Return the read of the buffers of an array of iovec."""
    word = argument.settings.word_size
    limit = Limit(word, word)
    return Read(
        0,
        argument.text,
        width=word,
        limit=limit,
        stride=2 * word,
        count=argument.settings.string_limit,
    )


def _vectors(argument: PointerArgument) -> Read:
    scale = 2 * argument.settings.word_size
    return argument.counted(
        argument.index + 1, scale, argument.settings.string_limit, _data(argument)
    )


def _message_parts(argument: PointerArgument, stride: int = 0, count: int = 1) -> tuple[Read, ...]:
    """Return the reads of what a msghdr points to: address, buffers, control messages."""
    word, vectors = argument.settings.word_size, argument.settings.string_limit

    def part(at: int, size: int, limit: Limit, *within: Read) -> Read:
        return Read(
            at * word, size, width=word, limit=limit, stride=stride, count=count, within=within
        )

    return (
        part(_MSG_NAME, _SOCKADDR_BYTES, Limit(_MSG_NAMELEN * word, _INT)),
        part(
            _MSG_IOV, 2 * word * vectors, Limit(_MSG_IOVLEN * word, word, 2 * word), _data(argument)
        ),
        part(_MSG_CONTROL, _CONTROL_BYTES, Limit(_MSG_CONTROLLEN * word, word)),
    )


def _message(argument: PointerArgument) -> Read:
    return argument.read(
        _MSGHDR_WORDS * argument.settings.word_size, within=_message_parts(argument)
    )


def _messages(argument: PointerArgument) -> Read:
    # The length of each message, and padding, follow its header.
    stride, count = _MMSGHDR_WORDS * argument.settings.word_size, argument.settings.string_limit
    return argument.counted(
        argument.index + 1, stride, count, *_message_parts(argument, stride, count)
    )


def _signal_mask(argument: PointerArgument) -> Read:
    """Read the set and its size, to which the last argument of pselect6 points."""
    word = argument.settings.word_size
    return argument.read(2 * word, within=(Read(0, _SIGSET_BYTES, width=word),))


def _registers(argument: PointerArgument) -> Read:
    """Read what ptrace takes or returns, and the registers to which that may point."""
    return argument.read(_STRUCTURE_BYTES, within=(Read(0, _USER_REGISTERS * REGISTER_BYTES),))


def _request(argument: PointerArgument) -> Read:
    """Read the structure of a request; that of SIOCGIFCONF points to an array."""
    interfaces = Read(
        REGISTER_BYTES, _IFREQ_BYTES * argument.settings.string_limit, limit=Limit(0, _INT)
    )
    return argument.read(_STRUCTURE_BYTES, within=(interfaces,))


def _attributes(argument: PointerArgument) -> Read:
    """Read the attributes of bpf, and their texts: a path or a name, and a license."""
    texts = tuple(Read(at, _PATH_MAX, Form.TEXT) for at in _BPF_TEXT_OFFSETS)
    return argument.read(_STRUCTURE_BYTES, within=texts)


READS: Mapping[Kind, ReadSpec] = {
    Kind.BPF_ATTRIBUTES_IN: _attributes,
    Kind.PATH: _text(lambda _: _PATH_MAX),
    Kind.STRING: _text(lambda argument: argument.text),
    Kind.PATH_OUT: _text(lambda _: _PATH_MAX),
    Kind.BUFFER_IN: lambda argument: argument.counted(
        argument.index + 1, 1, _buffer_bytes(argument)
    ),
    Kind.BUFFER_OUT: lambda argument: argument.counted(RESULT, 1, _buffer_bytes(argument)),
    Kind.DATAGRAM_IN: lambda argument: argument.counted(argument.index + 1, 1, argument.text),
    Kind.DATAGRAM_OUT: lambda argument: argument.counted(RESULT, 1, argument.text),
    Kind.ARGV: _list,
    Kind.ENVP: lambda argument: argument.read(0, Form.POINTERS, unit=argument.settings.word_size),
    Kind.IOVEC_IN: _vectors,
    Kind.IOVEC_OUT: _vectors,
    Kind.IOVEC_REMOTE: lambda argument: _array(1, 2 * argument.settings.word_size)(argument),
    Kind.DIRENTS_OUT: lambda argument: argument.read(
        0, Form.ENTRIES, limit=Limit(REGISTER_BYTES * RESULT)
    ),
    Kind.SOCKOPT_IN: lambda argument: argument.counted(
        argument.index + 1, 1, max(argument.text, _LEAST_OPTION_BYTES)
    ),
    Kind.SOCKOPT_OUT: lambda argument: argument.read(max(argument.text, _LEAST_OPTION_BYTES)),
    Kind.INT_OUT: _fixed(_INT),
    Kind.OFFSET_OUT: _fixed(_LONG_LONG),
    Kind.OFFSET_INOUT: _fixed(_LONG_LONG),
    Kind.SOCKLEN_INOUT: _fixed(_INT),
    Kind.FD_PAIR_OUT: _fixed(2 * _INT),
    Kind.WAIT_STATUS_OUT: _fixed(_INT),
    Kind.UID_LIST_IN: _array(-1, _INT),
    Kind.UID_LIST_OUT: _returned(_INT),
    Kind.CPU_SET_IN: lambda argument: argument.counted(argument.index - 1, 1, _CPU_SET_BYTES),
    Kind.CPU_SET_OUT: lambda argument: argument.counted(RESULT, 1, _CPU_SET_BYTES),
    Kind.SOCKADDR_IN: lambda argument: argument.counted(argument.index + 1, 1, _SOCKADDR_BYTES),
    Kind.SOCKADDR_OUT: _fixed(_SOCKADDR_BYTES),
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
    Kind.STAT_OUT: _fixed(_STAT_BYTES),
    Kind.STATX_OUT: _fixed(_STAT_BYTES),
    Kind.STATFS_OUT: _fixed(_STATFS_BYTES),
    Kind.POLLFDS_INOUT: lambda argument: argument.counted(
        argument.index + 1, _POLLFD_BYTES, _MOST_POLLED
    ),
    Kind.FD_SET_INOUT: _fixed(_FD_SET_BYTES),
    Kind.EPOLL_EVENT_IN: _fixed(_EPOLL_EVENT_BYTES),
    Kind.EPOLL_EVENTS_OUT: _returned(_EPOLL_EVENT_BYTES),
    Kind.SIGSET_IN: _fixed(_SIGSET_BYTES),
    Kind.SIGSET_OUT: _fixed(_SIGSET_BYTES),
    Kind.SIGACTION_IN: _fixed(_SIGACTION_BYTES),
    Kind.SIGACTION_OUT: _fixed(_SIGACTION_BYTES),
    Kind.SIGINFO_IN: _fixed(_SIGINFO_BYTES),
    Kind.SIGINFO_OUT: _fixed(_SIGINFO_BYTES),
    Kind.SIGALTSTACK_IN: _fixed(_STACK_T_BYTES),
    Kind.SIGALTSTACK_OUT: _fixed(_STACK_T_BYTES),
    Kind.RLIMIT_IN: _fixed(_RLIMIT_BYTES),
    Kind.RLIMIT_OUT: _fixed(_RLIMIT_BYTES),
    Kind.RUSAGE_OUT: _words(4),
    Kind.UTSNAME_OUT: _fixed(_UTSNAME_BYTES),
    Kind.SYSINFO_OUT: _fixed(_SYSINFO_BYTES),
    Kind.SCHED_PARAM_IN: _fixed(_INT),
    Kind.SCHED_PARAM_OUT: _fixed(_INT),
    Kind.OPEN_HOW_IN: _fixed(_OPEN_HOW_BYTES),
    # The kernel writes the ID of the new thread to the address in parent_tid.
    Kind.CLONE_ARGS_IN: lambda argument: argument.read(
        _CLONE_ARGS_BYTES, within=(Read(_PARENT_TID_OFFSET, _INT),)
    ),
    Kind.FCNTL_ARGUMENT: _fixed(_FLOCK_BYTES),
}
# Reads by the printers of special calls, by the index of the argument.
SPECIAL_CALL_READS: Mapping[str, Mapping[int, ReadSpec]] = {
    "arch_prctl": {1: _words(1)},
    "clone": {2: _fixed(_INT)},
    "fsconfig": {3: _text(lambda _: _PATH_MAX)},
    "ioctl": {2: _request},
    "kcmp": {4: structure},
    "keyctl": dict.fromkeys(
        range(1, 5), lambda argument: argument.read(max(argument.text, _KEYCTL_BYTES))
    ),
    "mount": {4: _text(lambda argument: argument.text)},
    "prctl": {
        1: _text(lambda _: _TASK_COMM_LEN),
        2: structure,
        4: _text(lambda _: _ANON_VMA_NAME_MAX_LEN),
    },
    "ptrace": {3: _registers},
    "pselect6": {5: _signal_mask},
    "reboot": {3: _text(lambda argument: argument.text)},
    "seccomp": {2: structure},
    "syslog": {1: lambda argument: argument.counted(RESULT, 1, argument.text)},
}
