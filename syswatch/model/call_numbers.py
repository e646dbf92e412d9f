"""Numbers and names of system calls, for each architecture that can be traced."""

import importlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

# Numbers of calls that kernels have removed or never had, which the table package omits. They stay
# reserved: a program that still makes such a call means that one, and gets ENOSYS.
_REMOVED: Mapping[str, Mapping[str, int]] = {
    "x86_64": {
        "uselib": 134,
        "_sysctl": 156,
        "create_module": 174,
        "get_kernel_syms": 177,
        "query_module": 178,
        "nfsservctl": 180,
        "getpmsg": 181,
        "putpmsg": 182,
        "afs_syscall": 183,
        "tuxcall": 184,
        "security": 185,
        "vserver": 236,
    },
    "aarch64": {"nfsservctl": 42},
    "i386": {
        "break": 17,
        "stty": 31,
        "gtty": 32,
        "ftime": 35,
        "prof": 44,
        "lock": 53,
        "mpx": 56,
        "ulimit": 58,
        "uselib": 86,
        "profil": 98,
        "idle": 112,
        "create_module": 127,
        "get_kernel_syms": 130,
        "bdflush": 134,
        "afs_syscall": 137,
        "_sysctl": 149,
        "query_module": 167,
        "nfsservctl": 169,
        "getpmsg": 188,
        "putpmsg": 189,
        "vserver": 273,
    },
}
# Architectures as `uname -m` names them, and as the table package does.
_TABLE_OF = {"x86_64": "x86_64", "aarch64": "arm64", "i386": "i386"}


def names(architecture: str) -> Mapping[int, str]:
    """Return the calls of an architecture by number; raise KeyError for an unknown one."""
    return _names(architecture)


def name_of(number: int, architecture: str) -> str | None:
    """Return the name of a call number, or None if the kernel has no such call."""
    return _names(architecture).get(number)


def number_of(name: str, architecture: str) -> int | None:
    """Return the number of a call, or None if the architecture does not have it."""
    return _numbers(architecture).get(name)


@cache
def table_names() -> frozenset[str]:
    """Return the name of every call that any of the traceable architectures has."""
    return frozenset[str]().union(*(_numbers(architecture) for architecture in _TABLE_OF))


@cache
def _names(architecture: str) -> Mapping[int, str]:
    return MappingProxyType({number: name for name, number in _numbers(architecture).items()})


@cache
def _numbers(architecture: str) -> Mapping[str, int]:
    # The package's own interface loads the table of this machine, but a log may be of another.
    table = _TABLE_OF[architecture]
    module = importlib.import_module(f"system_calls.tables.{table}")
    numbers: dict[str, int] = getattr(module, f"syscalls_{table}")
    return MappingProxyType({**_REMOVED[architecture], **numbers})
