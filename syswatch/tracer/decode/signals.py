"""Signals: sets, actions, alternate stacks and `siginfo_t`."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import model_of
from syswatch.model.symbols import enumeration

from .clocks import ticks
from .names_signals import ALTSTACK_FLAGS, SIGACTION_FLAGS, short_name, signal_name, signal_number
from .numbers import signed_32, unsigned_32
from .traced_call import (
    Printers,
    TracedCall,
    UnreadableError,
    address_text,
    follow,
    follow_on_success,
)

_SIGACTION = {8: struct.Struct("<QQQQ"), 4: struct.Struct("<IIIQ")}
_STACK_T = {8: struct.Struct("<Qi4xQ"), 4: struct.Struct("<IiI")}
_SIGINFO = struct.Struct("<iii4x")
_SIGINFO_BYTES = 128
# The variants of the union in siginfo_t.
_SI_CHILD, _SI_POLL = struct.Struct("<iIi4xqq"), struct.Struct("<qi")
_SI_SENDER = struct.Struct("<iIQ")
_ADDRESS_BYTES = 8
_SIGSET_BYTES = 8
_ALL_SIGNALS = (1 << 64) - 1
_NSIG = 64
# The offset of the signal mask from the stack pointer when a handler returns.
MASK_IN_FRAME = {"x86_64": 296, "aarch64": 168}
# strace prints a set of this size or larger by the signals that it lacks.
_LEAST_INVERTED = 42
_HANDLERS = ("SIG_DFL", "SIG_IGN")
_SA_RESTORER = SIGACTION_FLAGS["SA_RESTORER"]
# The index of the argument with the size of the set, where it is not the next one.
_SIZE_INDEX = {
    "rt_sigprocmask": {1: 3, 2: 3},
    "rt_sigtimedwait": {0: 3},
}


def signal_set(bits: int) -> str:
    """Return a set of signals, or after a tilde the signals that it lacks."""
    inverted = bits.bit_count() >= _LEAST_INVERTED
    shown = bits ^ _ALL_SIGNALS if inverted else bits
    names = [
        short_name(number) or "" for number in range(1, _NSIG + 1) if shown >> (number - 1) & 1
    ]
    return f"{'~' if inverted else ''}[{' '.join(names)}]"


def read_set(call: TracedCall, address: int) -> str:
    """Return the set at an address."""
    return signal_set(call.integer(address, _SIGSET_BYTES, signed=False))


def _set(call: TracedCall, index: int, address: int) -> str:
    size_at = _SIZE_INDEX.get(model_of(call.name), {}).get(index, index + 1)
    size = call.argument(size_at)
    if size != _SIGSET_BYTES:
        return address_text(address)
    return read_set(call, address)


def _frame(call: TracedCall, _index: int, address: int) -> str:
    return f"{{mask={read_set(call, address)}}}"


def _action(call: TracedCall, _index: int, address: int) -> str:
    handler, flag_bits, restorer, mask = call.unpack(_SIGACTION[call.settings.word_size], address)
    shown = _HANDLERS[handler] if handler < len(_HANDLERS) else f"{handler:#x}"
    text = f"sa_handler={shown}, sa_mask={signal_set(mask)}, sa_flags={SIGACTION_FLAGS(flag_bits)}"
    if flag_bits & _SA_RESTORER:
        text += f", sa_restorer={address_text(restorer)}"
    return f"{{{text}}}"


def _stack(call: TracedCall, _index: int, address: int) -> str:
    base, flag_bits, size = call.unpack(_STACK_T[call.settings.word_size], address)
    shown = ALTSTACK_FLAGS(flag_bits)
    return f"{{ss_sp={address_text(base)}, ss_flags={shown}, ss_size={size}}}"


_SI_CODE = enumeration(
    "SI_???",
    """
    SI_USER=0 SI_KERNEL=0x80 SI_QUEUE=-1 SI_TIMER=-2 SI_MESGQ=-3 SI_ASYNCIO=-4 SI_SIGIO=-5
    SI_TKILL=-6 SI_DETHREAD=-7 SI_ASYNCNL=-60
    """,
)
_SIGCHLD, _SIGIO = signal_number("CHLD"), signal_number("IO")
_CLD_CODE = enumeration(
    "CLD_???", "CLD_EXITED=1 CLD_KILLED CLD_DUMPED CLD_TRAPPED CLD_STOPPED CLD_CONTINUED"
)
_FAULT_CODES = {
    signal_number("ILL"): enumeration(
        "ILL_???",
        "ILL_ILLOPC=1 ILL_ILLOPN ILL_ILLADR ILL_ILLTRP ILL_PRVOPC ILL_PRVREG ILL_COPROC ILL_BADSTK",
    ),
    signal_number("TRAP"): enumeration(
        "TRAP_???", "TRAP_BRKPT=1 TRAP_TRACE TRAP_BRANCH TRAP_HWBKPT"
    ),
    signal_number("BUS"): enumeration(
        "BUS_???", "BUS_ADRALN=1 BUS_ADRERR BUS_OBJERR BUS_MCEERR_AR BUS_MCEERR_AO"
    ),
    signal_number("FPE"): enumeration(
        "FPE_???",
        "FPE_INTDIV=1 FPE_INTOVF FPE_FLTDIV FPE_FLTOVF FPE_FLTUND FPE_FLTRES FPE_FLTINV FPE_FLTSUB",
    ),
    signal_number("SEGV"): enumeration(
        "SEGV_???", "SEGV_MAPERR=1 SEGV_ACCERR SEGV_BNDERR SEGV_PKUERR"
    ),
}
_POLL_CODE = enumeration("POLL_???", "POLL_IN=1 POLL_OUT POLL_MSG POLL_ERR POLL_PRI POLL_HUP")
_CLD_EXITED = _CLD_CODE["CLD_EXITED"]
_SI_TIMER = signed_32(_SI_CODE["SI_TIMER"])


def siginfo(call: TracedCall, address: int) -> str:
    """Return the `siginfo_t` at an address."""
    if not call.settings.is_64_bit:  # The layout differs.
        raise UnreadableError
    data = call.read(address, _SIGINFO_BYTES)
    number, errno, code = _SIGINFO.unpack_from(data)
    if not number and not errno and not code:
        return "{}"
    fields = _body(number, code, data[_SIGINFO.size :])
    error = [f"si_errno={errno}"] if errno else []
    return f"{{{', '.join([f'si_signo={signal_name(number)}', fields[0], *error, *fields[1:]])}}}"


def _body(number: int, code: int, data: bytes) -> list[str]:
    """Return the code, and the fields of the union that it selects."""
    if number == _SIGCHLD and _CLD_CODE.name(code):
        return [f"si_code={_CLD_CODE(code)}", *_child(code, data)]
    if number in _FAULT_CODES and _FAULT_CODES[number].name(code):
        address = int.from_bytes(data[:_ADDRESS_BYTES], "little")
        return [f"si_code={_FAULT_CODES[number](code)}", f"si_addr={address_text(address)}"]
    if number == _SIGIO and _POLL_CODE.name(code):
        band, fd = _SI_POLL.unpack_from(data)
        return [f"si_code={_POLL_CODE(code)}", f"si_band={band}", f"si_fd={fd}"]
    shown = _SI_CODE.name(code) or f"{unsigned_32(code):#x}"
    return [f"si_code={shown}", *_sender(code, data)]


def _child(code: int, data: bytes) -> list[str]:
    pid, uid, status, user, system = _SI_CHILD.unpack_from(data)
    shown = str(status) if code == _CLD_EXITED else signal_name(status)
    times = [f"si_utime={ticks(user)}", f"si_stime={ticks(system)}"]
    return [f"si_pid={pid}", f"si_uid={uid}", f"si_status={shown}", *times]


def _sender(code: int, data: bytes) -> list[str]:
    pid, uid, value = _SI_SENDER.unpack_from(data)
    with_value = [f"si_int={signed_32(value)}", f"si_ptr={address_text(value)}"]
    if code == _SI_TIMER:
        return [f"si_timerid={unsigned_32(pid):#x}", f"si_overrun={uid}", *with_value]
    sender = [f"si_pid={pid}", f"si_uid={uid}"]
    return [*sender, *with_value] if code and value else sender


def _info(call: TracedCall, _index: int, address: int) -> str:
    return siginfo(call, address)


PRINTERS = Printers(
    at_entry={
        Kind.SIGFRAME_IN: follow(_frame),
        Kind.SIGSET_IN: follow(_set),
        Kind.SIGACTION_IN: follow(_action),
        Kind.SIGINFO_IN: follow(_info),
        Kind.SIGALTSTACK_IN: follow(_stack),
    },
    at_exit={
        Kind.SIGSET_OUT: follow_on_success(_set),
        Kind.SIGACTION_OUT: follow_on_success(_action),
        Kind.SIGINFO_OUT: follow_on_success(_info),
        Kind.SIGALTSTACK_OUT: follow_on_success(_stack),
    },
)
