"""Objects and waits in words, for sentences."""

import re
from collections.abc import Collection

from syswatch.base.cells import cells, first_cells, last_cells
from syswatch.model.catalog import plain_name
from syswatch.model.objects import ObjectInfo, ObjectKind

from .call_families import POLLS, READS, WRITES

_SHORT = {
    ObjectKind.TCP: "TCP",
    ObjectKind.UDP: "UDP",
    ObjectKind.UNIX: "Unix socket",
}
_ON_PATHS = frozenset(
    {
        *(ObjectKind.PATH, ObjectKind.FILE, ObjectKind.DIRECTORY, ObjectKind.DEVICE),
        *(ObjectKind.TTY, ObjectKind.MEMFD),
    }
)
# Words without which a name is not understood.
_BEFORE = {
    ObjectKind.SLEEP: "sleep: ",
    ObjectKind.FUTEX: "futex ",
    ObjectKind.CHILD: "child ",
}
ANY_CHILD = ObjectInfo(ObjectKind.CHILD, "any child")
_LOCKS = frozenset({"fcntl", "fcntl64", "flock"})
# Calls that wait for something that has no name.
_NAMELESS = {
    "semop": "a semaphore",
    "semtimedop": "a semaphore",
    "semtimedop_time64": "a semaphore",
    "msgrcv": "a message",
    "mq_timedreceive": "a message",
    "mq_timedreceive_time64": "a message",
    "msgsnd": "room in a message queue",
    "mq_timedsend": "room in a message queue",
    "mq_timedsend_time64": "room in a message queue",
}
# A futex: its address, of which the last digits are enough to find it in a table, and its mapping.
_FUTEX = re.compile(r"0x[0-9a-f]*?([0-9a-f]{1,4})(?: in (.*))?", re.DOTALL)
_NO_FILE = frozenset({"", "anonymous memory", "/dev/zero"})
# Where memory is mapped from that processes share.
_SHARED = ("/dev/", "/SYSV", "/memfd:")
# What a process waits for at these, in words that need no knowledge of the object.
_PLAIN = {
    ObjectKind.CHILD: "a child process",
    ObjectKind.FUTEX: "other threads",
    ObjectKind.SIGNAL: "signals",
    ObjectKind.TIMEOUT: "a timeout",
}


def object_name(info: ObjectInfo) -> str:
    """Return an object in words, with its kind where the name does not tell it."""
    if info.kind is ObjectKind.NONE:
        return ""
    if not info.name:
        return f"other {info.kind.plural.removeprefix('other ')}"
    if info.kind in _SHORT:
        return _socket_name(info)
    if info.kind is ObjectKind.PIPE and info.detail:
        return f"{info.name} ({info.detail})"
    # A process has its PID; several have none.
    is_whole = info.kind is ObjectKind.CHILD and not info.name.endswith(")")
    return info.name if is_whole else f"{_BEFORE.get(info.kind, '')}{info.name}"


def _socket_name(info: ObjectInfo) -> str:
    details = filter(None, (_SHORT[info.kind], info.service))
    if not info.host:
        return f"{info.name} ({', '.join(details)})"
    return f"{info.host} ({', '.join((info.name, *details))})"


def cut_name(name: str, most: int | None) -> str:
    """
    Return the name of an object in words, cut if it is longer; None stands for no limit.

    The end of a path tells more than its beginning, and the address of a lock more than the process
    that uses it.
    """
    if most is None or cells(name) <= most:
        return name
    futex = _BEFORE[ObjectKind.FUTEX]
    if name.startswith(futex):
        name = futex + name.rpartition(": ")[2].removeprefix(futex)
    if cells(name) <= most:
        return name
    is_path = name.startswith("/")
    return f"…{last_cells(name, most - 1)}" if is_path else f"{first_cells(name, most - 1)}…"


def wait_phrase(call: str, info: ObjectInfo) -> str:
    """Return what is waited for, as in `4 s for 10.0.0.5:5432 (TCP)` or `0.8 s in fsync of /a`."""
    name = plain_name(call)
    match info.kind:
        case ObjectKind.NONE:
            return _of_call(name)
        case ObjectKind.SLEEP:
            return "sleeping"
        case ObjectKind.CHILD | ObjectKind.FUTEX | ObjectKind.SIGNAL | ObjectKind.TIMEOUT:
            return f"for {_in_words(info)}"
        case kind if kind in _ON_PATHS:
            # All that have no row of their own: it is clear that there are several.
            return f"{_verb(name)} {object_name(info) if info.name else kind.plural}"
    if info.kind in (ObjectKind.PIPE, ObjectKind.UNIX) and name in WRITES:
        return f"writing to {object_name(info)}"
    return f"for {object_name(info)}"


def several_phrase(call: str, infos: Collection[ObjectInfo], number: int) -> str:
    """
    Return what is waited for if it is several objects of one kind.

    Only some of them may be given; the call is empty if there are several.
    """
    kind = next(iter(infos)).kind
    if kind is ObjectKind.SLEEP:
        return "sleeping"
    if kind is ObjectKind.NONE:
        return _of_call(plain_name(call))
    if kind is ObjectKind.FUTEX:
        wakers = _only({_wakers(info) for info in infos}) or "other threads and processes"
        return f"for {wakers} ({number:,} futexes)"
    if kind in _ON_PATHS and call:
        return f"{_verb(plain_name(call))} {number:,} {kind.plural}"
    if len({bool(info.name) for info in infos}) > 1:
        # One of them stands for any number.
        return f"for {kind.plural}"
    command = _only({command_of(info) for info in infos})
    return f"for {number:,} {kind.plural}{f' ({command})' if command else ''}"


def _only(texts: Collection[str]) -> str:
    """Return the text if it is the only one."""
    return next(iter(texts)) if len(texts) == 1 else ""


def command_of(info: ObjectInfo) -> str:
    """Return the command of a child process; empty for other objects."""
    return info.name.rpartition(" (")[0] if info.kind is ObjectKind.CHILD else ""


def _in_words(info: ObjectInfo) -> str:
    words = _PLAIN[info.kind]
    match info.kind:
        case ObjectKind.CHILD if not info.name:
            # All that have no row of their own, or whose names are not known.
            return info.kind.plural
        case ObjectKind.CHILD if info.name != ANY_CHILD.name:
            # Without a command, the name is "process 5452".
            return f"child process {info.name}" if command_of(info) else f"child {info.name}"
        case ObjectKind.FUTEX if info.name:
            return f"{_wakers(info)} (futex {_short_futex(info)})"
    return words


def _wakers(info: ObjectInfo) -> str:
    """Return what ends the waits for a futex."""
    place = info.name.rpartition(" in ")[2]
    return "other processes" if place.startswith(_SHARED) else _PLAIN[ObjectKind.FUTEX]


def _short_futex(info: ObjectInfo) -> str:
    """Return a futex without its process, which is known from the context."""
    name = info.name.rpartition(": ")[2]
    found = _FUTEX.fullmatch(name)
    if found is None:
        return name
    digits, place = found.groups("")
    address = name.partition(" in ")[0]
    short = f"…{digits}" if len(address) > len(f"…{digits}") + 1 else address
    return short if place in _NO_FILE else f"{short} in {place.rpartition('/')[2]}"


def _of_call(name: str) -> str:
    if name in _NAMELESS:
        return f"for {_NAMELESS[name]} ({name})"
    return f"in {name}" if name else "in other calls"


def _verb(name: str) -> str:
    if name in _LOCKS:
        return f"for the lock ({name}) on"
    if name in READS:
        return "reading"
    if name in WRITES:
        return "writing"
    if name.startswith("open"):
        return "opening"
    return f"in {name} of" if name not in POLLS else "for"
