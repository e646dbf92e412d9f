"""Calls that open files and other descriptors that are not sockets."""

import os
from functools import partial

from . import describe
from .descriptors import Descriptors, Found
from .effect import Effect, add, descriptor, owner
from .observed import ObservedCall

_CLOEXEC = os.O_CLOEXEC
_MFD_CLOEXEC = 1
_FSOPEN_CLOEXEC = 1
_FAN_CLOEXEC = 1
_PERF_FLAG_FD_CLOEXEC = 8
_NEW_LISTENER = 8
_EPOLL_CTL_DEL = 2
_PAIR = 2
# The commands of bpf that return a descriptor, by what it refers to.
_BPF_COMMANDS = {0: "bpf-map", 5: "bpf-prog", 7: "bpf-object", 13: "bpf-prog", 14: "bpf-map"}


def _open(tables: Descriptors, call: ObservedCall, *, path: int, flags: int) -> None:
    _add_path(tables, call, path, cloexec=bool(call.number(flags) & _CLOEXEC))


def _creat(tables: Descriptors, call: ObservedCall) -> None:
    _add_path(tables, call, 0, cloexec=False)


def _openat2(tables: Descriptors, call: ObservedCall) -> None:
    _add_path(tables, call, 1, cloexec=bool(call.flags_field(2) & _CLOEXEC))


def _add_path(tables: Descriptors, call: ObservedCall, path: int, *, cloexec: bool) -> None:
    found = tables.resolve(call.tid, call.result)
    # Reading the path of every call that opens a file would take too long.
    if found is None and (text := call.text(path)):
        found = Found(describe.opened(describe.full_path(text, call.base(path))))
    if found is None:
        # In a log, there may be the address of a path, or a part of it.
        tables.table(call.tid).closed(call.result)
    else:
        tables.opened(call.tid, call.result, found, cloexec=cloexec)


def _add_memory_file(tables: Descriptors, call: ObservedCall) -> None:
    cloexec = bool(call.number(1) & _MFD_CLOEXEC)
    add(tables, call, call.result, Found(describe.memory_file(call.text(0))), cloexec=cloexec)


def _add_anonymous(
    tables: Descriptors,
    call: ObservedCall,
    *,
    title: str,
    flags: int | None = None,
    bit: int = _CLOEXEC,
) -> None:
    cloexec = flags is not None and bool(call.number(flags) & bit)
    info = describe.anonymous(title, call.result, owner(call))
    add(tables, call, call.result, Found(info), cloexec=cloexec)


def _add_always_cloexec(tables: Descriptors, call: ObservedCall, *, title: str) -> None:
    info = describe.anonymous(title, call.result, owner(call))
    add(tables, call, call.result, Found(info), cloexec=True)


def _bpf(tables: Descriptors, call: ObservedCall) -> None:
    title = _BPF_COMMANDS.get(call.number(0))
    if title is not None:
        _add_always_cloexec(tables, call, title=title)


def _signalfd(tables: Descriptors, call: ObservedCall) -> None:
    # Given a descriptor, the call changes it and returns it again.
    if descriptor(call, 0) < 0:
        _add_anonymous(tables, call, title="signalfd", flags=3)


def _pipe(tables: Descriptors, call: ObservedCall, *, has_flags: bool) -> None:
    cloexec = has_flags and bool(call.number(1) & _CLOEXEC)
    fds = call.descriptors(0)
    if len(fds) == _PAIR:
        info = describe.unnumbered_pipe((fds[0], fds[1]), owner(call))
        for fd in fds:
            add(tables, call, fd, Found(info), cloexec=cloexec)


def _epoll_ctl(tables: Descriptors, call: ObservedCall) -> None:
    epoll = tables.description(call.tid, descriptor(call, 0))
    watched = tables.description(call.tid, descriptor(call, 2))
    if epoll is not None and watched is not None and call.number(1) != _EPOLL_CTL_DEL:
        epoll.watch(call.event(3), watched)


def _landlock(tables: Descriptors, call: ObservedCall) -> None:
    # With flags, the call returns a version or a bit mask.
    if not call.number(2):
        _add_always_cloexec(tables, call, title="landlock-ruleset")


def _seccomp(tables: Descriptors, call: ObservedCall) -> None:
    if call.number(1) & _NEW_LISTENER:
        _add_always_cloexec(tables, call, title="seccomp notify")


EFFECTS: dict[str, Effect] = {
    "bpf": _bpf,
    "creat": _creat,
    "epoll_create": partial(_add_anonymous, title="eventpoll"),
    "epoll_create1": partial(_add_anonymous, title="eventpoll", flags=0),
    "epoll_ctl": _epoll_ctl,
    "eventfd": partial(_add_anonymous, title="eventfd"),
    "eventfd2": partial(_add_anonymous, title="eventfd", flags=1),
    "fanotify_init": partial(_add_anonymous, title="fanotify", flags=0, bit=_FAN_CLOEXEC),
    "fsmount": partial(_add_anonymous, title="mount", flags=1, bit=_FSOPEN_CLOEXEC),
    "fsopen": partial(_add_anonymous, title="fscontext", flags=1, bit=_FSOPEN_CLOEXEC),
    "fspick": partial(_add_anonymous, title="fscontext", flags=2, bit=_FSOPEN_CLOEXEC),
    "inotify_init": partial(_add_anonymous, title="inotify"),
    "inotify_init1": partial(_add_anonymous, title="inotify", flags=0),
    "io_uring_setup": partial(_add_always_cloexec, title="io_uring"),
    "landlock_create_ruleset": _landlock,
    "memfd_create": _add_memory_file,
    "memfd_secret": partial(_add_anonymous, title="secretmem", flags=0),
    "mq_open": partial(_open, path=0, flags=1),
    "open": partial(_open, path=0, flags=1),
    "open_by_handle_at": partial(_add_anonymous, title="file by handle", flags=2),
    "open_tree": partial(_open, path=1, flags=2),
    "openat": partial(_open, path=1, flags=2),
    "openat2": _openat2,
    "perf_event_open": partial(
        _add_anonymous, title="perf_event", flags=4, bit=_PERF_FLAG_FD_CLOEXEC
    ),
    "pidfd_getfd": partial(_add_always_cloexec, title="descriptor of another process"),
    "pidfd_open": partial(_add_always_cloexec, title="pidfd"),
    "pipe": partial(_pipe, has_flags=False),
    "pipe2": partial(_pipe, has_flags=True),
    "seccomp": _seccomp,
    "signalfd": _signalfd,
    "signalfd4": _signalfd,
    "timerfd_create": partial(_add_anonymous, title="timerfd", flags=1),
    "userfaultfd": partial(_add_anonymous, title="userfaultfd", flags=0),
}
