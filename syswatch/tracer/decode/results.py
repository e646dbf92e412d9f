"""The return value of a call, as strace prints it after the equals sign."""

from collections.abc import Callable

from syswatch.model.argument_names import FCNTL_COMMAND, PRCTL_OPTION
from syswatch.model.catalog import model_of
from syswatch.model.errnos import NAMES
from syswatch.model.symbols import Enumeration, table

from .clocks import CLOCK_STATE
from .descriptors import descriptor
from .fcntl_command import FD_FLAGS
from .names_files import open_flags
from .names_misc import io_priority, personality
from .names_processes import SCHED_POLICY
from .names_signals import signal_name
from .numbers import hexadecimal, permissions, signed_64, unsigned_64
from .polls import members, polled
from .prctl import dumpable
from .times import date, read_pair, timespec, timeval
from .traced_call import TracedCall, UnreadableError

# With these the kernel restarts the call after a signal; programs never see them.
_RESTARTS = frozenset(
    -number
    for number, name in NAMES.items()
    if name in {"ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ERESTART_RESTARTBLOCK"}
)
_ADDRESSES = frozenset({"brk", "mmap", "mremap", "shmat"})
RETURN_DESCRIPTORS = frozenset(
    table(
        """
        accept accept4 creat dup dup2 dup3 epoll_create epoll_create1 eventfd eventfd2
        fanotify_init fsmount fsopen fspick inotify_init inotify_init1 io_uring_setup
        landlock_create_ruleset memfd_create memfd_secret mq_open open open_by_handle_at
        open_tree openat openat2 perf_event_open pidfd_getfd pidfd_open signalfd signalfd4
        socket timerfd_create userfaultfd
        """
    )
)
# The timeout, by the index of its argument, which the kernel overwrites with the time left.
TIMEOUTS_LEFT = {"ppoll": 2, "pselect6": 4, "recvmmsg": 4, "select": 4}
_F_DUPFDS = FCNTL_COMMAND.numbers("F_DUPFD F_DUPFD_CLOEXEC")
_F_GETFD, _F_GETFL = FCNTL_COMMAND["F_GETFD"], FCNTL_COMMAND["F_GETFL"]
_F_GETSIG = FCNTL_COMMAND["F_GETSIG"]
_PR_GET_DUMPABLE = PRCTL_OPTION["PR_GET_DUMPABLE"]
_S_IALLUGO = 0o7777


def result_text(call: TracedCall) -> str:
    """Return the value, with the comment that strace adds."""
    ret = signed_64(call.ret)
    if call.failed:
        return "?" if ret in _RESTARTS else "-1"
    show = _SHOWN.get(model_of(call.name))
    try:
        return show(call, ret) if show else _plain(call, ret)
    except UnreadableError:
        return str(ret)


def _plain(call: TracedCall, ret: int) -> str:
    if model_of(call.name) in _ADDRESSES:
        return hexadecimal(unsigned_64(ret))
    if call.name in RETURN_DESCRIPTORS:
        return descriptor(call, ret)
    return str(ret)


def _fcntl(call: TracedCall, ret: int) -> str:
    command = call.unsigned_int(1)
    if command in _F_DUPFDS:
        return descriptor(call, ret)
    if command == _F_GETFD and ret:
        return f"{ret:#x} (flags {FD_FLAGS.bare(ret)})"
    if command == _F_GETSIG and ret:
        return f"{ret} ({signal_name(ret)})"
    if command == _F_GETFL:
        value = f"{ret:#x}" if ret else "0"
        return f"{value} (flags {open_flags(ret, call.settings.architecture)})"
    return str(ret)


def _poll(call: TracedCall, ret: int) -> str:
    if not ret:
        return "0 (Timeout)"
    if not call.argument(1) or not call.argument(0):
        return str(ret)
    notes = [note for note in (polled(call), _left(call)) if note]
    return f"{ret} ({', '.join(notes)})" if notes else str(ret)


def _select(call: TracedCall, ret: int) -> str:
    if not ret:
        return "0 (Timeout)"
    parts = []
    left_over = ret
    for index, name in ((1, "in"), (2, "out"), (3, "except")):
        address = call.argument(index)
        shown = (members(call, address) if address else [])[:left_over]
        left_over -= len(shown)
        if shown:
            parts.append(f"{name} [{' '.join(map(str, shown))}]")
    left = _left(call)
    return f"{ret} ({', '.join([*parts, left] if left else parts)})"


def _left(call: TracedCall) -> str:
    """Return the time left that the kernel wrote over a timeout."""
    index = TIMEOUTS_LEFT.get(model_of(call.name))
    address = 0 if index is None else call.argument(index)
    if not address:
        return ""
    fields = timeval if model_of(call.name) == "select" else timespec
    return f"left {fields(*read_pair(call, address))}"


def _received(call: TracedCall, ret: int) -> str:
    if not ret:
        return "0 (Timeout)"
    left = _left(call)
    return f"{ret} ({left})" if left else str(ret)


def _signal(_call: TracedCall, ret: int) -> str:
    return f"{ret} ({signal_name(ret)})" if ret else "0"


def _dumpable(call: TracedCall, ret: int) -> str:
    name = dumpable(ret) if call.argument(0) == _PR_GET_DUMPABLE else None
    return f"{ret} ({name})" if name else str(ret)


def _umask(_call: TracedCall, ret: int) -> str:
    return permissions(ret & _S_IALLUGO)


def _io_priority(_call: TracedCall, ret: int) -> str:
    return f"{ret} ({io_priority(ret)})"


def _personality(_call: TracedCall, ret: int) -> str:
    return f"{hexadecimal(ret)} ({personality(ret)})"


def _time(_call: TracedCall, ret: int) -> str:
    return f"{ret}{date(ret).replace('/* ', '(').replace(' */', ')')}"


def _named(names: Enumeration) -> Callable[[TracedCall, int], str]:
    def show(_call: TracedCall, ret: int) -> str:
        name = names.name(ret)
        return f"{ret} ({name})" if name else str(ret)

    return show


def _adjusted(call: TracedCall, ret: int) -> str:
    return _named(CLOCK_STATE)(call, ret) if call.argument(1) else str(ret)


_SHOWN: dict[str, Callable[[TracedCall, int], str]] = {
    "adjtimex": _named(CLOCK_STATE),
    "clock_adjtime": _adjusted,
    "sched_getscheduler": _named(SCHED_POLICY),
    "fcntl": _fcntl,
    "ioprio_get": _io_priority,
    "personality": _personality,
    "poll": _poll,
    "ppoll": _poll,
    "pselect6": _select,
    "prctl": _dumpable,
    "recvmmsg": _received,
    "rt_sigtimedwait": _signal,
    "select": _select,
    "time": _time,
    "umask": _umask,
}
