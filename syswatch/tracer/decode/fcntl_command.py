"""fcntl: the command, and the third argument, whose type depends on it."""

import struct

from syswatch.model.argument_names import FCNTL_COMMAND
from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration, flags

from .names_files import open_flags
from .names_signals import signal_name
from .numbers import hexadecimal, signed_64, unsigned_64
from .traced_call import Printers, TracedCall, address_text, follow

NO_ARGUMENT = FCNTL_COMMAND.numbers(
    "F_GETFD F_GETFL F_GETOWN F_GETSIG F_GETLEASE F_GETPIPE_SZ F_GET_SEALS"
)
FD_FLAGS = flags("FD_???", "FD_CLOEXEC=1")
# struct flock, and for 32-bit programs struct flock and struct flock64.
_FLOCK = struct.Struct("<hh4xqqi")
_FLOCK_32, _FLOCK64_32 = struct.Struct("<hhiii"), struct.Struct("<hhqqi")
_LOCK_TYPE = enumeration("F_???", "F_RDLCK F_WRLCK F_UNLCK F_EXLCK=4 F_SHLCK=8")
_WHENCE = enumeration("SEEK_???", "SEEK_SET SEEK_CUR SEEK_END SEEK_DATA SEEK_HOLE")
_SEALS = flags(
    "F_SEAL_???",
    "F_SEAL_SEAL=1 F_SEAL_SHRINK=2 F_SEAL_GROW=4 F_SEAL_WRITE=8 F_SEAL_FUTURE_WRITE=0x10",
)
_OFD_LOCK = FCNTL_COMMAND.numbers("F_OFD_GETLK F_OFD_SETLK F_OFD_SETLKW")
_LOCK = FCNTL_COMMAND.numbers("F_GETLK F_SETLK F_SETLKW") | _OFD_LOCK
# Only 32-bit programs have these.
_LOCK64 = FCNTL_COMMAND.numbers("F_GETLK64 F_SETLK64 F_SETLKW64")
_GETS_LOCK = FCNTL_COMMAND.numbers("F_GETLK F_GETLK64 F_OFD_GETLK")
_NUMBER = FCNTL_COMMAND.numbers("F_DUPFD F_SETOWN F_CANCELLK F_DUPFD_CLOEXEC F_SETPIPE_SZ")


def _argument(call: TracedCall, index: int) -> str:
    command = call.unsigned_int(index - 1)
    value = call.argument(index)
    if command in (_LOCK if call.settings.is_64_bit else _LOCK | _LOCK64):
        if call.failed and command in _GETS_LOCK:
            return address_text(value)
        return _LOCK_POINTER(call, index)
    if command in _NUMBER:
        return str(signed_64(value))
    show = _BY_VALUE.get(command)
    return show(call, value) if show else hexadecimal(unsigned_64(value))


_BY_VALUE = {
    FCNTL_COMMAND["F_SETFD"]: lambda _call, value: FD_FLAGS(value),
    FCNTL_COMMAND["F_SETFL"]: lambda call, value: open_flags(value, call.settings.architecture),
    FCNTL_COMMAND["F_SETSIG"]: lambda _call, value: signal_name(value),
    FCNTL_COMMAND["F_SETLEASE"]: lambda _call, value: _LOCK_TYPE(value),
    FCNTL_COMMAND["F_ADD_SEALS"]: lambda _call, value: _SEALS(value),
}


def _lock(call: TracedCall, _index: int, address: int) -> str:
    command = call.unsigned_int(1)
    layout = _FLOCK
    if not call.settings.is_64_bit:
        layout = _FLOCK64_32 if command in _LOCK64 | _OFD_LOCK else _FLOCK_32
    kind, whence, start, length, pid = call.unpack(layout, address)
    text = f"l_type={_LOCK_TYPE(kind)}, l_whence={_WHENCE(whence)}, l_start={start}, l_len={length}"
    return f"{{{text}, l_pid={pid}}}" if command in _GETS_LOCK else f"{{{text}}}"


_LOCK_POINTER = follow(_lock)


PRINTERS = Printers(
    numbers={Kind.FCNTL_COMMAND: FCNTL_COMMAND},
    at_exit={Kind.FCNTL_ARGUMENT: _argument},
)
