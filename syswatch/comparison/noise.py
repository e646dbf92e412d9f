"""
What varies by itself between runs of the same program, and how much.

Everything that no rule applies to is compared exactly: one extra call is a change.  The rules are
few and general; each has the reason why such numbers vary.
"""

from collections.abc import Callable

from syswatch.base.classes import frozen
from syswatch.model.catalog import Category, category_of, model_of

from .run import Figure, Kind, Subject
from .setting import Setting


@frozen
class Tolerance:
    """By how much a number may differ without being a change, and the reason."""

    reason: str
    absolute: float = 0
    relative: float = 0.0

    def allows(self, most: int) -> float:
        """Return the tolerated difference of numbers of this size."""
        return max(self.absolute, self.relative * most)


EXACT = Tolerance("does not vary by itself")


@frozen
class Rule:
    """A tolerance by setting, and what it applies to."""

    applies: Callable[[Subject, Figure], bool]
    tolerance: Callable[[Setting], Tolerance]
    # Whether it is limited to subjects that both sides have.
    only_known: bool = False


def tolerance_of(
    subject: Subject, figure: Figure, setting: Setting, most: int, *, is_known: bool = True
) -> Tolerance:
    """
    Return the widest tolerance of all rules for a number of this size.

    A subject is known if both sides have it.
    """
    found = [
        rule.tolerance(setting)
        for rule in RULES
        if rule.applies(subject, figure) and (is_known or not rule.only_known)
    ]
    return max(found, key=lambda each: each.allows(most), default=EXACT)


def is_loose(subject: Subject, setting: Setting) -> bool:
    """Return whether calls on an object vary, so that only the rest of the calls is exact."""
    if subject.kind is Kind.FILE:
        is_live = subject.name.startswith(_LIVE_FILES) or subject.name in setting.programs
        return setting.is_threaded and is_live
    return subject.kind in _STREAMS and subject.name != _SLEEP


# What all sleeps are called when names are aligned.
_SLEEP = "sleep"
_STREAMS = (Kind.PEER, Kind.OBJECT)
_LOCKS = frozenset({"futex", "futex_wait", "futex_wake", "futex_waitv", "futex_requeue"})
_POLLS = frozenset(
    {"poll", "ppoll", "select", "pselect6", "_newselect", "epoll_wait", "epoll_pwait"}
    | {"epoll_pwait2", "epoll_ctl", "io_uring_enter", "io_getevents", "io_pgetevents"}
)
_INTERRUPTIONS = frozenset(
    {"sched_yield", "restart_syscall", "rt_sigreturn", "sigreturn", "tgkill", "tkill"}
)
_MEMORY = frozenset({"mmap", "mmap2", "munmap", "madvise", "brk", "mprotect", "mremap"})
# What the C library and the runtimes of languages do when a thread starts and ends.
_STARTS_OF_THREADS = frozenset(
    {"clone", "clone3", "set_robust_list", "rseq", "sigaltstack", "gettid", "getpid", "exit"}
    | {"rt_sigprocmask", "sched_getaffinity", "sched_setaffinity", "prctl"}
    | {"set_mempolicy", "get_mempolicy", "sched_getparam", "sched_getscheduler"}
)
# What shells, make and servers do whenever a child has ended.
_ENDS_OF_CHILDREN = frozenset(
    {"wait4", "waitid", "waitpid", "rt_sigaction", "rt_sigprocmask", "rt_sigsuspend", "prlimit64"}
)
_CHILD_WAITS = frozenset({"wait4", "waitid", "waitpid"})
_KILLS = frozenset({"kill", "pidfd_send_signal"})
_TRANSFERS = frozenset({"read", "write", "pread64", "pwrite64", "readv", "writev"})
_RANDOM = frozenset({"getrandom"})
_OTHER_WAITS = frozenset(
    {"vfork", "accept", "accept4", "pause", "rt_sigtimedwait", "recvfrom", "recvmsg", "recvmmsg"}
)
_TIMING_ERRNOS = frozenset(
    {"EAGAIN", "EWOULDBLOCK", "EINTR", "ETIMEDOUT", "EINPROGRESS", "EALREADY", "ECHILD"}
    | {"ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ERESTART_RESTARTBLOCK", "ESRCH"}
)
_LIVE_FILES = ("/proc/", "/sys/")
_BYTES = (Figure.BYTES_IN, Figure.BYTES_OUT)


def waits_for_others(call: str) -> bool:
    """Return whether the purpose of a call is to wait, so that its time is that of another."""
    name = model_of(call)
    waits = _LOCKS | _POLLS | _ENDS_OF_CHILDREN | _OTHER_WAITS
    return name in waits or category_of(name) is Category.TIME


def _call_of(subject: Subject) -> str:
    return model_of(subject.name if subject.kind is Kind.CALL else subject.call)


def _calls(names: frozenset[str]) -> Callable[[Subject, Figure], bool]:
    def applies(subject: Subject, _figure: Figure) -> bool:
        # A file that is mapped is mapped by every run: only memory without a file varies.
        kinds = (Kind.CALL, Kind.OBJECT, Kind.PEER, Kind.ERROR)
        return subject.kind in kinds and _call_of(subject) in names

    return applies


def _is_timer(subject: Subject, _figure: Figure) -> bool:
    if subject.kind is Kind.OBJECT:
        return subject.name in (_SLEEP, "timeout", "signal")
    return subject.kind is Kind.CALL and category_of(subject.name) is Category.TIME


def _fails_by_timing(subject: Subject, _figure: Figure) -> bool:
    return subject.kind is Kind.ERROR and (
        subject.name in _TIMING_ERRNOS or _call_of(subject) in _LOCKS
    )


def _is_live_content(subject: Subject, figure: Figure) -> bool:
    return subject.kind is Kind.FILE and figure in _BYTES and subject.name.startswith(_LIVE_FILES)


def _is_live_file(subject: Subject, figure: Figure) -> bool:
    return _is_use_of_file(subject, figure) and subject.name.startswith(_LIVE_FILES)


def _is_use_of_file(subject: Subject, figure: Figure) -> bool:
    return subject.kind in (Kind.FILE, Kind.PATH) and figure is Figure.COUNT


def _is_stream(subject: Subject, figure: Figure) -> bool:
    # Each side of a pipe or connection takes what is there: the calls vary, their bytes do not.
    return (
        subject.kind in _STREAMS
        and subject.name != _SLEEP
        and figure in (Figure.COUNT, Figure.ERRORS)
    )


def _is_event(subject: Subject, figure: Figure) -> bool:
    is_event = subject.kind is Kind.OBJECT and subject.name != _SLEEP
    return is_event and figure in (Figure.COUNT, Figure.ERRORS)


def _is_transfer(subject: Subject, figure: Figure) -> bool:
    return (
        subject.kind in (Kind.FILE, Kind.CALL)
        and figure is Figure.COUNT
        and _call_of(subject) in _TRANSFERS
    )


def _are_bytes(_subject: Subject, figure: Figure) -> bool:
    return figure in _BYTES


def _are_bytes_of_events(subject: Subject, figure: Figure) -> bool:
    return subject.kind is Kind.OBJECT and figure in _BYTES


def _is_kill(subject: Subject, _figure: Figure) -> bool:
    if subject.kind is Kind.ENDING:
        # Other signals are worth a look; these two end what is not needed any more.
        return subject.name.endswith((" killed by SIGPIPE", " killed by SIGTERM"))
    if subject.kind is Kind.ERROR:
        return subject.name == "EPIPE"
    return subject.kind is Kind.CALL and subject.name in ("kill", "gettid")


def _ends_well(subject: Subject, _figure: Figure) -> bool:
    return subject.kind is Kind.ENDING and subject.name.endswith(" exited with 0")


def _may_be_cut_off(subject: Subject, _figure: Figure) -> bool:
    return subject.kind in (Kind.CALL, Kind.OBJECT, Kind.ERROR, Kind.ENDING)


def _may_miss_a_user(subject: Subject, _figure: Figure) -> bool:
    return subject.kind in (Kind.FILE, Kind.PATH)


def _always(reason: str, absolute: float, relative: float) -> Callable[[Setting], Tolerance]:
    tolerance = Tolerance(reason, absolute, relative)
    return lambda _: tolerance


def _if_threaded(reason: str, absolute: float, relative: float) -> Callable[[Setting], Tolerance]:
    tolerance = Tolerance(reason, absolute, relative)
    return lambda setting: tolerance if setting.is_threaded else EXACT


def _if_children(reason: str, absolute: float, relative: float) -> Callable[[Setting], Tolerance]:
    tolerance = Tolerance(reason, absolute, relative)
    return lambda setting: tolerance if setting.has_children else EXACT


def _if_program(reason: str, absolute: float, relative: float) -> Callable[[Setting], Tolerance]:
    tolerance = Tolerance(reason, absolute, relative)
    return lambda setting: tolerance if setting.is_threaded and setting.is_program else EXACT


def _by_threads(setting: Setting) -> Tolerance:
    if not setting.is_threaded:
        return EXACT
    # A thread that a runtime starts on demand masks signals several times.
    return Tolerance("runtimes start threads on demand", 4 + 10 * setting.threads_apart)


def _if_cut_off(calls: int, relative: float) -> Callable[[Setting], Tolerance]:
    by_killed = _by_killed(calls, relative)
    return lambda setting: by_killed(setting) if setting.is_cut_off else EXACT


def _by_killed(calls: int, relative: float) -> Callable[[Setting], Tolerance]:
    def tolerance(setting: Setting) -> Tolerance:
        reason = "a process that is killed skips the rest of its calls"
        return Tolerance(reason, calls * setting.killed, relative) if setting.killed else EXACT

    return tolerance


RULES = (
    # Usually never, and hundreds of times within a millisecond in one run of many: what a lock
    # costs is seen in its times.
    Rule(_calls(_LOCKS), _always("threads meet at a lock by chance", 1000, 0.95)),
    Rule(_calls(_POLLS), _always("a loop that polls turns as long as it waits", 10, 0.998)),
    Rule(_calls(_INTERRUPTIONS), _always("the scheduler interrupts at any time", 10, 1.0)),
    Rule(_calls(_RANDOM), _always("random numbers are drawn until they are unbiased", 4, 0.25)),
    Rule(
        _calls(_MEMORY), _always("addresses and hashes are random, so allocators differ", 8, 0.25)
    ),
    Rule(_calls(_MEMORY), _if_threaded("allocators of threads react to contention", 16, 0.5)),
    Rule(_calls(_STARTS_OF_THREADS), _by_threads),
    Rule(_calls(_ENDS_OF_CHILDREN), _if_children("children end in any order", 6, 0.1)),
    Rule(
        _calls(_CHILD_WAITS), _if_children("parents look repeatedly for ended children", 6, 0.998)
    ),
    Rule(_calls(_KILLS), _if_children("children that end in time are not killed", 4, 0.5)),
    # Their bytes are exact.
    Rule(_is_transfer, _if_children("data of a pipe or peer is passed on in pieces", 0, 0.1)),
    Rule(_is_timer, _always("timers run while the rest takes its time", 0, 0.5)),
    Rule(_is_timer, _if_threaded("runtimes sleep while they wait for threads", 20, 1.0)),
    Rule(_fails_by_timing, _always("it fails when something else is not ready yet", 20, 1.0)),
    Rule(_is_live_content, _always("the kernel writes these files when they are read", 8192, 0.5)),
    Rule(_is_live_file, _if_threaded("threads look at the machine from time to time", 3, 0.9)),
    # V8 maps it again if memory is free beside it.
    Rule(_is_use_of_file, _if_program("addresses of programs are random", 2, 0.5)),
    Rule(
        _is_stream,
        _always("streams are read and written in pieces by chance", 10, 0.5),
        only_known=True,
    ),
    Rule(_is_event, _always("how often a process is notified depends on timing", 10, 0.5)),
    Rule(_are_bytes, _always("numbers in texts, such as PIDs, differ in length", 64, 0.001)),
    Rule(_are_bytes_of_events, _always("notifications are as many as events", 256, 0.05)),
    Rule(_may_be_cut_off, _if_cut_off(16, 0.3), only_known=True),
    Rule(_is_kill, _by_killed(4, 0.5)),
    Rule(_ends_well, _if_cut_off(4, 0.5)),
    Rule(_may_miss_a_user, _if_cut_off(2, 0.3), only_known=True),
)
