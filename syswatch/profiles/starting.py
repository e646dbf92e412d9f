"""
Calls that container runtimes make between loading a profile and starting the program.

A trace of the program does not contain them, and a container does not start without them.  The
arguments are limited where that matters; what opens files and creates threads is not the program.
"""

from collections.abc import Mapping
from typing import Final

from syswatch.model.merging import merge
from syswatch.model.ruled_arguments import NEW_NAMESPACES, PROT_WRITE

from .architectures import known_calls
from .conditions import INT_BITS, Condition, Operator, without_bits
from .profile import Profile, Reasons, Rule

_CALLS: Final[Mapping[str, str]] = {
    "close close_range dup3 fcntl fstat fstatfs getdents64 lseek newfstatat openat openat2 read"
    " readlinkat statx write": "closes what the program shall not have, and waits for the start",
    "chdir faccessat2 getcwd getpid getppid stat": "finds the program and its directory",
    "capget capset fchown setgid setgroups setresgid setresuid setuid": "gives up rights",
    "epoll_create1 epoll_ctl epoll_pwait futex gettid madvise munmap nanosleep pipe2 rt_sigaction"
    " rt_sigprocmask rt_sigreturn sched_yield sigaltstack tgkill": "is written in Go, whose"
    " threads and collection of garbage make this call at any time",
}
# PR_CAPBSET_READ and DROP, PR_SET_KEEPCAPS, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_SET_PDEATHSIG,
# PR_GET_DUMPABLE and PR_SET_DUMPABLE.
_OPTIONS: Final = (1, 3, 4, 8, 23, 24, 38, 47)
_BECAUSE: Final = "needed by container runtimes: one of them"


def startable(profile: Profile) -> Profile:
    """Return a profile under which a container runtime can start the program."""
    known = known_calls(profile.architectures)
    added = {rule: why for rule, why in _RULES.items() if rule.call in known}
    return Profile(
        merge(profile.rules, added, Reasons.__add__), profile.architectures, profile.default
    )


def _equal(index: int, value: int) -> tuple[Condition, ...]:
    return (Condition(index, Operator.MASKED_EQ, value, INT_BITS),)


def _reason(text: str) -> Reasons:
    return Reasons(sentences={f"{_BECAUSE} {text}"})


_GO: Final = _reason("is written in Go, which creates threads and maps memory at any time")
_RULES: Final[Mapping[Rule, Reasons]] = {
    **{Rule(call): _reason(why) for calls, why in _CALLS.items() for call in calls.split()},
    **{Rule("prctl", _equal(0, option)): _reason("gives up rights") for option in _OPTIONS},
    Rule("clone", (without_bits(0, NEW_NAMESPACES),)): _GO,
    **{
        Rule("mmap", (Condition(2, Operator.MASKED_EQ, protection, PROT_WRITE | 4),)): _GO
        for protection in (0, PROT_WRITE)
    },
}
