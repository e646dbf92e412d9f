"""
Calls that do the same work as others: C libraries and architectures choose between them.

A program that was seen to make one call of a group makes another one after its C library was
updated, or on another architecture.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from syswatch.base.classes import frozen
from syswatch.model.catalog import model_of

from .architectures import all_calls


@frozen
class Group:
    """Calls that replace one another, and why."""

    calls: frozenset[str]
    because: str


def _group(calls: str, because: str) -> Group:
    return Group(frozenset(calls.split()), because)


_OLD = "calls without 'at' exist only on older architectures"
_FLAGS = "the newer call takes flags, and C libraries use it for both"
_WIDTH = "32-bit programs have calls of their own for wider numbers"

_GROUPS: Final = (
    _group("open openat openat2 creat", f"C libraries open files with openat, and {_OLD}"),
    _group("fork vfork clone", "C libraries choose how to create processes"),
    _group(
        "stat lstat fstat newfstatat fstatat64 statx oldstat oldlstat oldfstat",
        "stat() of C libraries is newfstatat, statx or stat, by version and architecture",
    ),
    _group("statfs statfs64", _WIDTH),
    _group("fstatfs fstatfs64", _WIDTH),
    _group("access faccessat faccessat2", f"access() may be faccessat or faccessat2; {_OLD}"),
    _group("readlink readlinkat", _OLD),
    _group("mkdir mkdirat", _OLD),
    _group("rmdir unlink unlinkat", _OLD),
    _group("rename renameat renameat2", _OLD),
    _group("link linkat", _OLD),
    _group("symlink symlinkat", _OLD),
    _group("mknod mknodat", _OLD),
    _group("chmod fchmodat fchmodat2", f"chmod() may be fchmodat or fchmodat2; {_OLD}"),
    _group("chown lchown fchownat", _OLD),
    _group("utime utimes futimesat utimensat", "C libraries set file times with utimensat"),
    _group("dup2 dup3", f"dup2 exists only on older architectures; {_FLAGS}"),
    _group("pipe pipe2", f"pipe exists only on older architectures; {_FLAGS}"),
    _group("accept accept4", _FLAGS),
    _group("getdents getdents64", "readdir() of C libraries uses getdents64"),
    _group("poll ppoll", "poll() is ppoll on newer architectures"),
    _group("select pselect6", "select() is pselect6 on newer architectures"),
    _group(
        "epoll_wait epoll_pwait epoll_pwait2",
        "epoll_wait() is epoll_pwait on newer architectures",
    ),
    _group("epoll_create epoll_create1", _FLAGS),
    _group("eventfd eventfd2", _FLAGS),
    _group("signalfd signalfd4", _FLAGS),
    _group("inotify_init inotify_init1", _FLAGS),
    _group("send sendto", "send() is sendto on most architectures"),
    _group("recv recvfrom", "recv() is recvfrom on most architectures"),
    _group("preadv preadv2", "preadv2() of C libraries is preadv without flags"),
    _group("pwritev pwritev2", "pwritev2() of C libraries is pwritev without flags"),
    _group(
        "copy_file_range sendfile",
        "what copies files uses one where the other is not possible, by version and file system",
    ),
    _group("getrlimit setrlimit prlimit64", "C libraries use prlimit64 for all limits"),
    _group("lseek _llseek", _WIDTH),
    _group("sync_file_range sync_file_range2", "architectures order its arguments differently"),
    _group("waitpid wait4", "waitpid exists only on older architectures"),
    _group("pause ppoll", "pause() is ppoll on newer architectures"),
    _group("alarm setitimer", "alarm() is setitimer on newer architectures"),
    _group("getpgrp getpgid", "getpgrp() is getpgid on newer architectures"),
    _group(
        "clock_gettime gettimeofday time",
        "these make no system call where the vDSO works, and one where it does not",
    ),
    _group("clock_getres clock_gettime", "the vDSO may not know a clock"),
    _group("nanosleep clock_nanosleep", "nanosleep() of C libraries is clock_nanosleep"),
    _group("sigaction rt_sigaction", "rt_ is the form with more signals"),
    _group("sigprocmask rt_sigprocmask", "rt_ is the form with more signals"),
    _group("sigsuspend rt_sigsuspend", "rt_ is the form with more signals"),
    _group("sigpending rt_sigpending", "rt_ is the form with more signals"),
    _group("tkill tgkill", "C libraries signal threads with tgkill"),
    _group("uname olduname oldolduname", "older 32-bit programs use the older form"),
    _group("semop semtimedop", "semop() is semtimedop on some architectures"),
    _group("set_thread_area arch_prctl", "both set the thread pointer, by architecture"),
    _group("umount umount2", _FLAGS),
    _group(
        "set_tid_address set_robust_list rseq",
        "glibc calls all three when a thread starts, by version",
    ),
)


@cache
def groups() -> tuple[Group, ...]:
    """Return all groups: those of the table, and the calls that 32-bit programs have instead."""
    return (*_GROUPS, *_wider())


def equivalents(call: str) -> Mapping[str, str]:
    """Return the calls that may replace one, directly or through others, each with a reason."""
    found: dict[str, str] = {}
    reached = {call}
    ahead = [call]
    while ahead:
        current = ahead.pop()
        for group in _groups_of().get(current, ()):
            for other in sorted(group.calls - reached):
                found[other] = group.because
                ahead.append(other)
            reached |= group.calls
    return found


@cache
def _groups_of() -> Mapping[str, tuple[Group, ...]]:
    of: dict[str, tuple[Group, ...]] = {}
    for group in groups():
        for call in group.calls:
            of[call] = (*of.get(call, ()), group)
    return of


def _wider() -> Iterator[Group]:
    """Yield a group for each call that 32-bit programs make by another name."""
    by_model: dict[str, set[str]] = {}
    for call in all_calls():
        by_model.setdefault(model_of(call), set()).add(call)
    for model, calls in sorted(by_model.items()):
        if calls != {model}:
            yield Group(frozenset(calls | {model}), _WIDTH)
