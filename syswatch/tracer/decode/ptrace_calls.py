"""What one process does to another, and compares of others: ptrace, kcmp."""

import struct
from collections.abc import Callable, Sequence

from .names_signals import signal_name
from .numbers import hexadecimal, signed_32, unsigned_64
from .signals import siginfo
from .structures import structure
from .symbols import enumeration, flags
from .traced_call import TracedCall, UnreadableError, address_text

_OPTIONS = flags(
    "PTRACE_O_???",
    """
    PTRACE_O_TRACESYSGOOD=1 PTRACE_O_TRACEFORK=2 PTRACE_O_TRACEVFORK=4 PTRACE_O_TRACECLONE=8
    PTRACE_O_TRACEEXEC=0x10 PTRACE_O_TRACEVFORKDONE=0x20 PTRACE_O_TRACEEXIT=0x40
    PTRACE_O_TRACESECCOMP=0x80 PTRACE_O_EXITKILL=0x100000 PTRACE_O_SUSPEND_SECCOMP=0x200000
    """,
)
_NOTES = enumeration(
    "NT_???",
    "NT_PRSTATUS=1 NT_FPREGSET NT_PRPSINFO NT_TASKSTRUCT NT_AUXV=6 NT_X86_XSTATE=0x202 "
    "NT_PRXFPREG=0x46e62b7f NT_ARM_VFP=0x400 NT_ARM_TLS NT_ARM_HW_BREAK NT_ARM_HW_WATCH "
    "NT_ARM_SYSTEM_CALL",
)
_NOTHING = frozenset({0})
_PROCESS_ONLY = frozenset({8, 16, 0x4207, 0x4208})
# They go on, and may be given a signal to deliver.
_RESUMES = frozenset({7, 9, 17, 24, 31, 32, 33})
_SETS_OPTIONS = frozenset({21, 0x4200, 0x4206})
_REGISTER_SETS = frozenset({0x4204, 0x4205})
_GET_SET = 0x4204
_GET_GENERAL = 12
_GENERAL_REGISTERS = frozenset({_GET_GENERAL, 13})
_GENERAL = 1
_REGISTERS = (
    *("r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx"),
    *("rsi", "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base", "ds"),
    *("es", "fs", "gs"),
)
_NUMBER_THEN_ADDRESS = frozenset({0x420A, 0x420B, 0x420C, 0x420E})
_VECTOR = struct.Struct("<QQ")


def ptrace(call: TracedCall, texts: list[str]) -> list[str]:
    """PointerPrinter what the request is given, and what it answers."""
    request = call.argument(0) & 0xFFFFFFFF
    if request in _NOTHING:
        return texts[:1]
    if request in _PROCESS_ONLY:
        return texts[:2]
    if request in _GENERAL_REGISTERS and call.settings.architecture == "x86_64":
        return [*texts[:2], _general(call, request)]
    if request in _NUMBER_THEN_ADDRESS:
        texts = [*texts[:2], str(unsigned_64(call.argument(2))), texts[3]]
    elif request in _REGISTER_SETS:
        texts = [*texts[:2], _NOTES(call.argument(2)), texts[3]]
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
    show = _BEHIND.get(request)
    unseen = call.failed and request not in _SHOWN_ALWAYS
    return show(call, value) if show and value and not unseen else ""


def _general(call: TracedCall, request: int) -> str:
    address = call.argument(3)
    if not address or (call.failed and request == _GET_GENERAL):
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
    base, length = call.unpack(_VECTOR, address)
    unseen = call.failed and call.argument(0) == _GET_SET
    if call.argument(2) != _GENERAL or call.settings.architecture != "x86_64" or unseen:
        return f"{{iov_base={address_text(base)}, iov_len={length}}}"
    names = _REGISTERS[: length // 8]
    return f"{{iov_base={_registers(call, base, names)}, iov_len={length}}}"


def _registers(call: TracedCall, address: int, names: Sequence[str]) -> str:
    data = call.read(address, 8 * len(names))
    numbers = struct.unpack(f"<{len(names)}Q", data)
    parts = (f"{name}={hexadecimal(n)}" for name, n in zip(names, numbers, strict=True))
    return f"{{{', '.join(parts)}}}"


# What is behind the last argument.
_BEHIND: dict[int, Callable[[TracedCall, int], str]] = {
    **dict.fromkeys((1, 2, 3), _word),
    0x4201: _message,
    0x4202: siginfo,
    0x4203: siginfo,
    0x4204: _register_set,
    0x4205: _register_set,
}
_SHOWN_ALWAYS = frozenset({0x4203, 0x4204, 0x4205})
_COMPARED = enumeration(
    "KCMP_???",
    "KCMP_FILE KCMP_VM KCMP_FILES KCMP_FS KCMP_SIGHAND KCMP_IO KCMP_SYSVSEM KCMP_EPOLL_TFD",
)
_SLOT = structure("<III", efd=str, tfd=str, toff=str)
_FILE, _EPOLL = 0, 7


def kcmp(call: TracedCall, texts: list[str]) -> list[str]:
    """PointerPrinter the descriptors that are compared, where any are."""
    kind, first, second = (call.argument(index) for index in (2, 3, 4))
    kind = signed_32(kind)
    name = _COMPARED(kind)
    if kind == _FILE:
        return [*texts[:2], name, str(signed_32(first)), str(signed_32(second))]
    if kind == _EPOLL:
        return [*texts[:2], name, str(signed_32(first)), _slot(call, second)]
    return [*texts[:2], name] if _COMPARED.name(kind) else [*texts[:2], name, *texts[3:]]


def _slot(call: TracedCall, address: int) -> str:
    try:
        return _SLOT.show(call, 4, address) if address else "NULL"
    except UnreadableError:
        return f"{address:#x}"
