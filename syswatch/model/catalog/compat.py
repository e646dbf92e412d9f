"""Calls of 32-bit programs that correspond to a call of 64-bit programs."""

import re
from collections.abc import Iterable, Mapping

import attrs

from syswatch.model.catalog.entry import Syscall

# With wider numbers: of users, of positions in files, and of times.
_WIDER = """
    chown32 fchown32 fcntl64 fstat64 ftruncate64 getegid32 geteuid32 getgid32
    getgroups32 getresgid32 getresuid32 getuid32 lchown32 lstat64 sendfile64 setfsgid32
    setfsuid32 setgid32 setgroups32 setregid32 setresgid32 setresuid32 setreuid32 setuid32
    stat64 truncate64
    clock_getres_time64 clock_gettime64 clock_nanosleep_time64 clock_settime64 futex_time64
    mq_timedreceive_time64 mq_timedsend_time64 ppoll_time64 pselect6_time64 recvmmsg_time64
    rt_sigtimedwait_time64 sched_rr_get_interval_time64 semtimedop_time64 timer_gettime64
    timer_settime64 timerfd_gettime64 timerfd_settime64 utimensat_time64
"""
_SUFFIX = re.compile(r"_time64|32|64")
_MODELS: Mapping[str, str] = {
    **{name: _SUFFIX.sub("", name) for name in _WIDER.split()},
    "_newselect": "select",
    "fadvise64_64": "fadvise64",
    "fstatat64": "newfstatat",
    "mmap2": "mmap",
    "ugetrlimit": "getrlimit",
}


def model_of(name: str) -> str:
    """Return the corresponding call of 64-bit programs, or the name itself."""
    return _MODELS.get(name, name)


def names() -> Iterable[str]:
    """Return the names of the calls that correspond to a call of 64-bit programs."""
    return _MODELS.keys()


def derived(name: str, model: Syscall) -> Syscall:
    """Return the entry of a call from that of the corresponding call of 64-bit programs."""
    return attrs.evolve(
        model,
        name=name,
        signature=re.sub(rf"\b{model.name}\(", f"{name}(", model.signature),
        advice=f"Only 32-bit programs make this call. {model.advice}",
    )
