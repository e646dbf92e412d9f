"""Calls that only 32-bit programs make; most correspond to a call of 64-bit programs."""

import re
from collections.abc import Iterator, Mapping

import attrs

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import Syscall, call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

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

CALLS = (
    call(
        "_llseek",
        Category.IO,
        "Move the 64-bit file offset, for a 32-bit program",
        "int _llseek(unsigned int fd, unsigned long offset_high, unsigned long offset_low, "
        "loff_t *result, unsigned int whence)",
        kinds=(Kind.FD, Kind.UINT, Kind.UINT, Kind.OFFSET_OUT, Kind.SEEK_WHENCE),
        returns="0; the new offset is stored where the fourth argument points",
        errnos={
            "EBADF": "no such open descriptor",
            "EINVAL": "an unknown whence, or the result would be negative",
            "ESPIPE": "pipes and sockets have no position",
        },
        advice="As lseek. pread64 and pwrite64 avoid it.",
    ),
    call(
        "nice",
        Category.PROC,
        "Change the priority of the calling process",
        "int nice(int inc)",
        kinds=(Kind.INT,),
        returns="0",
        errnos={"EPERM": "only the privileged may raise a priority"},
        advice="Harmless. Replaced by setpriority.",
    ),
    call(
        "statfs64",
        Category.FS,
        "Get the size and the free space of a file system, for a 32-bit program",
        "int statfs64(const char *path, size_t sz, struct statfs64 *buf)",
        kinds=(Kind.PATH, Kind.SIZE, Kind.STATFS_OUT),
        returns="0",
        errnos={"ENOENT": "the path does not exist"},
        advice="As statfs.",
    ),
    call(
        "fstatfs64",
        Category.FS,
        "Get the size and the free space of an open file's file system, for a 32-bit program",
        "int fstatfs64(int fd, size_t sz, struct statfs64 *buf)",
        kinds=(Kind.FD, Kind.SIZE, Kind.STATFS_OUT),
        returns="0",
        errnos={"EBADF": "no such open descriptor"},
        advice="As fstatfs.",
    ),
    call(
        "umount",
        Category.FS,
        "Detach a mounted file system",
        "int umount(const char *target)",
        kinds=(Kind.PATH,),
        returns="0",
        errnos={
            "EBUSY": "a file or a directory there is in use",
            "EINVAL": "nothing is mounted there",
            "EPERM": "CAP_SYS_ADMIN is needed",
        },
        advice="As umount2 without flags.",
    ),
    call(
        "waitpid",
        Category.PROC,
        "Wait for a child to change state",
        "pid_t waitpid(pid_t pid, int *wstatus, int options)",
        kinds=(Kind.PID, Kind.WAIT_STATUS_OUT, Kind.WAIT_OPTIONS),
        returns="the child's PID; 0 with WNOHANG when no child has changed",
        errnos={"ECHILD": "there is no such child"},
        harmless=("ECHILD",),
        can_wait=True,
        advice="Its time is the lifetime of a child. Replaced by wait4.",
    ),
)


def model_of(name: str) -> str:
    """Return the corresponding call of 64-bit programs, or the name itself."""
    return _MODELS.get(name, name)


def derived(entries: Mapping[str, Syscall]) -> Iterator[Syscall]:
    """Yield the calls whose documentation is that of the corresponding call."""
    for name, model in _MODELS.items():
        entry = entries[model]
        yield attrs.evolve(
            entry,
            name=name,
            signature=re.sub(rf"\b{model}\(", f"{name}(", entry.signature),
            advice=f"Only 32-bit programs make this call. {entry.advice}",
        )
