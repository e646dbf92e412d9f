"""
Waits for child processes that look like polls.

`make -j` polls for a free slot, and the signal that a child has ended interrupts the call.
"""

from syswatch.model.activity import NO_SUMS
from syswatch.model.catalog import plain_name
from syswatch.model.objects import ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait

from .call_families import POLLS
from .scope import info_of, sums_of_waits

_OF_SLOTS = frozenset({ObjectKind.NONE, ObjectKind.PIPE})


def is_for_children(snapshot: Snapshot, wait: Wait) -> bool:
    """Return whether only signals have ended these polls, and only in processes with children."""
    sums = sums_of_waits(snapshot).get(wait, NO_SUMS)
    if wait.object or plain_name(wait.call) not in POLLS or not 0 < sums.count == sums.errors:
        return False
    pids = _pids(snapshot, wait)
    return bool(pids) and pids <= _children(snapshot).keys() - _serving(snapshot)


def children_of(snapshot: Snapshot, wait: Wait) -> tuple[int, ...]:
    """Return the children of the processes that wait."""
    children, pids = _children(snapshot), _pids(snapshot, wait)
    return tuple(sorted(set().union(*(children.get(pid, ()) for pid in pids))))


def _pids(snapshot: Snapshot, wait: Wait) -> set[int]:
    return {key.pid for key in snapshot.sums.activity if key[2:] == wait}


def _children(snapshot: Snapshot) -> dict[int, set[int]]:
    """Return the children that each process has waited for."""
    found: dict[int, set[int]] = {}
    for key in snapshot.sums.activity:
        info = info_of(snapshot, key.object)
        if info.kind is ObjectKind.CHILD:
            found.setdefault(key.pid, set()).update(info.pids)
    return found


def _serving(snapshot: Snapshot) -> set[int]:
    """Return the processes whose polls have been ended by anything but a free slot as well."""
    return {
        key.pid
        for key in snapshot.sums.activity
        if plain_name(key.call) in POLLS and info_of(snapshot, key.object).kind not in _OF_SLOTS
    }
