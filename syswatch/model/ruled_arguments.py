"""
Arguments that rules for calls depend on: which they are, and which of their bits.

A seccomp filter sees the registers of a call and can't read memory.  So a pointer is never listed,
and `clone3` and the calls that `io_uring` makes have no entry.  Lengths, descriptors and process
IDs differ from run to run and are not listed either.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from syswatch.base.classes import frozen

# The kernel ignores the upper half of the register of an `int`, where anything may be.
_INT: Final = 0xFFFF_FFFF
# Without SOCK_NONBLOCK and SOCK_CLOEXEC, which give no access to anything.
SOCKET_TYPE: Final = 0xF
PROT_WRITE: Final = 2
PROT_EXEC: Final = 4
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET.  The other flags of `clone`
# say how threads and processes are made, which differs between versions of the C library.
NEW_NAMESPACES: Final = 0x7E02_0000
# In the flags of `clone`, this bit is part of the signal.
CLONE_NEWTIME: Final = 0x80
SHM_EXEC: Final = 0o100000


@frozen
class RuledArgument:
    """An argument by its position, from 0; its bits that matter; what it is."""

    position: int
    mask: int
    meaning: str

    def value(self, register: int) -> int:
        """Return the bits that matter."""
        return register & self.mask


_PROTECTION: Final = (RuledArgument(2, PROT_WRITE | PROT_EXEC, "protection"),)
_SOCKET: Final = (
    RuledArgument(0, _INT, "address family"),
    RuledArgument(1, SOCKET_TYPE, "socket type"),
    RuledArgument(2, _INT, "protocol"),
)
_OPTION: Final = (RuledArgument(1, _INT, "level"), RuledArgument(2, _INT, "option"))
_NAMESPACES: Final = NEW_NAMESPACES | CLONE_NEWTIME

_RULED: Mapping[str, Sequence[RuledArgument]] = {
    "bpf": (RuledArgument(0, _INT, "command"),),
    "clone": (RuledArgument(0, NEW_NAMESPACES, "namespaces"),),
    "fcntl": (RuledArgument(1, _INT, "command"),),
    "fcntl64": (RuledArgument(1, _INT, "command"),),
    "getsockopt": _OPTION,
    "ioctl": (RuledArgument(1, _INT, "request"),),
    "ipc": (RuledArgument(0, _INT, "call"),),
    "keyctl": (RuledArgument(0, _INT, "command"),),
    "mmap": _PROTECTION,
    "mmap2": _PROTECTION,
    "mprotect": _PROTECTION,
    "personality": (RuledArgument(0, _INT, "persona"),),
    "pkey_mprotect": _PROTECTION,
    "prctl": (RuledArgument(0, _INT, "option"),),
    "setns": (RuledArgument(1, _NAMESPACES, "namespaces"),),
    "setsockopt": _OPTION,
    "shmat": (RuledArgument(2, SHM_EXEC, "executable"),),
    "socket": _SOCKET,
    "socketcall": (RuledArgument(0, _INT, "call"),),
    "socketpair": _SOCKET,
    "unshare": (RuledArgument(0, _NAMESPACES, "namespaces"),),
}
MOST_RULED: Final = max(map(len, _RULED.values()))
HIGHEST_VALUE: Final = max(each.mask for ruled in _RULED.values() for each in ruled)
# The calls whose arguments are in memory on this architecture.
_IN_MEMORY: Mapping[str, frozenset[str]] = {"i386": frozenset({"mmap"})}


def ruled_arguments(call: str, architecture: str) -> Sequence[RuledArgument]:
    """Return the arguments of a call that rules can depend on."""
    if call in _IN_MEMORY.get(architecture, ()):
        return ()
    return _RULED.get(call, ())


def ruled_calls() -> frozenset[str]:
    """Return the names of the calls that have such arguments on some architecture."""
    return frozenset(_RULED)


def ruled_values(call: str, architecture: str, registers: Sequence[int]) -> tuple[int, ...]:
    """Return the values of those arguments, from the six registers of the arguments."""
    return tuple(
        ruled.value(registers[ruled.position]) for ruled in ruled_arguments(call, architecture)
    )
