"""The processes at the ends of pipes of which the source does not tell them."""

from collections.abc import Iterable, Mapping

import attrs

from syswatch.base.classes import define
from syswatch.model.catalog import plain_name
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.snapshot import Snapshot

from .call_families import READS, WRITES
from .memory import once_per_snapshot
from .scope import known_processes

_MOST_NAMED = 3


@define
class _Users:
    """The traced processes that write a pipe and that read it."""

    writers: set[int] = attrs.field(factory=set)
    readers: set[int] = attrs.field(factory=set)


@once_per_snapshot
def _users_of_pipes(snapshot: Snapshot) -> Mapping[int, _Users]:
    found: dict[int, _Users] = {}
    infos = snapshot.sums.objects.items()
    pipes = {number for number, info in infos if info.kind is ObjectKind.PIPE and not info.detail}
    for pid, _, number, name in snapshot.sums.activity:
        if number not in pipes or not pid:
            continue
        users, call = found.setdefault(number, _Users()), plain_name(name)
        if call in WRITES:
            users.writers.add(pid)
        elif call in READS:
            users.readers.add(pid)
    return found


def with_ends(snapshot: Snapshot, info: ObjectInfo) -> ObjectInfo:
    """Return a pipe with the traced processes that have used it, if its ends are not known."""
    if info.kind is not ObjectKind.PIPE or info.detail:
        return info
    users = _users_of_pipes(snapshot).get(info.id, _Users())
    ends = (("written by", users.writers), ("read by", users.readers))
    names = known_processes(snapshot)
    detail = ", ".join(f"{verb} {_names(pids, names)}" for verb, pids in ends if pids)
    pids = tuple(sorted(users.writers | users.readers))
    return attrs.evolve(info, detail=detail, pids=pids) if detail else info


def _names(pids: Iterable[int], names: Mapping[int, str]) -> str:
    ranked = sorted(pids)
    named = [f"{names.get(pid, '')} ({pid})".lstrip() for pid in ranked[:_MOST_NAMED]]
    more = len(ranked) - len(named)
    return " and ".join(named) + (f" and {more} more" if more else "")
