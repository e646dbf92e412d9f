"""ptrace, by which one process controls another, and kcmp, which compares two."""

import struct
from collections.abc import Callable, Sequence

from syswatch.model.symbols import enumeration, flags

from .names_processes import PTRACE_REQUEST
from .names_signals import signal_name
from .numbers import hexadecimal, signed_32, unsigned_64
from .signals import siginfo
from .structures import structure
from .traced_call import TracedCall, UnreadableError, address_text

_OPTIONS = flags(
    "PTRACE_O_???",
    """
    PTRACE_O_TRACESYSGOOD=1 PTRACE_O_TRACEFORK=2 PTRACE_O_TRACEVFORK=4 PTRACE_O_TRACECLONE=8
    PTRACE_O_TRACEEXEC=0x10 PTRACE_O_TRACEVFORKDONE=0x20 PTRACE_O_TRACEEXIT=0x40
    PTRACE_O_TRACESECCOMP=0x80 PTRACE_O_EXITKILL=0x100000 PTRACE_O_SUSPEND_SECCOMP=0x200000
    """,
)
_NOTE_TYPE = enumeration(
    "NT_???",
    "NT_PRSTATUS=1 NT_FPREGSET NT_PRPSINFO NT_TASKSTRUCT NT_AUXV=6 NT_X86_XSTATE=0x202 "
    "NT_PRXFPREG=0x46e62b7f NT_ARM_VFP=0x400 NT_ARM_TLS NT_ARM_HW_BREAK NT_ARM_HW_WATCH "
    "NT_ARM_SYSTEM_CALL",
)
_TRACEME = PTRACE_REQUEST["PTRACE_TRACEME"]
_PID_ONLY = PTRACE_REQUEST.numbers("PTRACE_KILL PTRACE_ATTACH PTRACE_INTERRUPT PTRACE_LISTEN")
# They resume the tracee, and can deliver a signal to it.
_RESUMES = PTRACE_REQUEST.numbers(
    """
    PTRACE_CONT PTRACE_SINGLESTEP PTRACE_DETACH PTRACE_SYSCALL PTRACE_SYSEMU
    PTRACE_SYSEMU_SINGLESTEP PTRACE_SINGLEBLOCK
    """
)
_SETS_OPTIONS = PTRACE_REQUEST.numbers("PTRACE_OLDSETOPTIONS PTRACE_SETOPTIONS PTRACE_SEIZE")
_REGISTER_SETS = PTRACE_REQUEST.numbers("PTRACE_GETREGSET PTRACE_SETREGSET")
_GETREGSET = PTRACE_REQUEST["PTRACE_GETREGSET"]
_GETREGS = PTRACE_REQUEST["PTRACE_GETREGS"]
_USER_REGISTERS = PTRACE_REQUEST.numbers("PTRACE_GETREGS PTRACE_SETREGS")
_NT_PRSTATUS = _NOTE_TYPE["NT_PRSTATUS"]
# The fields of struct user_regs_struct on x86_64.
_REGISTERS = (
    *("r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx"),
    *("rsi", "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds"),
    *("es", "fs", "gs"),
)
_ADDR_IS_SIZE = PTRACE_REQUEST.numbers(
    """
    PTRACE_GETSIGMASK PTRACE_SETSIGMASK PTRACE_SECCOMP_GET_FILTER PTRACE_GET_SYSCALL_INFO
    """
)
_REGISTER_BYTES = 8
_IOVEC = struct.Struct("<QQ")


def ptrace(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the arguments that the request takes, and what it returns."""
    request = call.unsigned_int(0)
    if request == _TRACEME:
        return texts[:1]
    if request in _PID_ONLY:
        return texts[:2]
    if request in _USER_REGISTERS and call.settings.architecture == "x86_64":
        return [*texts[:2], _user_registers(call, request)]
    if request in _ADDR_IS_SIZE:
        texts = [*texts[:2], str(unsigned_64(call.argument(2))), texts[3]]
    elif request in _REGISTER_SETS:
        texts = [*texts[:2], _NOTE_TYPE(call.argument(2)), texts[3]]
    try:
        return [*texts[:3], _data(call, request) or texts[3]]
    except UnreadableError:
        return texts


def _data(call: TracedCall, request: int) -> str:
    value = call.argument(3)
    if request in _RESUMES:
        return signal_name(value)
    if request in _SETS_OPTIONS:
        return _OPTIONS(value)
    show = _POINTEES.get(request)
    is_unset = call.failed and request not in _INPUTS
    return show(call, value) if show and value and not is_unset else ""


def _user_registers(call: TracedCall, request: int) -> str:
    address = call.argument(3)
    if not address or (call.failed and request == _GETREGS):
        return address_text(address)
    try:
        return _registers(call, address, _REGISTERS)
    except UnreadableError:
        return f"{address:#x}"


def _word(call: TracedCall, address: int) -> str:
    return f"[{address_text(call.pointer(address))}]"


def _message(call: TracedCall, address: int) -> str:
    return f"[{call.integer(address, call.settings.word_size, signed=False)}]"


def _register_set(call: TracedCall, address: int) -> str:
    if not call.settings.is_64_bit:
        raise UnreadableError
    base, length = call.unpack(_IOVEC, address)
    is_unset = call.failed and call.argument(0) == _GETREGSET
    if call.argument(2) != _NT_PRSTATUS or call.settings.architecture != "x86_64" or is_unset:
        return f"{{iov_base={address_text(base)}, iov_len={length}}}"
    names = _REGISTERS[: length // _REGISTER_BYTES]
    return f"{{iov_base={_registers(call, base, names)}, iov_len={length}}}"


def _registers(call: TracedCall, address: int, names: Sequence[str]) -> str:
    numbers = call.unpack(struct.Struct(f"<{len(names)}Q"), address)
    parts = (f"{name}={hexadecimal(n)}" for name, n in zip(names, numbers, strict=True))
    return f"{{{', '.join(parts)}}}"


# What the last argument points to.
_POINTEES: dict[int, Callable[[TracedCall, int], str]] = PTRACE_REQUEST.by_number(
    {
        "PTRACE_PEEKTEXT PTRACE_PEEKDATA PTRACE_PEEKUSER": _word,
        "PTRACE_GETEVENTMSG": _message,
        "PTRACE_GETSIGINFO PTRACE_SETSIGINFO": siginfo,
        "PTRACE_GETREGSET PTRACE_SETREGSET": _register_set,
    }
)
# They point to input, or to an iovec that is.
_INPUTS = PTRACE_REQUEST.numbers("PTRACE_SETSIGINFO PTRACE_GETREGSET PTRACE_SETREGSET")
_KCMP_TYPE = enumeration(
    "KCMP_???",
    "KCMP_FILE KCMP_VM KCMP_FILES KCMP_FS KCMP_SIGHAND KCMP_IO KCMP_SYSVSEM KCMP_EPOLL_TFD",
)
_SLOT = structure("<III", efd=str, tfd=str, toff=str)
_KCMP_FILE, _KCMP_EPOLL_TFD = _KCMP_TYPE["KCMP_FILE"], _KCMP_TYPE["KCMP_EPOLL_TFD"]


def kcmp(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the descriptors, if the type of comparison takes any."""
    kind, first, second = (call.argument(index) for index in (2, 3, 4))
    kind = signed_32(kind)
    name = _KCMP_TYPE(kind)
    if kind == _KCMP_FILE:
        return [*texts[:2], name, str(signed_32(first)), str(signed_32(second))]
    if kind == _KCMP_EPOLL_TFD:
        return [*texts[:2], name, str(signed_32(first)), _slot(call, second)]
    return [*texts[:2], name] if _KCMP_TYPE.name(kind) else [*texts[:2], name, *texts[3:]]


def _slot(call: TracedCall, address: int) -> str:
    try:
        return _SLOT.show(call, 4, address) if address else "NULL"
    except UnreadableError:
        return f"{address:#x}"
