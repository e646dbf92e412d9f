"""seccomp filters and landlock rules, by which programs give up rights."""

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration, flags

from .names_misc import LANDLOCK_RULE
from .names_processes import SECCOMP_OPERATION
from .numbers import unsigned_32, unsigned_64
from .structures import structure
from .traced_call import Printers, TracedCall, UnreadableError, address_text, follow

_FILTER_FLAGS = flags(
    "SECCOMP_FILTER_FLAG_???",
    """
    SECCOMP_FILTER_FLAG_TSYNC=1 SECCOMP_FILTER_FLAG_LOG=2 SECCOMP_FILTER_FLAG_SPEC_ALLOW=4
    SECCOMP_FILTER_FLAG_NEW_LISTENER=8 SECCOMP_FILTER_FLAG_TSYNC_ESRCH=0x10
    """,
)
_RETURN_ACTION = enumeration(
    "SECCOMP_RET_???",
    """
    SECCOMP_RET_KILL_PROCESS=0x80000000 SECCOMP_RET_KILL_THREAD=0 SECCOMP_RET_TRAP=0x30000
    SECCOMP_RET_ERRNO=0x50000 SECCOMP_RET_USER_NOTIF=0x7fc00000 SECCOMP_RET_TRACE=0x7ff00000
    SECCOMP_RET_LOG=0x7ffc0000 SECCOMP_RET_ALLOW=0x7fff0000
    """,
)
SECCOMP_MODE = enumeration(
    "SECCOMP_MODE_???", "SECCOMP_MODE_DISABLED SECCOMP_MODE_STRICT SECCOMP_MODE_FILTER"
)
SECCOMP_MODE_FILTER = SECCOMP_MODE["SECCOMP_MODE_FILTER"]
_SIZES = structure("<3H", seccomp_notif=str, seccomp_notif_resp=str, seccomp_data=str)
_SET_MODE_FILTER = SECCOMP_OPERATION["SECCOMP_SET_MODE_FILTER"]
_GET_ACTION_AVAIL = SECCOMP_OPERATION["SECCOMP_GET_ACTION_AVAIL"]
_GET_NOTIF_SIZES = SECCOMP_OPERATION["SECCOMP_GET_NOTIF_SIZES"]
_ACCESS_FS = flags(
    "LANDLOCK_ACCESS_FS_???",
    """
    LANDLOCK_ACCESS_FS_EXECUTE=1 LANDLOCK_ACCESS_FS_WRITE_FILE=2 LANDLOCK_ACCESS_FS_READ_FILE=4
    LANDLOCK_ACCESS_FS_READ_DIR=8 LANDLOCK_ACCESS_FS_REMOVE_DIR=0x10
    LANDLOCK_ACCESS_FS_REMOVE_FILE=0x20 LANDLOCK_ACCESS_FS_MAKE_CHAR=0x40
    LANDLOCK_ACCESS_FS_MAKE_DIR=0x80 LANDLOCK_ACCESS_FS_MAKE_REG=0x100
    LANDLOCK_ACCESS_FS_MAKE_SOCK=0x200 LANDLOCK_ACCESS_FS_MAKE_FIFO=0x400
    LANDLOCK_ACCESS_FS_MAKE_BLOCK=0x800 LANDLOCK_ACCESS_FS_MAKE_SYM=0x1000
    LANDLOCK_ACCESS_FS_REFER=0x2000 LANDLOCK_ACCESS_FS_TRUNCATE=0x4000
    """,
    bits=64,
)
_RULESET = structure("<Q", handled_access_fs=_ACCESS_FS)
_BENEATH = structure("<Qi", allowed_access=_ACCESS_FS, parent_fd=str)
_PATH_BENEATH = LANDLOCK_RULE["LANDLOCK_RULE_PATH_BENEATH"]


_LENGTH_BYTES = 2


def filter_program(call: TracedCall, address: int) -> str:
    """Return the length and the address of a filter (`struct sock_fprog`)."""
    if not address:
        return "NULL"
    try:
        length = call.integer(address, _LENGTH_BYTES, signed=False)
        program = call.pointer(address + call.settings.word_size)
        return f"{{len={length}, filter={address_text(program)}}}"
    except UnreadableError:
        return f"{address:#x}"


def seccomp(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the arguments that the operation takes."""
    operation, flag_bits, address = (call.argument(index) for index in range(3))
    try:
        return [*texts[:1], *_given(call, unsigned_32(operation), flag_bits, address)]
    except UnreadableError:
        return texts


def _given(call: TracedCall, operation: int, flag_bits: int, address: int) -> list[str]:
    plain = (
        _FILTER_FLAGS(flag_bits) if operation == _SET_MODE_FILTER else str(unsigned_64(flag_bits))
    )
    shown = address_text(address)
    if operation == _SET_MODE_FILTER:
        shown = filter_program(call, address)
    elif operation == _GET_ACTION_AVAIL and address:
        shown = f"[{_RETURN_ACTION(call.integer(address))}]"
    elif operation == _GET_NOTIF_SIZES and address and not call.failed:
        shown = _SIZES.show(call, 2, address)
    return [plain, shown]


def _ruleset(call: TracedCall, index: int, address: int) -> str:
    size = call.argument(index + 1)
    if size < _RULESET.size:
        raise UnreadableError
    parts = _RULESET.parts(call.read(address, _RULESET.size))
    return f"{{{', '.join([*parts, '...'] if size > _RULESET.size else parts)}}}"


def _rule(call: TracedCall, index: int, address: int) -> str:
    if call.unsigned_int(index - 1) != _PATH_BENEATH:
        raise UnreadableError
    return _BENEATH.show(call, index, address)


PRINTERS = Printers(
    at_entry={
        Kind.LANDLOCK_RULESET_IN: follow(_ruleset),
        Kind.LANDLOCK_RULE_IN: follow(_rule),
    },
)
