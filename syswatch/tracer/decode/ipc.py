"""Messages, semaphores, and who is told of them."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind

from .names_files import open_flags
from .names_signals import signal_name
from .numbers import unsigned_64
from .strings import buffer_text
from .structures import counted_behind, structure
from .symbols import enumeration, flags
from .traced_call import Printer, TracedCall, address_text, follow, follow_on_success

_SEM_FLAGS = flags("SEM_???", "SEM_UNDO=0x1000 IPC_NOWAIT=0x800")
_OPERATION = structure("<Hhh", sem_num=str, sem_op=str, sem_flg=_SEM_FLAGS)
_NOTIFY = enumeration("SIGEV_???", "SIGEV_SIGNAL SIGEV_NONE SIGEV_THREAD SIGEV_THREAD_ID=4")
_EVENTS = {8: struct.Struct("<Qii"), 4: struct.Struct("<Iii")}
_SIGNAL, _THREAD, _THREAD_ID = 0, 2, 4


def _message(call: TracedCall, address: int, length: int) -> str:
    word = call.settings.word_size
    text = buffer_text(call, address + word, length)
    return f"{{mtype={call.integer(address, word)}, mtext={text}}}"


def _text(call: TracedCall, index: int, address: int) -> str:
    return _message(call, address, unsigned_64(call.argument(index + 1)))


def _event(call: TracedCall, _index: int, address: int) -> str:
    layout = _EVENTS[call.settings.word_size]
    value, number, how = call.unpack(layout, address)
    signed = ((value & 0xFFFFFFFF) ^ 1 << 31) - (1 << 31)
    tells = how in {_SIGNAL, _THREAD, _THREAD_ID}
    parts = [
        f"sigev_value={{sival_int={signed}, sival_ptr={address_text(value)}}}",
        f"sigev_signo={signal_name(number) if tells else number}",
        f"sigev_notify={_NOTIFY(how)}",
    ]
    behind = address + layout.size
    if how == _THREAD_ID:
        parts.append(f"sigev_notify_thread_id={call.integer(behind)}")
    elif how == _THREAD:
        first, second = (call.pointer(behind + n * call.settings.word_size) for n in (0, 1))
        parts.append(f"sigev_notify_function={address_text(first)}")
        parts.append(f"sigev_notify_attributes={address_text(second)}")
    return f"{{{', '.join(parts)}}}"


def _attributes(call: TracedCall, _index: int, address: int) -> str:
    word = call.settings.word_size
    bits, *numbers = (call.integer(address + place * word, word) for place in range(4))
    # The access mode, which strace shows of other flags, says nothing here.
    shown = open_flags(bits, call.settings.architecture).removeprefix("O_RDONLY|")
    names = ("mq_maxmsg", "mq_msgsize", "mq_curmsgs")
    parts = (f"{name}={number}" for name, number in zip(names, numbers, strict=True))
    return f"{{mq_flags={shown if bits else 0}, {', '.join(parts)}}}"


AT_ENTRY: dict[Kind, Printer] = {
    Kind.MESSAGE_IN: follow(_text),
    Kind.MQ_ATTRIBUTES_IN: follow(_attributes),
    Kind.SEM_OPERATIONS_IN: follow(counted_behind(_OPERATION)),
    Kind.SIGEVENT_IN: follow(_event),
}
AT_EXIT: dict[Kind, Printer] = {
    Kind.MESSAGE_OUT: follow_on_success(_text),
    Kind.MQ_ATTRIBUTES_OUT: follow_on_success(_attributes),
}
