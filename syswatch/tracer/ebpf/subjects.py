"""Where the program in the kernel finds the object of each call."""

from collections.abc import Mapping

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import executes, kinds_of, openers

from . import activity_layout as activity

_NONE = activity.NO_ARGUMENT

# rule, argument, other: as `struct subject` has them.
_Rule = tuple[int, int, int]

# Calls whose object is not simply that of their first descriptor or path.
_SPECIAL: Mapping[str, _Rule] = {
    **dict.fromkeys(("accept", "accept4"), (activity.SUBJECT_ACCEPT, 0, _NONE)),
    "connect": (activity.SUBJECT_CONNECT, 0, 1),
    # Their first path is only the text of the link.
    "symlink": (activity.SUBJECT_PATH, 1, _NONE),
    "symlinkat": (activity.SUBJECT_PATH, 2, 1),
    "listen": (activity.SUBJECT_LISTEN, 0, _NONE),
    **dict.fromkeys(("sendto", "recvfrom"), (activity.SUBJECT_MESSAGE, 0, 4)),
    **dict.fromkeys(
        ("sendmsg", "recvmsg", "sendmmsg", "recvmmsg", "recvmmsg_time64"),
        (activity.SUBJECT_MESSAGE, 0, _NONE),
    ),
    **dict.fromkeys(
        ("epoll_wait", "epoll_pwait", "epoll_pwait2"), (activity.SUBJECT_EPOLL, 0, _NONE)
    ),
    "epoll_ctl": (activity.SUBJECT_WATCH, 0, _NONE),
    **dict.fromkeys(("sendfile", "sendfile64"), (activity.SUBJECT_COPY, 1, 0)),
    "copy_file_range": (activity.SUBJECT_COPY, 0, 2),
    **dict.fromkeys(
        (
            "socket",
            "epoll_create",
            "epoll_create1",
            "eventfd",
            "eventfd2",
            "timerfd_create",
            "inotify_init",
            "inotify_init1",
            "fanotify_init",
            "io_uring_setup",
            "memfd_create",
            "memfd_secret",
            "mq_open",
            "fsopen",
            "landlock_create_ruleset",
            "open_by_handle_at",
            "perf_event_open",
            "pidfd_open",
            "signalfd",
            "signalfd4",
            "userfaultfd",
        ),
        (activity.SUBJECT_CREATE, _NONE, _NONE),
    ),
    **dict.fromkeys(("pipe", "pipe2"), (activity.SUBJECT_PAIR, 0, _NONE)),
    "socketpair": (activity.SUBJECT_PAIR, 3, _NONE),
    **dict.fromkeys(("futex", "futex_time64"), (activity.SUBJECT_FUTEX, 0, 1)),
    "futex_wait": (activity.SUBJECT_FUTEX, 0, 3),
    "futex_wake": (activity.SUBJECT_FUTEX, 0, 3),
    "nanosleep": (activity.SUBJECT_SLEEP, 0, _NONE),
    **dict.fromkeys(("clock_nanosleep", "clock_nanosleep_time64"), (activity.SUBJECT_SLEEP, 2, 1)),
    # It returns when the child has ended or executes a program.
    "vfork": (activity.SUBJECT_CHILD, _NONE, _NONE),
    "wait4": (activity.SUBJECT_CHILD, 0, _NONE),
    "waitpid": (activity.SUBJECT_CHILD, 0, _NONE),
    "waitid": (activity.SUBJECT_WAITID, 2, _NONE),
    **dict.fromkeys(
        ("pause", "rt_sigsuspend", "rt_sigtimedwait", "rt_sigtimedwait_time64", "sigsuspend"),
        (activity.SUBJECT_SIGNAL, _NONE, _NONE),
    ),
    **dict.fromkeys(("poll", "ppoll", "ppoll_time64"), (activity.SUBJECT_POLL, 0, 1)),
    **dict.fromkeys(
        ("select", "_newselect", "pselect6", "pselect6_time64"),
        (activity.SUBJECT_SELECT, 0, _NONE),
    ),
    # The file of a mapping is not its first argument, and io_uring passes commands.
    "mmap": (activity.SUBJECT_FILE, 4, _NONE),
    "mmap2": (activity.SUBJECT_FILE, 4, _NONE),
}
# Those that the kernel counts in rchar and wchar of /proc/PID/io, and those of sockets, which it
# counts nowhere.  The kernel does not count what splice, tee and vmsplice move.
_IN = frozenset(
    [
        "read",
        "pread64",
        "readv",
        "preadv",
        "preadv2",
        "recvfrom",
        "recvmsg",
        "recv",
        "sendfile",
        "sendfile64",
        "copy_file_range",
    ]
)
_OUT = frozenset(
    ["write", "pwrite64", "writev", "pwritev", "pwritev2", "sendto", "sendmsg", "send"]
)
_MESSAGES: Mapping[str, int] = {
    "recvmmsg": activity.BYTES_IN,
    "recvmmsg_time64": activity.BYTES_IN,
    "sendmmsg": activity.BYTES_OUT,
}
_SHORT_TIMES = frozenset({"nanosleep", "clock_nanosleep"})


def subject_of(name: str, *, reads: bool, is_32_bit: bool) -> activity.Subject:
    """
    Return where the object of a call is found.

    Paths are not read if arguments are not.
    """
    rule, argument, other = _rule(name)
    if not reads and rule in (activity.SUBJECT_PATH, activity.SUBJECT_EXECUTE):
        rule, argument, other = activity.SUBJECT_NONE, _NONE, _NONE
    if not reads and rule == activity.SUBJECT_OPEN:
        rule, argument, other = activity.SUBJECT_CREATE, _NONE, _NONE
    counts = activity.BYTES_IN * (name in _IN) | activity.BYTES_OUT * (name in _OUT)
    if name in _MESSAGES:
        counts = _MESSAGES[name] | activity.BYTES_OF_MESSAGES
    if is_32_bit and name in _SHORT_TIMES:
        counts |= activity.SHORT_TIME
    return activity.Subject(rule, argument, other, counts)


def _rule(name: str) -> _Rule:
    if name in _SPECIAL:
        return _SPECIAL[name]
    kinds = kinds_of(name)[: activity.ARGUMENTS]
    if Kind.PATH in kinds:
        path = kinds.index(Kind.PATH)
        folder = path - 1 if path and kinds[path - 1] is Kind.DIRFD else _NONE
        return _rule_of_path(name), path, folder
    for kind in (Kind.FD, Kind.DIRFD):
        if kind in kinds:
            return activity.SUBJECT_FILE, kinds.index(kind), _NONE
    return activity.SUBJECT_NONE, _NONE, _NONE


def _rule_of_path(name: str) -> int:
    if executes(name):
        return activity.SUBJECT_EXECUTE
    return activity.SUBJECT_OPEN if name in openers() else activity.SUBJECT_PATH
