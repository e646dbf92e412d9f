"""Calls that duplicate, close, inherit or share descriptors."""

import os

from .descriptors import Descriptors
from .effect import Effect, descriptor
from .observed import ObservedCall

_CLOEXEC = os.O_CLOEXEC
_CLOSE_RANGE_UNSHARE = 2
_CLOSE_RANGE_CLOEXEC = 4
_CLONE_FILES = 0x400
_F_DUPFD = 0
_F_SETFD = 2
_F_DUPFD_CLOEXEC = 1030
_FD_CLOEXEC = 1
_FIONCLEX = 0x5450
_FIOCLEX = 0x5451


def _dup(tables: Descriptors, call: ObservedCall) -> None:
    tables.duplicated(call.tid, descriptor(call, 0), call.result)


def _dup3(tables: Descriptors, call: ObservedCall) -> None:
    cloexec = bool(call.number(2) & _CLOEXEC)
    tables.duplicated(call.tid, descriptor(call, 0), call.result, cloexec=cloexec)


def _fcntl(tables: Descriptors, call: ObservedCall) -> None:
    fd, command = descriptor(call, 0), call.number(1)
    if command in (_F_DUPFD, _F_DUPFD_CLOEXEC):
        cloexec = command == _F_DUPFD_CLOEXEC
        tables.duplicated(call.tid, fd, call.result, cloexec=cloexec)
    elif command == _F_SETFD:
        tables.table(call.tid).set_cloexec(fd, on=bool(call.number(2) & _FD_CLOEXEC))


def _ioctl(tables: Descriptors, call: ObservedCall) -> None:
    request = call.number(1)
    if request in (_FIOCLEX, _FIONCLEX):
        tables.table(call.tid).set_cloexec(descriptor(call, 0), on=request == _FIOCLEX)


def _close(tables: Descriptors, call: ObservedCall) -> None:
    tables.table(call.tid).closed(descriptor(call, 0))


def _close_target(tables: Descriptors, call: ObservedCall) -> None:
    old, new = descriptor(call, 0), descriptor(call, 1)
    # If the first is not open, the call fails, and leaves the second as it is.
    if old != new and tables.description(call.tid, old) is not None:
        tables.table(call.tid).closed(new)


def _close_range(tables: Descriptors, call: ObservedCall) -> None:
    first, last, flags = (call.number(index) & 0xFFFFFFFF for index in range(3))
    if flags & _CLOSE_RANGE_UNSHARE:
        tables.unshared(call.tid)
    if flags & _CLOSE_RANGE_CLOEXEC:
        tables.table(call.tid).set_cloexec_range(first, last)
    else:
        tables.table(call.tid).closed_range(first, last)


def _fork(tables: Descriptors, call: ObservedCall) -> None:
    if call.result:
        tables.forked(call.tid, call.result, shares=False)


def _clone(tables: Descriptors, call: ObservedCall) -> None:
    if call.result:
        shares = bool(call.number(0) & _CLONE_FILES)
        tables.forked(call.tid, call.result, shares=shares)


def _clone3(tables: Descriptors, call: ObservedCall) -> None:
    if call.result:
        shares = bool(call.flags_field(0) & _CLONE_FILES)
        tables.forked(call.tid, call.result, shares=shares)


def _unshare(tables: Descriptors, call: ObservedCall) -> None:
    if call.number(0) & _CLONE_FILES:
        tables.unshared(call.tid)


def _execve(tables: Descriptors, call: ObservedCall) -> None:
    tables.executed(call.tid, call.pid)


EFFECTS: dict[str, Effect] = {
    "clone": _clone,
    "clone3": _clone3,
    "dup": _dup,
    "dup2": _dup,
    "dup3": _dup3,
    "execve": _execve,
    "execveat": _execve,
    "fcntl": _fcntl,
    "fork": _fork,
    "ioctl": _ioctl,
    "unshare": _unshare,
    "vfork": _fork,
}
# The commands of these calls that change a table; all others do nothing.
COMMANDS: dict[str, frozenset[int]] = {
    "fcntl": frozenset({_F_DUPFD, _F_DUPFD_CLOEXEC, _F_SETFD}),
    "ioctl": frozenset({_FIOCLEX, _FIONCLEX}),
}
# The descriptors are closed before the call returns.
CLOSES: dict[str, Effect] = {
    "close": _close,
    "close_range": _close_range,
    "dup2": _close_target,
    "dup3": _close_target,
}
