"""Calls that a program needs although a trace need not contain them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final


def _with_reason(calls: str, because: str) -> dict[str, str]:
    return dict.fromkeys(calls.split(), because)


# At every level: without these no program starts, handles a signal or ends.
ALWAYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **_with_reason("exit exit_group", "always needed: every program and thread ends with it"),
        **_with_reason(
            "rt_sigreturn sigreturn", "always needed: signal handlers return with this call"
        ),
        **_with_reason(
            "restart_syscall", "always needed: the kernel continues interrupted calls with it"
        ),
        **_with_reason(
            "execve", "always needed: what enforces the profile starts the program with this call"
        ),
    }
)

_ABORT: Final = "needed on errors: abort() of C libraries makes this call"
_MEMORY: Final = "needed on some inputs: malloc() and free() make this call"

# What happens when something fails or grows, which a trace of a good run does not contain.
ON_ERRORS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **_with_reason("getpid gettid tgkill rt_sigaction rt_sigprocmask", _ABORT),
        **_with_reason("write writev", "needed on errors: messages are written with this call"),
        **_with_reason("close", "needed on errors: what was opened is closed"),
        **_with_reason("brk madvise mremap munmap", _MEMORY),
        **_with_reason("futex", "needed on some runs: locks make this call only if they are taken"),
    }
)
