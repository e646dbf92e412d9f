"""Arguments that mean what another argument says: of fcntl, ioctl and socket options."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.tracer.errnos import NAMES

from .names_files import open_flags
from .names_ioctl import REQUESTS
from .names_signals import signal_name
from .numbers import hexadecimal, signed_32, signed_64, unsigned_64
from .strings import buffer_text
from .symbols import enumeration, flags
from .traced_call import Printer, TracedCall, address_text, follow

_COMMANDS = enumeration(
    "F_???",
    """
    F_DUPFD F_GETFD F_SETFD F_GETFL F_SETFL F_GETLK F_SETLK F_SETLKW F_SETOWN F_GETOWN F_SETSIG
    F_GETSIG F_GETLK64 F_SETLK64 F_SETLKW64 F_SETOWN_EX F_GETOWN_EX F_GETOWNER_UIDS
    F_OFD_GETLK=36 F_OFD_SETLK F_OFD_SETLKW F_SETLEASE=1024 F_GETLEASE F_NOTIFY F_CANCELLK=1029
    F_DUPFD_CLOEXEC F_SETPIPE_SZ F_GETPIPE_SZ F_ADD_SEALS F_GET_SEALS
    """,
)
_LOCK = struct.Struct("<hh4xqqi")
# Of 32-bit programs, by whether a command takes positions of 64 bits.
_LOCKS_32 = {False: struct.Struct("<hhiii"), True: struct.Struct("<hhqqi")}
_LOCK_TYPES = enumeration("F_???", "F_RDLCK F_WRLCK F_UNLCK F_EXLCK=4 F_SHLCK=8")
_WHENCES = enumeration("SEEK_???", "SEEK_SET SEEK_CUR SEEK_END SEEK_DATA SEEK_HOLE")
FD_FLAGS = flags("FD_???", "FD_CLOEXEC=1")
_SEALS = flags(
    "F_SEAL_???",
    "F_SEAL_SEAL=1 F_SEAL_SHRINK=2 F_SEAL_GROW=4 F_SEAL_WRITE=8 F_SEAL_FUTURE_WRITE=0x10",
)
_LOCK_COMMANDS = frozenset({5, 6, 7, 36, 37, 38})
# Only 32-bit programs have these.
_WIDE_LOCK_COMMANDS = frozenset({12, 13, 14})
_GETS_LOCK = frozenset({5, 12, 36})
_FIRST_OFD = 36
_PLAIN_NUMBERS = frozenset({0, 8, 1024, 1029, 1030, 1031})
_LEASE = 1024


def _fcntl_argument(call: TracedCall, index: int) -> str:
    command = call.argument(index - 1) & 0xFFFFFFFF
    value = call.argument(index)
    commands = _LOCK_COMMANDS if call.settings.is_64_bit else _LOCK_COMMANDS | _WIDE_LOCK_COMMANDS
    if command in commands:
        if call.failed and command in _GETS_LOCK:
            return address_text(value)
        return _LOCKS(call, index)
    if command == _LEASE:
        return _LOCK_TYPES(value)
    if command in _PLAIN_NUMBERS:
        return str(signed_64(value))
    show = _FCNTL.get(command)
    return show(call, value) if show else hexadecimal(unsigned_64(value))


_FCNTL = {
    2: lambda _call, value: FD_FLAGS(value),
    4: lambda call, value: open_flags(value, call.settings.architecture),
    10: lambda _call, value: signal_name(value),
    1033: lambda _call, value: _SEALS(value),
}


def _lock(call: TracedCall, _index: int, address: int) -> str:
    command = call.argument(1) & 0xFFFFFFFF
    takes_64_bits = command in _WIDE_LOCK_COMMANDS or command >= _FIRST_OFD
    layout = _LOCK if call.settings.is_64_bit else _LOCKS_32[takes_64_bits]
    kind, whence, start, length, pid = call.unpack(layout, address)
    text = (
        f"l_type={_LOCK_TYPES(kind)}, l_whence={_WHENCES(whence)}, l_start={start}, l_len={length}"
    )
    return f"{{{text}, l_pid={pid}}}" if command in _GETS_LOCK else f"{{{text}}}"


_LOCKS = follow(_lock)


def _request(call: TracedCall, index: int) -> str:
    value = call.argument(index) & 0xFFFFFFFF
    name = REQUESTS.name(value)
    if name is not None:
        return name
    direction = ("_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE")[value >> 30]
    fields = (value >> 8 & 0xFF, value & 0xFF, value >> 16 & 0x3FFF)
    return f"_IOC({direction}, {', '.join(map(hexadecimal, fields))})"


_OPTION_BYTES = 4
_LINGER = struct.Struct("<ii")
_CREDENTIALS = struct.Struct("<iII")
_SOL_SOCKET = 1
_SO_ERROR = (1, 4)
_SO_LINGER = (1, 13)
_SO_PEERCRED = (1, 17)
# Options whose value is a text or a structure of its own, and no number.
_QUOTED = frozenset(
    {(1, 20), (1, 21), (1, 25), (1, 26), (1, 31), (1, 59), (6, 11), (6, 13), (6, 31)}
)


def _option(call: TracedCall, address: int, length: int) -> str:
    level_and_name = (call.argument(1) & 0xFFFFFFFF, call.argument(2) & 0xFFFFFFFF)
    if level_and_name == _SO_LINGER and length >= _LINGER.size:
        on, seconds = call.unpack(_LINGER, address)
        return f"{{l_onoff={on}, l_linger={seconds}}}"
    if level_and_name == _SO_PEERCRED and length >= _CREDENTIALS.size:
        pid, uid, gid = call.unpack(_CREDENTIALS, address)
        return f"{{pid={pid}, uid={uid}, gid={gid}}}"
    if level_and_name == _SO_ERROR and length == _OPTION_BYTES:
        number = call.integer(address)
        return f"[{NAMES.get(number, number)}]"
    if level_and_name[0] == _SOL_SOCKET and level_and_name not in _QUOTED:
        return f"[{call.integer(address)}]" if length >= _OPTION_BYTES else f"{address:#x}"
    if level_and_name in _QUOTED or length != _OPTION_BYTES:
        return buffer_text(call, address, length)
    return f"[{call.integer(address)}]"


def _option_given(call: TracedCall, index: int, address: int) -> str:
    return _option(call, address, signed_32(call.argument(index + 1)))


def _option_found(call: TracedCall, index: int, address: int) -> str:
    if call.failed:
        return f"{address:#x}"
    length = call.integer(call.argument(index + 1))
    if not length:
        return f"{address:#x}"
    return _option(call, address, length)


PRINTERS: dict[Kind, Printer] = {
    Kind.FCNTL_COMMAND: lambda call, index: _COMMANDS(call.argument(index)),
    Kind.IOCTL_REQUEST: _request,
}
AT_ENTRY: dict[Kind, Printer] = {Kind.SOCKOPT_IN: follow(_option_given)}
AT_EXIT: dict[Kind, Printer] = {
    Kind.SOCKOPT_OUT: follow(_option_found),
    Kind.FCNTL_ARGUMENT: _fcntl_argument,
}
