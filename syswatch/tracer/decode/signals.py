"""Sets of signals, handlers, and what comes with a signal."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import model_of

from .clocks import ticks
from .names_signals import ALTSTACK_FLAGS, SIGACTION_FLAGS, short_name, signal_name
from .symbols import enumeration
from .traced_call import (
    Printer,
    TracedCall,
    UnreadableError,
    address_text,
    follow,
    follow_on_success,
)

_ACTIONS = {8: struct.Struct("<QQQQ"), 4: struct.Struct("<IIIQ")}
_STACKS = {8: struct.Struct("<Qi4xQ"), 4: struct.Struct("<IiI")}
_INFO = struct.Struct("<iiii")
_INFO_BYTES = 128
_SET_BYTES = 8
_ALL = (1 << 64) - 1
# Where, counted from the stack pointer, a handler's return finds the signals to block.
MASK_IN_FRAME = {"x86_64": 296, "aarch64": 168}
# A set that has more than this is shown by what it lacks.
_MANY = 42
_HANDLERS = ("SIG_DFL", "SIG_IGN")
_SA_RESTORER = 0x04000000
# Where the size of the set stands, counted from the set.
_SIZE_BEHIND = {
    "rt_sigprocmask": {1: 3, 2: 3},
    "rt_sigtimedwait": {0: 3},
}


def signal_set(bits: int) -> str:
    """Return a set of signals, or what it lacks where that is shorter."""
    inverted = bits.bit_count() >= _MANY
    shown = bits ^ _ALL if inverted else bits
    names = [short_name(number) or "" for number in range(1, 65) if shown >> (number - 1) & 1]
    return f"{'~' if inverted else ''}[{' '.join(names)}]"


def read_set(call: TracedCall, address: int) -> str:
    """Return the set at an address."""
    return signal_set(call.integer(address, _SET_BYTES, signed=False))


def _set(call: TracedCall, index: int, address: int) -> str:
    size_at = _SIZE_BEHIND.get(model_of(call.name), {}).get(index, index + 1)
    size = call.argument(size_at)
    if size != _SET_BYTES:
        return address_text(address)
    return read_set(call, address)


def _frame(call: TracedCall, _index: int, address: int) -> str:
    return f"{{mask={read_set(call, address)}}}"


def _action(call: TracedCall, _index: int, address: int) -> str:
    handler, flag_bits, restorer, mask = call.unpack(_ACTIONS[call.settings.word_size], address)
    shown = _HANDLERS[handler] if handler < len(_HANDLERS) else f"{handler:#x}"
    text = f"sa_handler={shown}, sa_mask={signal_set(mask)}, sa_flags={SIGACTION_FLAGS(flag_bits)}"
    if flag_bits & _SA_RESTORER:
        text += f", sa_restorer={address_text(restorer)}"
    return f"{{{text}}}"


def _stack(call: TracedCall, _index: int, address: int) -> str:
    base, flag_bits, size = call.unpack(_STACKS[call.settings.word_size], address)
    shown = ALTSTACK_FLAGS(flag_bits)
    return f"{{ss_sp={address_text(base)}, ss_flags={shown}, ss_size={size}}}"


_CODES = enumeration(
    "SI_???",
    """
    SI_USER=0 SI_KERNEL=0x80 SI_QUEUE=-1 SI_TIMER=-2 SI_MESGQ=-3 SI_ASYNCIO=-4 SI_SIGIO=-5
    SI_TKILL=-6 SI_DETHREAD=-7 SI_ASYNCNL=-60
    """,
)
_CHLD = 17
_CHILD_CODES = enumeration(
    "CLD_???", "CLD_EXITED=1 CLD_KILLED CLD_DUMPED CLD_TRAPPED CLD_STOPPED CLD_CONTINUED"
)
_FAULT_CODES = {
    4: enumeration(
        "ILL_???",
        "ILL_ILLOPC=1 ILL_ILLOPN ILL_ILLADR ILL_ILLTRP ILL_PRVOPC ILL_PRVREG ILL_COPROC ILL_BADSTK",
    ),
    5: enumeration("TRAP_???", "TRAP_BRKPT=1 TRAP_TRACE TRAP_BRANCH TRAP_HWBKPT"),
    7: enumeration("BUS_???", "BUS_ADRALN=1 BUS_ADRERR BUS_OBJERR BUS_MCEERR_AR BUS_MCEERR_AO"),
    8: enumeration(
        "FPE_???",
        "FPE_INTDIV=1 FPE_INTOVF FPE_FLTDIV FPE_FLTOVF FPE_FLTUND FPE_FLTRES FPE_FLTINV FPE_FLTSUB",
    ),
    11: enumeration("SEGV_???", "SEGV_MAPERR=1 SEGV_ACCERR SEGV_BNDERR SEGV_PKUERR"),
}
_POLL_CODES = enumeration("POLL_???", "POLL_IN=1 POLL_OUT POLL_MSG POLL_ERR POLL_PRI POLL_HUP")
_IO = 29
_EXITED = 1
_SI_TIMER = -2


def siginfo(call: TracedCall, address: int) -> str:
    """Return what comes with a signal."""
    if not call.settings.is_64_bit:  # On 32 bits the fields lie elsewhere.
        raise UnreadableError
    data = call.read(address, _INFO_BYTES)
    number, errno, code, _ = _INFO.unpack_from(data)
    if not number and not errno and not code:
        return "{}"
    fields = _body(number, code, data[_INFO.size :])
    error = [f"si_errno={errno}"] if errno else []
    return f"{{{', '.join([f'si_signo={signal_name(number)}', fields[0], *error, *fields[1:]])}}}"


def _body(number: int, code: int, data: bytes) -> list[str]:
    """Return the code, and what it says is in the rest."""
    if number == _CHLD and _CHILD_CODES.name(code):
        return [f"si_code={_CHILD_CODES(code)}", *_child(code, data)]
    if number in _FAULT_CODES and _FAULT_CODES[number].name(code):
        address = int.from_bytes(data[:8], "little")
        return [f"si_code={_FAULT_CODES[number](code)}", f"si_addr={address_text(address)}"]
    if number == _IO and _POLL_CODES.name(code):
        band, fd = struct.unpack_from("<qi", data)
        return [f"si_code={_POLL_CODES(code)}", f"si_band={band}", f"si_fd={fd}"]
    shown = _CODES.name(code) or f"{code & 0xFFFFFFFF:#x}"
    return [f"si_code={shown}", *_sender(code, data)]


def _child(code: int, data: bytes) -> list[str]:
    pid, uid, status, user, system = struct.unpack_from("<iIi4xqq", data)
    shown = str(status) if code == _EXITED else signal_name(status)
    times = [f"si_utime={ticks(user)}", f"si_stime={ticks(system)}"]
    return [f"si_pid={pid}", f"si_uid={uid}", f"si_status={shown}", *times]


def _sender(code: int, data: bytes) -> list[str]:
    pid, uid, value = struct.unpack_from("<iIQ", data)
    number = value & 0xFFFFFFFF
    number -= (number >> 31) << 32
    with_value = [f"si_int={number}", f"si_ptr={address_text(value)}"]
    if code == _SI_TIMER:
        return [f"si_timerid={pid & 0xFFFFFFFF:#x}", f"si_overrun={uid}", *with_value]
    who = [f"si_pid={pid}", f"si_uid={uid}"]
    return [*who, *with_value] if code and value else who


def _info(call: TracedCall, _index: int, address: int) -> str:
    return siginfo(call, address)


AT_ENTRY: dict[Kind, Printer] = {
    Kind.SIGFRAME_IN: follow(_frame),
    Kind.SIGSET_IN: follow(_set),
    Kind.SIGACTION_IN: follow(_action),
    Kind.SIGINFO_IN: follow(_info),
    Kind.SIGALTSTACK_IN: follow(_stack),
}
AT_EXIT: dict[Kind, Printer] = {
    Kind.SIGSET_OUT: follow_on_success(_set),
    Kind.SIGACTION_OUT: follow_on_success(_action),
    Kind.SIGINFO_OUT: follow_on_success(_info),
    Kind.SIGALTSTACK_OUT: follow_on_success(_stack),
}
