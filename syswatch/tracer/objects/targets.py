"""
Which argument of a call is its object, from the kinds of the arguments in the catalog.

A call with a descriptor first acts on that.  A call that names a path acts on the path, unless it
has opened it.  Calls that return a new descriptor act on what that refers to, except for accept,
which acts on the listening socket.  A call with two paths acts on the first, and the second is
noted, unless the first is only the text of a symbolic link.
"""

from collections.abc import Mapping
from functools import lru_cache

from syswatch.model.catalog import (
    ArgumentKind,
    Category,
    can_wait,
    category_of,
    kinds_of,
    model_of,
    plain_name,
)

from . import opening
from .ways import Moved, Target, Way

__all__ = ["Moved", "Target", "Way", "target_of"]

_Kind = ArgumentKind
_DESCRIPTORS = (_Kind.FD, _Kind.DIRFD)
_SETS = {
    _Kind.POLLFDS_INOUT: Way.POLL,
    _Kind.FD_SET_INOUT: Way.SELECT,
    _Kind.EPOLL_EVENTS_OUT: Way.EPOLL,
    _Kind.FD_PAIR_OUT: Way.PAIR,
}
# Those that the kernel counts in rchar and wchar of /proc/PID/io, and those of sockets, which it
# counts nowhere.  The kernel does not count what splice, tee and vmsplice move.
_MOVED: Mapping[str, Moved] = {
    "read": Moved.IN,
    "pread64": Moved.IN,
    "readv": Moved.IN,
    "preadv": Moved.IN,
    "preadv2": Moved.IN,
    "write": Moved.OUT,
    "pwrite64": Moved.OUT,
    "writev": Moved.OUT,
    "pwritev": Moved.OUT,
    "pwritev2": Moved.OUT,
    "sendfile": Moved.IN | Moved.OUT,
    "copy_file_range": Moved.IN | Moved.OUT,
    "recvfrom": Moved.IN,
    "recvmsg": Moved.IN,
    "recvmmsg": Moved.IN | Moved.MESSAGES,
    "sendto": Moved.OUT,
    "sendmsg": Moved.OUT,
    "sendmmsg": Moved.OUT | Moved.MESSAGES,
}
# Their argument with flags, such as MSG_PEEK.
_RECEIVE_FLAGS = {"recvfrom": 3, "recvmsg": 2, "recvmmsg": 3}
# Their first descriptor is written and the second one read.
_WRITES_FIRST = frozenset({"sendfile"})
_TWO_DESCRIPTORS = frozenset({"sendfile", "copy_file_range", "splice", "tee"})
# Their first path is only the text of the link.
_SECOND_PATH = frozenset({"symlink", "symlinkat"})
# They return a descriptor, or another number.
_SOMETIMES = frozenset({"bpf", "landlock_create_ruleset", "seccomp"})


# A program, or a damaged log, may have any number of names.
@lru_cache(maxsize=4096)
def target_of(name: str) -> Target:
    """Return where the object of a call is; the name may be that of a 32-bit program."""
    plain = model_of(plain_name(name))
    kinds = kinds_of(plain)
    target = _special(plain, kinds) or _of_kinds(plain, kinds)
    moved, flags = _MOVED.get(plain, Moved.NOTHING), _RECEIVE_FLAGS.get(plain, -1)
    return target._replace(moved=moved, flags=flags)


_NO_TARGET = Target(Way.NONE)


def _special(name: str, kinds: tuple[ArgumentKind, ...]) -> Target | None:
    """Return the target of a call that acts on something else than a descriptor or a path."""
    for index, kind in enumerate(kinds):
        if kind in _SETS:
            return Target(_SETS[kind], index)
    if _Kind.FUTEX_OP in kinds:
        return Target(Way.FUTEX, kinds.index(_Kind.FUTEX_OP) - 1)
    if _Kind.WAIT_OPTIONS in kinds or name == "vfork":
        return Target(Way.CHILD)
    category = category_of(name) if can_wait(name) else None
    if category is Category.SIG and name != "restart_syscall":
        return Target(Way.SIGNAL)
    if category is Category.TIME and _Kind.TIMESPEC_IN in kinds:
        return Target(Way.SLEEP, kinds.index(_Kind.TIMESPEC_IN))
    return None


def _of_kinds(name: str, kinds: tuple[ArgumentKind, ...]) -> Target:
    if kinds[:1] == (_Kind.FD,) and name not in ("signalfd", "signalfd4"):
        return _of_descriptors(name, kinds)
    if _Kind.PATH in kinds:
        paths = [index for index, kind in enumerate(kinds) if kind is _Kind.PATH]
        path, *others = paths[-1:] if name in _SECOND_PATH else paths
        way = Way.OPENED_PATH if name in opening.EFFECTS else Way.PATH
        target = Target(way, path, _directory_of(path, kinds))
        if not others:
            return target
        return target._replace(
            other_path=others[0], other_directory=_directory_of(others[0], kinds)
        )
    if (name in opening.EFFECTS or name == "socket") and name not in _SOMETIMES:
        return Target(Way.RESULT)
    return _of_descriptors(name, kinds)


def _directory_of(path: int, kinds: tuple[ArgumentKind, ...]) -> int:
    """Return the argument with the descriptor that a path is relative to; -1 for none."""
    return path - 1 if path and kinds[path - 1] is _Kind.DIRFD else -1


def _of_descriptors(name: str, kinds: tuple[ArgumentKind, ...]) -> Target:
    found = [index for index, kind in enumerate(kinds) if kind in _DESCRIPTORS]
    if not found:
        return _NO_TARGET
    first, second = found[0], found[1] if name in _TWO_DESCRIPTORS else -1
    if name in _WRITES_FIRST:
        first, second = second, first
    return Target(Way.DESCRIPTOR, first, second=second)
