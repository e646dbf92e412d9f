"""Calls whose list of arguments depends on their values: strace omits or rearranges some."""

from collections.abc import Callable

from .clone import clone, clone3
from .fcntl_command import NO_ARGUMENT as FCNTL_WITHOUT_ARGUMENT
from .futex import futex
from .ioctls import ioctl_argument
from .kernel_log import syslog
from .keys import keyctl
from .mounts import fsconfig
from .names_files import CREATES_FILE, MOUNT_FLAGS, O_CREAT
from .names_memory import MREMAP_FLAGS
from .names_misc import REBOOT_COMMAND
from .names_processes import ARCH_PRCTL_OPTION, CLONE_FLAGS
from .numbers import hexadecimal, is_device, signed_64
from .prctl import prctl_arguments
from .ptrace_calls import kcmp, ptrace
from .sandboxing import seccomp
from .signals import read_set
from .strings import string_text
from .traced_call import TracedCall, UnreadableError, address_text

# Returns the texts of all arguments, given those of the plain printers.
CallPrinter = Callable[[TracedCall, list[str]], list[str]]

_NEW_ADDRESS = MREMAP_FLAGS.mask("MREMAP_MAYMOVE MREMAP_FIXED")
_MS_REMOUNT = MOUNT_FLAGS["MS_REMOUNT"]
# These change mounts that exist, so file system type and options are ignored.
_CHANGES_MOUNT = MOUNT_FLAGS.mask("MS_BIND MS_MOVE MS_UNBINDABLE MS_PRIVATE MS_SLAVE MS_SHARED")
_ARCH_GETS = ARCH_PRCTL_OPTION.numbers("ARCH_GET_FS ARCH_GET_GS")
_RESTART2 = REBOOT_COMMAND["LINUX_REBOOT_CMD_RESTART2"]
# The page size on i386, the only architecture here with mmap2.
_PAGE_SHIFT = 12


def _open(call: TracedCall, texts: list[str]) -> list[str]:
    """Omit the mode if no file is created."""
    flags_at = len(texts) - 2
    return texts if call.argument(flags_at) & CREATES_FILE else texts[:-1]


def _fcntl(call: TracedCall, texts: list[str]) -> list[str]:
    return texts[:2] if call.unsigned_int(1) in FCNTL_WITHOUT_ARGUMENT else texts


def _without_high_half(_call: TracedCall, texts: list[str]) -> list[str]:
    """Omit the upper half of the position, which 64-bit programs do not have."""
    return [*texts[:4], *texts[5:]]


def _llseek(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the two halves of the offset as one number."""
    offset = call.argument(1) << 32 | call.unsigned_int(2)
    return [texts[0], str(signed_64(offset)), *texts[3:]]


def _mmap2(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the offset in bytes; it is passed in pages."""
    return [*texts[:5], hexadecimal((call.unsigned_int(5)) << _PAGE_SHIFT)]


def _mq_open(call: TracedCall, texts: list[str]) -> list[str]:
    """Omit the mode and the attributes if no queue is created."""
    return texts if call.argument(1) & O_CREAT else texts[:2]


def _membarrier(_call: TracedCall, texts: list[str]) -> list[str]:
    """Omit the CPU, as strace does."""
    return texts[:2]


def _semctl(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the last argument as an address, as strace does."""
    return [*texts[:3], address_text(call.argument(3))]


def _unshare(call: TracedCall, _texts: list[str]) -> list[str]:
    """Name all flags of clone: a thread can unshare more than namespaces."""
    return [CLONE_FLAGS(call.argument(0))]


def _epoll_pwait(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the input of a failed call as addresses, since strace reads it at the exit only."""
    if not call.failed:
        return texts
    timeout = texts[3] if call.name == "epoll_pwait" else address_text(call.argument(3))
    return [*texts[:3], timeout, address_text(call.argument(4)), *texts[5:]]


def _mount(call: TracedCall, texts: list[str]) -> list[str]:
    """Print arguments that the kernel ignores as addresses, and options as text."""
    kind, options = call.argument(2), call.argument(4)
    flag_bits = call.argument(3)
    if flag_bits & (_MS_REMOUNT | _CHANGES_MOUNT):
        texts = [*texts[:2], address_text(kind), *texts[3:]]
    if options and not flag_bits & _CHANGES_MOUNT:
        try:
            return [*texts[:4], string_text(call, options)]
        except UnreadableError:
            return texts
    return texts


def _mremap(call: TracedCall, texts: list[str]) -> list[str]:
    return texts if call.argument(3) & _NEW_ADDRESS == _NEW_ADDRESS else texts[:4]


def _pselect6(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the signal set and its size, to which the last argument points."""
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
    """Omit the device number if no device is created."""
    return texts if is_device(call.argument(len(texts) - 2)) else texts[:-1]


def _arch_prctl(call: TracedCall, texts: list[str]) -> list[str]:
    if call.failed or call.argument(0) not in _ARCH_GETS:
        return texts
    try:
        return [texts[0], f"[{address_text(call.pointer(call.argument(1)))}]"]
    except UnreadableError:
        return texts


def _reboot(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the argument, which only LINUX_REBOOT_CMD_RESTART2 takes."""
    address = call.argument(3)
    if call.unsigned_int(2) != _RESTART2:
        return texts[:3]
    try:
        return [*texts[:3], string_text(call, address)] if address else texts
    except UnreadableError:
        return texts


def _sigreturn(call: TracedCall, texts: list[str]) -> list[str]:
    """Omit the frame if its address is unknown."""
    return texts if call.argument(0) else []


def _ioctl(call: TracedCall, texts: list[str]) -> list[str]:
    return [*texts[:2], *ioctl_argument(call)]


SPECIAL_CALLS: dict[str, CallPrinter] = {
    "arch_prctl": _arch_prctl,
    "clone": clone,
    "clone3": clone3,
    "epoll_pwait": _epoll_pwait,
    "epoll_pwait2": _epoll_pwait,
    "fcntl": _fcntl,
    "_llseek": _llseek,
    "futex": futex,
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
