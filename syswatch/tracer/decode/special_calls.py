"""Calls that strace prints in a way of their own: fewer arguments, or in another order."""

from collections.abc import Callable

from .ioctls import ioctl_argument
from .kernel_log import syslog
from .keys import keyctl
from .mounts import fsconfig
from .names_processes import CLONE_FLAGS, clone_flags
from .numbers import hexadecimal, signed_64
from .prctl import prctl_arguments
from .ptrace_calls import kcmp, ptrace
from .sandboxing import seccomp
from .signals import read_set
from .strings import string_text
from .traced_call import TracedCall, UnreadableError, address_text

# What makes the texts of all arguments; the plain ones are made already.
CallPrinter = Callable[[TracedCall, list[str]], list[str]]

_O_CREAT = 0x40
_CREATES = 0x400040  # O_CREAT, and the bit that makes O_TMPFILE one
_MREMAP_PLACED = 1 | 2
_FCNTL_WITHOUT = frozenset({1, 3, 9, 11, 1025, 1032, 1034})


def _open(call: TracedCall, texts: list[str]) -> list[str]:
    """Leave out the mode of a file that is not created."""
    flags_at = len(texts) - 2
    return texts if call.argument(flags_at) & _CREATES else texts[:-1]


def _fcntl(call: TracedCall, texts: list[str]) -> list[str]:
    return texts[:2] if call.argument(1) & 0xFFFFFFFF in _FCNTL_WITHOUT else texts


def _without_high_half(_call: TracedCall, texts: list[str]) -> list[str]:
    """Leave out the upper half of a position, which 64-bit programs do not have."""
    return [*texts[:4], *texts[5:]]


def _llseek(call: TracedCall, texts: list[str]) -> list[str]:
    """PointerPrinter as one number what is given in halves."""
    offset = call.argument(1) << 32 | call.argument(2) & 0xFFFFFFFF
    return [texts[0], str(signed_64(offset)), *texts[3:]]


def _mmap2(call: TracedCall, texts: list[str]) -> list[str]:
    """PointerPrinter in bytes what is given in pages."""
    return [*texts[:5], hexadecimal((call.argument(5) & 0xFFFFFFFF) << 12)]


def _mq_open(call: TracedCall, texts: list[str]) -> list[str]:
    """Leave out what a new queue would be like, where none is made."""
    return texts if call.argument(1) & _O_CREAT else texts[:2]


def _membarrier(_call: TracedCall, texts: list[str]) -> list[str]:
    """Leave out the processor, as strace does."""
    return texts[:2]


def _semctl(call: TracedCall, texts: list[str]) -> list[str]:
    """PointerPrinter the last argument as the address that it mostly is."""
    return [*texts[:3], address_text(call.argument(3))]


def _unshare(call: TracedCall, _texts: list[str]) -> list[str]:
    """Name every flag, since threads may stop sharing more than their namespaces."""
    return [CLONE_FLAGS(call.argument(0))]


def _epoll_pwait(call: TracedCall, texts: list[str]) -> list[str]:
    """PointerPrinter what a failed wait was given as addresses: strace reads it afterwards."""
    if not call.failed:
        return texts
    timeout = texts[3] if call.name == "epoll_pwait" else address_text(call.argument(3))
    return [*texts[:3], timeout, address_text(call.argument(4)), *texts[5:]]


def _mount(call: TracedCall, texts: list[str]) -> list[str]:
    """PointerPrinter as addresses what the kernel ignores, and the options of what it mounts."""
    kind, options = call.argument(2), call.argument(4)
    flag_bits = call.argument(3)
    if flag_bits & (_MS_REMOUNT | _MS_NOTHING_NEW):
        texts = [*texts[:2], address_text(kind), *texts[3:]]
    if options and not flag_bits & _MS_NOTHING_NEW:
        try:
            return [*texts[:4], string_text(call, options)]
        except UnreadableError:
            return texts
    return texts


_MS_REMOUNT = 0x20
# Binding, moving, and the four ways to share.
_MS_NOTHING_NEW = 0x1E3000


def _mremap(call: TracedCall, texts: list[str]) -> list[str]:
    return texts if call.argument(3) & _MREMAP_PLACED == _MREMAP_PLACED else texts[:4]


def _clone(call: TracedCall, _texts: list[str]) -> list[str]:
    """Name the arguments, whose order differs between architectures."""
    flag_bits = call.argument(0)
    thread, child = (4, 3) if call.settings.architecture == "x86_64" else (3, 4)
    shown = [f"child_stack={address_text(call.argument(1))}", f"flags={clone_flags(flag_bits)}"]
    if flag_bits & (_PARENT_SETTID | _PIDFD):
        shown.append(f"parent_tid={_tid(call, call.argument(2))}")
    if flag_bits & _SETTLS:
        shown.append(f"tls={address_text(call.argument(thread))}")
    if flag_bits & _CHILD_TID:
        shown.append(f"child_tidptr={address_text(call.argument(child))}")
    return shown


_PIDFD = 0x1000
_SETTLS = 0x80000
_PARENT_SETTID = 0x100000
_CHILD_TID = 0x1200000


def _tid(call: TracedCall, address: int) -> str:
    if call.failed or not address:
        return address_text(address)
    try:
        return f"[{call.integer(address)}]"
    except UnreadableError:
        return f"{address:#x}"


def _clone3(call: TracedCall, texts: list[str]) -> list[str]:
    """Add what the kernel has written through the addresses of the structure."""
    if call.failed or not texts[0].startswith("{"):
        return texts
    try:
        flag_bits = call.integer(call.argument(0), 8)
        parent_at = call.integer(call.argument(0) + 24, 8, signed=False)
    except UnreadableError:
        return texts
    if not flag_bits & _PARENT_SETTID:
        return texts
    return [f"{texts[0]} => {{parent_tid={_tid(call, parent_at)}}}", *texts[1:]]


def _futex(call: TracedCall, texts: list[str]) -> list[str]:
    """PointerPrinter the arguments that the operation has."""
    operation = call.argument(1) & 0x7F
    address, name, value, timeout, second, _ = texts
    third = _bits(call.argument(5) & 0xFFFFFFFF)
    count = str(call.argument(3) & 0xFFFFFFFF)
    last = str(call.argument(5) & 0xFFFFFFFF)
    wake = _wake_operation(call.argument(5) & 0xFFFFFFFF)
    shown = {
        0: [value, timeout],
        1: [value],
        2: [value],
        3: [value, count, second],
        4: [value, count, second, last],
        5: [value, count, second, wake],
        6: [timeout],
        7: [],
        8: [],
        9: [value, timeout, third],
        10: [value, third],
        11: [value, timeout, second],
        12: [value, count, second, last],
        13: [timeout],
    }.get(operation, [value, address_text(call.argument(3)), second, third])
    return [address, name, *shown]


def _bits(value: int) -> str:
    return "FUTEX_BITSET_MATCH_ANY" if value == _EVERY_BIT else hexadecimal(value)


_EVERY_BIT = 0xFFFFFFFF
_WAKE_OPERATIONS = ("SET", "ADD", "OR", "ANDN", "XOR")
_WAKE_COMPARISONS = ("EQ", "NE", "LT", "LE", "GT", "GE")


def _wake_operation(value: int) -> str:
    """Return the operation and the comparison that are packed into one number."""
    shift = "FUTEX_OP_OPARG_SHIFT<<28|" if value >> 31 else ""
    operation = value >> 28 & 7
    comparison = value >> 24 & 15
    first = _name("FUTEX_OP_", _WAKE_OPERATIONS, operation)
    second = _name("FUTEX_OP_CMP_", _WAKE_COMPARISONS, comparison)
    argument = hexadecimal(value >> 12 & 0xFFF)
    return f"{shift}{first}<<28|{argument}<<12|{second}<<24|{hexadecimal(value & 0xFFF)}"


def _name(prefix: str, names: tuple[str, ...], number: int) -> str:
    return prefix + names[number] if number < len(names) else f"{number:#x} /* {prefix}??? */"


def _pselect6(call: TracedCall, texts: list[str]) -> list[str]:
    """Follow the last argument to the set of signals and its size."""
    address = call.argument(5)
    if not address:
        return texts
    try:
        mask = call.pointer(address)
        size = call.pointer(address + call.settings.word_size)
        shown = read_set(call, mask) if mask else "NULL"
    except UnreadableError:
        return texts
    return [*texts[:5], f"{{sigmask={shown}, sigsetsize={size}}}"]


def _mknod(call: TracedCall, texts: list[str]) -> list[str]:
    """Leave out the device number of what is no device."""
    mode = call.argument(len(texts) - 2) & 0o170000
    return texts if mode in _DEVICES else texts[:-1]


_DEVICES = frozenset({0o020000, 0o060000})


def _arch_prctl(call: TracedCall, texts: list[str]) -> list[str]:
    if call.failed or call.argument(0) not in _ARCH_GETS:
        return texts
    try:
        return [texts[0], f"[{address_text(call.pointer(call.argument(1)))}]"]
    except UnreadableError:
        return texts


_ARCH_GETS = frozenset({0x1003, 0x1004})


def _reboot(call: TracedCall, texts: list[str]) -> list[str]:
    """PointerPrinter the command that only one way to start again takes."""
    address = call.argument(3)
    if call.argument(2) & 0xFFFFFFFF != _RESTART2:
        return texts[:3]
    try:
        return [*texts[:3], string_text(call, address)] if address else texts
    except UnreadableError:
        return texts


_RESTART2 = 0xA1B2C3D4


def _sigreturn(call: TracedCall, texts: list[str]) -> list[str]:
    """Leave out a frame of which nobody knows where it is."""
    return texts if call.argument(0) else []


def _ioctl(call: TracedCall, texts: list[str]) -> list[str]:
    return [*texts[:2], *ioctl_argument(call)]


SPECIAL_CALLS: dict[str, CallPrinter] = {
    "arch_prctl": _arch_prctl,
    "clone": _clone,
    "clone3": _clone3,
    "epoll_pwait": _epoll_pwait,
    "epoll_pwait2": _epoll_pwait,
    "fcntl": _fcntl,
    "_llseek": _llseek,
    "futex": _futex,
    "fsconfig": fsconfig,
    "ioctl": _ioctl,
    "kcmp": kcmp,
    "keyctl": keyctl,
    "membarrier": _membarrier,
    "mknod": _mknod,
    "mknodat": _mknod,
    "mmap2": _mmap2,
    "mount": _mount,
    "mq_open": _mq_open,
    "mremap": _mremap,
    "open": _open,
    "openat": _open,
    "prctl": prctl_arguments,
    "preadv2": _without_high_half,
    "pselect6": _pselect6,
    "ptrace": ptrace,
    "reboot": _reboot,
    "rt_sigreturn": _sigreturn,
    "seccomp": seccomp,
    "pwritev2": _without_high_half,
    "semctl": _semctl,
    "syslog": syslog,
    "unshare": _unshare,
}
