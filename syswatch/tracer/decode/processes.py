"""Processes (wait status, resource limits and usage) and the machine they run on."""

import struct
from collections.abc import Callable

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration

from .names_signals import signal_name, signal_number
from .quoting import quoted
from .times import read_pair, timeval
from .traced_call import (
    PointerPrinter,
    Printers,
    TracedCall,
    UnreadableError,
    follow,
    follow_on_success,
)

_RLIMITS = {8: struct.Struct("<QQ"), 4: struct.Struct("<II")}
_UTSNAME_BYTES = 65
_SYSINFO = struct.Struct("<q3Q6QH6xQQI")
# The bits of a wait status.
_TERMSIG, _COREDUMP, _EXIT_STATUS_SHIFT, _EVENT_SHIFT = 0x7F, 0x80, 8, 16
_STOPPED, _CONTINUED = 0x7F, 0xFFFF
_SIGTRAP = signal_number("TRAP")
# PTRACE_O_TRACESYSGOOD sets this bit of the signal of a system call stop.
_SYSGOOD = 0x80
_EVENTS = enumeration(
    "PTRACE_EVENT_???",
    """
    PTRACE_EVENT_FORK=1 PTRACE_EVENT_VFORK PTRACE_EVENT_CLONE PTRACE_EVENT_EXEC
    PTRACE_EVENT_VFORK_DONE PTRACE_EVENT_EXIT PTRACE_EVENT_SECCOMP PTRACE_EVENT_STOP=128
    """,
)
_KIB = 1024


def wait_status(status: int) -> str:
    """Return a wait status as the macros of the C library that it satisfies."""
    low = status & 0xFFFF
    event = status >> _EVENT_SHIFT
    rest = 0
    if low == _CONTINUED:
        text = "{WIFCONTINUED(s)}"
    elif low & 0xFF == _STOPPED:
        signal = low >> _EXIT_STATUS_SHIFT
        trap = f" | {_SYSGOOD:#x}" if signal == _SIGTRAP | _SYSGOOD else ""
        name = signal_name(_SIGTRAP) if trap else signal_name(signal)
        text = f"{{WIFSTOPPED(s) && WSTOPSIG(s) == {name}{trap}}}"
    elif low & _TERMSIG:
        core = " && WCOREDUMP(s)" if low & _COREDUMP else ""
        text = f"{{WIFSIGNALED(s) && WTERMSIG(s) == {signal_name(low & _TERMSIG)}{core}}}"
        rest = low & 0xFF00
    else:
        text = f"{{WIFEXITED(s) && WEXITSTATUS(s) == {low >> _EXIT_STATUS_SHIFT}}}"
    if event:
        text += f"|{_EVENTS(event)}<<16"
    return text + (f"|{rest:#x}" if rest else "")


def _status(call: TracedCall, _index: int, address: int) -> str:
    if not call.ret:  # No child has changed state.
        return f"{address:#x}"
    return f"[{wait_status(call.integer(address, signed=False))}]"


def _usage(call: TracedCall, _index: int, address: int) -> str:
    if call.name == "wait4" and not call.ret:
        return f"{address:#x}"
    user = timeval(*read_pair(call, address))
    system = timeval(*read_pair(call, address + 2 * call.settings.word_size))
    return f"{{ru_utime={user}, ru_stime={system}, ...}}"


def _limits(call: TracedCall, _index: int, address: int) -> str:
    # prlimit64 has 64 bits everywhere.
    wide = call.settings.is_64_bit or call.name == "prlimit64"
    layout = _RLIMITS[8 if wide else 4]
    soft, hard = (_limit(value, wide=wide) for value in call.unpack(layout, address))
    return f"{{rlim_cur={soft}, rlim_max={hard}}}"


def _limit(value: int, *, wide: bool) -> str:
    if value == (1 << (64 if wide else 32)) - 1:
        return "RLIM64_INFINITY" if wide else "RLIM_INFINITY"
    if value > _KIB and not value % _KIB:
        return f"{value // _KIB}*1024"
    return str(value)


def _names(call: TracedCall, _index: int, address: int) -> str:
    data = call.read(address, 2 * _UTSNAME_BYTES)
    system, node = (
        part.partition(b"\0")[0] for part in (data[:_UTSNAME_BYTES], data[_UTSNAME_BYTES:])
    )
    return f"{{sysname={quoted(system)}, nodename={quoted(node)}, ...}}"


def _system(call: TracedCall, _index: int, address: int) -> str:
    if not call.settings.is_64_bit:  # The layout differs.
        raise UnreadableError
    up, one, five, fifteen, *memory, processes, high, free_high, unit = call.unpack(
        _SYSINFO, address
    )
    names = ("totalram", "freeram", "sharedram", "bufferram", "totalswap", "freeswap")
    amounts = ", ".join(f"{name}={value}" for name, value in zip(names, memory, strict=True))
    return (
        f"{{uptime={up}, loads=[{one}, {five}, {fifteen}], {amounts}, procs={processes}, "
        f"totalhigh={high}, freehigh={free_high}, mem_unit={unit}}}"
    )


def _priority(call: TracedCall, _index: int, address: int) -> str:
    return f"[{call.integer(address)}]"


def _cpus(length_of: Callable[[TracedCall, int], int]) -> PointerPrinter:
    def show(call: TracedCall, index: int, address: int) -> str:
        length = length_of(call, index)
        data = call.read(address, length) if length > 0 else b""
        bits = int.from_bytes(data, "little")
        return f"[{' '.join(str(n) for n in range(8 * len(data)) if bits >> n & 1)}]"

    return show


_LARGEST_CPU_SET = 1024


def _length_before(call: TracedCall, index: int) -> int:
    return min(call.argument(index - 1), _LARGEST_CPU_SET)


def _length_returned(call: TracedCall, _index: int) -> int:
    return min(max(call.ret, 0), _LARGEST_CPU_SET)


PRINTERS = Printers(
    at_entry={
        Kind.RLIMIT_IN: follow(_limits),
        Kind.SCHED_PARAM_IN: follow(_priority),
        Kind.CPU_SET_IN: follow(_cpus(_length_before)),
    },
    at_exit={
        Kind.WAIT_STATUS_OUT: follow_on_success(_status),
        Kind.RUSAGE_OUT: follow_on_success(_usage),
        Kind.RLIMIT_OUT: follow_on_success(_limits),
        Kind.UTSNAME_OUT: follow_on_success(_names),
        Kind.SYSINFO_OUT: follow_on_success(_system),
        Kind.SCHED_PARAM_OUT: follow_on_success(_priority),
        Kind.CPU_SET_OUT: follow_on_success(_cpus(_length_returned)),
    },
)
