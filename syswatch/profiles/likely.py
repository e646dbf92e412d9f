"""Calls that a program is likely to make, by the functions that it takes from the C library."""

from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from syswatch.base.classes import frozen

from .architectures import all_calls
from .dangers import is_dangerous

_OPEN = "openat close newfstatat fstat"
_FILE = f"{_OPEN} read write lseek fcntl"
_SPAWN = "clone vfork execve wait4 pipe2 dup2 close rt_sigprocmask rt_sigaction"
_RESOLVE = (
    f"{_OPEN} read socket connect bind sendto sendmmsg recvfrom recvmsg poll getsockname"
    " setsockopt getpeername uname ioctl"
)

# Functions that make calls with other names. Those with the name of a call make that one.
_MADE_BY: Final[Mapping[str, str]] = {
    "fopen": _FILE,
    "fopen64": _FILE,
    "freopen": _FILE,
    "fread": "read",
    "fwrite": "write",
    "printf": "write",
    "fflush": "write",
    "open64": "openat",
    "openat64": "openat",
    "fdopendir": "getdents64 fcntl",
    "opendir": f"{_OPEN} getdents64",
    "readdir": "getdents64",
    "readdir64": "getdents64",
    "stat64": "newfstatat",
    "lstat64": "newfstatat",
    "fstat64": "newfstatat fstat",
    "tmpfile": f"{_FILE} unlink getrandom",
    "mkstemp": "openat getrandom",
    "mkstemp64": "openat getrandom",
    "remove": "unlink rmdir",
    "realpath": "readlink newfstatat getcwd",
    "pread": "pread64",
    "pwrite": "pwrite64",
    "lockf": "fcntl",
    "ftruncate64": "ftruncate",
    "posix_fallocate": "fallocate",
    "isatty": "ioctl",
    "tcgetattr": "ioctl",
    "tcsetattr": "ioctl",
    "system": _SPAWN,
    "popen": _SPAWN,
    "posix_spawn": _SPAWN,
    "posix_spawnp": _SPAWN,
    "execvp": "execve",
    "execv": "execve",
    "execl": "execve",
    "wait": "wait4",
    "waitpid": "wait4",
    "pthread_create": "clone clone3 mmap mprotect futex set_robust_list rseq madvise",
    "pthread_mutex_lock": "futex",
    "pthread_cond_wait": "futex",
    "sem_wait": "futex",
    "pthread_kill": "tgkill",
    "raise": "tgkill gettid getpid",
    "sleep": "clock_nanosleep",
    "usleep": "clock_nanosleep",
    "sigaction": "rt_sigaction",
    "signal": "rt_sigaction",
    "sigprocmask": "rt_sigprocmask",
    "sigwait": "rt_sigtimedwait",
    "sysconf": "openat read sched_getaffinity prlimit64 sysinfo",
    "getaddrinfo": _RESOLVE,
    "gethostbyname": _RESOLVE,
    "getpwnam": f"{_RESOLVE} mmap",
    "getpwuid": f"{_RESOLVE} mmap",
    "syslog": "socket connect sendto",
    "gethostname": "uname",
    "if_nametoindex": "socket ioctl",
    "getifaddrs": "socket bind getsockname sendto recvmsg",
    "shm_open": "openat",
    "mq_receive": "mq_timedreceive",
    "mq_send": "mq_timedsend",
    "aio_read": "clone clone3 futex pread64",
    "dlopen": f"{_OPEN} read mmap mprotect munmap",
    "timer_create": "timer_create rt_sigprocmask",
    "sendfile64": "sendfile",
    "eventfd": "eventfd2",
    "signalfd": "signalfd4",
}


@frozen
class Likely:
    """Calls with a reason for each, and sentences on why some may be missing."""

    calls: Mapping[str, str] = attrs.field(factory=dict)
    notes: tuple[str, ...] = ()


def likely_calls(functions: Iterable[str], program: str) -> Mapping[str, str]:
    """
    Return the calls that the functions make, with the reason for each.

    Calls that weaken a sandbox are left out: people decide about them when they are seen.
    """
    found: dict[str, str] = {}
    for function in sorted(functions):
        own = function if function in all_calls() else ""
        for call in _MADE_BY.get(function, own).split():
            if not is_dangerous(call):
                found.setdefault(call, f"likely: {program} imports {function}()")
    return found
