"""Names of what has no path or address: without descriptors, PIDs, inodes and addresses."""

import re
from collections.abc import Callable, Mapping

from syswatch.model.objects import ObjectKind

_OWNER = re.compile(r" ?\(\d+\)|\bprocess \d+\b")
_OF = re.compile(r" of (.+)$")
_FUTEX = re.compile(r"^(?:(?P<owner>.*): )?0x[0-9a-f]+(?: in (?P<place>.*))?$")
_INODE = re.compile(r" ?\[\d+\]")
_FD = re.compile(r"\b(?:socket|pair|descriptor|eventpoll|epoll) \d+(?:, \d+)?")


def align_object(kind: ObjectKind, name: str) -> str:
    """Return what identifies an object in any run."""
    return _RULES.get(kind, _described)(kind, name)


def _described(kind: ObjectKind, name: str) -> str:
    """Return the kind, and which program made it."""
    found = _OF.search(name)
    owner = _without_pid(found[1]) if found else ""
    return f"{kind.title} of {owner}" if owner else kind.title


def _kind_only(kind: ObjectKind, _name: str) -> str:
    return kind.title


def _named(kind: ObjectKind, name: str) -> str:
    return f"{kind.title} {name}" if name else kind.title


def _child(kind: ObjectKind, name: str) -> str:
    return f"{kind.title} {_without_pid(name)}".rstrip()


def _futex(kind: ObjectKind, name: str) -> str:
    found = _FUTEX.match(name)
    if found is None:
        return kind.title
    owner = _without_pid(found["owner"] or "")
    return f"{kind.title} of {owner}" if owner else kind.title


def _without_pid(name: str) -> str:
    return _OWNER.sub("", name).strip()


_RULES: Mapping[ObjectKind, Callable[[ObjectKind, str], str]] = {
    ObjectKind.PIPE: _kind_only,
    ObjectKind.SLEEP: _kind_only,
    ObjectKind.TIMEOUT: _kind_only,
    ObjectKind.SIGNAL: _kind_only,
    ObjectKind.MEMFD: _named,
    ObjectKind.CHILD: _child,
    ObjectKind.FUTEX: _futex,
}


def align_socket(name: str) -> str:
    """Return the name of a socket without descriptor, PID and inode."""
    name = _INODE.sub("", name)
    return _without_pid(_FD.sub(lambda found: found[0].partition(" ")[0], name))
