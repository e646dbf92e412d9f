"""Message queues, semaphores and shared memory, of System V and of POSIX, and struct sigevent."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration, flags

from .names_files import open_flags
from .names_signals import signal_name
from .numbers import permissions, signed_32, unsigned_32, unsigned_64
from .strings import buffer_text
from .structures import counted_by_next, structure
from .traced_call import (
    Printers,
    TracedCall,
    address_text,
    follow,
    follow_on_success,
)

_IPC_FLAGS = flags("", "IPC_CREAT=0x200 IPC_EXCL=0x400 IPC_NOWAIT=0x800")
_PERMISSIONS = 0o777
_IPC_64 = 0x100
_IPC_COMMANDS = {
    "MSG_???": enumeration(
        "MSG_???", "IPC_RMID IPC_SET IPC_STAT IPC_INFO MSG_STAT=11 MSG_INFO MSG_STAT_ANY"
    ),
    "SEM_???": enumeration(
        "SEM_???",
        """
        IPC_RMID IPC_SET IPC_STAT IPC_INFO GETPID=11 GETVAL GETALL GETNCNT GETZCNT SETVAL SETALL
        SEM_STAT SEM_INFO SEM_STAT_ANY
        """,
    ),
    "SHM_???": enumeration(
        "SHM_???",
        """
        IPC_RMID IPC_SET IPC_STAT IPC_INFO SHM_LOCK=11 SHM_UNLOCK SHM_STAT SHM_INFO SHM_STAT_ANY
        """,
    ),
}


def _ipc_flags(value: int) -> str:
    value = unsigned_32(value)
    found, rest = _IPC_FLAGS.split(value & ~_PERMISSIONS)
    return "|".join([*found, *([f"{rest:#x}"] if rest else []), permissions(value & _PERMISSIONS)])


def _ipc_command(call_name: str, value: int) -> str:
    names = _IPC_COMMANDS[f"{call_name[:3].upper()}_???"]
    value = unsigned_32(value)
    if value & _IPC_64:
        return f"IPC_64|{names(value & ~_IPC_64)}"
    return names(value)


_SEM_FLAGS = flags("SEM_???", "SEM_UNDO=0x1000 IPC_NOWAIT=0x800")
_OPERATION = structure("<Hhh", sem_num=str, sem_op=str, sem_flg=_SEM_FLAGS)
_SIGEV = enumeration("SIGEV_???", "SIGEV_SIGNAL SIGEV_NONE SIGEV_THREAD SIGEV_THREAD_ID=4")
_SIGEVENT = {8: struct.Struct("<Qii"), 4: struct.Struct("<Iii")}
_TAKES_SIGNAL = _SIGEV.numbers("SIGEV_SIGNAL SIGEV_THREAD SIGEV_THREAD_ID")
_SIGEV_THREAD, _SIGEV_THREAD_ID = _SIGEV["SIGEV_THREAD"], _SIGEV["SIGEV_THREAD_ID"]


def _message(call: TracedCall, address: int, length: int) -> str:
    word = call.settings.word_size
    text = buffer_text(call, address + word, length)
    return f"{{mtype={call.integer(address, word)}, mtext={text}}}"


def _text(call: TracedCall, index: int, address: int) -> str:
    return _message(call, address, unsigned_64(call.argument(index + 1)))


def _event(call: TracedCall, _index: int, address: int) -> str:
    layout = _SIGEVENT[call.settings.word_size]
    value, number, notify = call.unpack(layout, address)
    parts = [
        f"sigev_value={{sival_int={signed_32(value)}, sival_ptr={address_text(value)}}}",
        f"sigev_signo={signal_name(number) if notify in _TAKES_SIGNAL else number}",
        f"sigev_notify={_SIGEV(notify)}",
    ]
    union = address + layout.size
    if notify == _SIGEV_THREAD_ID:
        parts.append(f"sigev_notify_thread_id={call.integer(union)}")
    elif notify == _SIGEV_THREAD:
        function, attributes = (call.pointer(union + n * call.settings.word_size) for n in (0, 1))
        parts.append(f"sigev_notify_function={address_text(function)}")
        parts.append(f"sigev_notify_attributes={address_text(attributes)}")
    return f"{{{', '.join(parts)}}}"


_MQ_ATTR_FIELDS = 4


def _attributes(call: TracedCall, _index: int, address: int) -> str:
    word = call.settings.word_size
    bits, *numbers = (
        call.integer(address + place * word, word) for place in range(_MQ_ATTR_FIELDS)
    )
    # strace omits the access mode here, which is always zero.
    shown = open_flags(bits, call.settings.architecture).removeprefix("O_RDONLY|")
    names = ("mq_maxmsg", "mq_msgsize", "mq_curmsgs")
    parts = (f"{name}={number}" for name, number in zip(names, numbers, strict=True))
    return f"{{mq_flags={shown if bits else 0}, {', '.join(parts)}}}"


SHMAT_FLAGS = flags("SHM_???", "SHM_RDONLY=0x1000 SHM_RND=0x2000 SHM_REMAP=0x4000 SHM_EXEC=0x8000")
PRINTERS = Printers(
    numbers={
        Kind.IPC_FLAGS: _ipc_flags,
        Kind.SHMAT_FLAGS: SHMAT_FLAGS,
        Kind.MSGQUEUE_FLAGS: flags(
            "MSG_???", "MSG_NOERROR=0x1000 MSG_EXCEPT=0x2000 MSG_COPY=0x4000 IPC_NOWAIT=0x800"
        ),
    },
    registers={Kind.IPC_COMMAND: lambda call, index: _ipc_command(call.name, call.argument(index))},
    at_entry={
        Kind.MESSAGE_IN: follow(_text),
        Kind.MQ_ATTRIBUTES_IN: follow(_attributes),
        Kind.SEM_OPERATIONS_IN: follow(counted_by_next(_OPERATION)),
        Kind.SIGEVENT_IN: follow(_event),
    },
    at_exit={
        Kind.MESSAGE_OUT: follow_on_success(_text),
        Kind.MQ_ATTRIBUTES_OUT: follow_on_success(_attributes),
    },
)
