"""Which programs made the calls of a trace, as far as its rows tell processes apart."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeVar

import attrs

from syswatch.base.classes import frozen
from syswatch.model.delta import Delta
from syswatch.model.process import ProcessTally

from .facts import NOT_KNOWN, Programs

_Key = TypeVar("_Key")


@frozen
class Made:
    """The programs that made each call, in which it failed, and that made it on each object."""

    calls: Mapping[str, Programs] = attrs.field(factory=dict)
    failures: Mapping[str, Programs] = attrs.field(factory=dict)
    objects: Mapping[tuple[int, str], Programs] = attrs.field(factory=dict)

    def on_object(self, number: int, calls: Iterable[str]) -> Mapping[str, Programs]:
        """Return the programs that made each call on an object."""
        if not self.objects:
            return {}
        return {call: self.objects.get((number, call), NOT_KNOWN) for call in calls}


def made_by(sums: Delta) -> Made:
    """Return which programs made the calls; nothing if all processes have the same name."""
    names = {pid: _name(tally) for pid, tally in sums.processes.items()}
    if len(set(names.values())) <= 1:
        return Made()
    calls: dict[str, set[str]] = defaultdict(set)
    failures: dict[str, set[str]] = defaultdict(set)
    objects: dict[tuple[int, str], set[str]] = defaultdict(set)
    for (pid, _, number, call), row in sums.activity.items():
        name = names.get(pid, "")
        calls[call].add(name)
        objects[number, call].add(name)
        if row.errors:
            failures[call].add(name)
    # Few sets are different ones.
    shared: dict[Programs, Programs] = {}
    return Made(_shared(calls, shared), _shared(failures, shared), _shared(objects, shared))


def children_of(processes: Mapping[int, ProcessTally]) -> Mapping[str, Programs]:
    """Return the programs that the processes of each program have started."""
    children: dict[str, set[str]] = defaultdict(set)
    for tally in processes.values():
        parent = processes.get(tally.parent)
        if parent is not None:
            children[_name(parent)].add(_name(tally))
    return {name: frozenset(started) for name, started in children.items()}


def _name(tally: ProcessTally) -> str:
    """Return the name of a process; empty if several had its PID, since that of one is known."""
    return tally.comm if tally.lives <= 1 else ""


def _shared(
    found: Mapping[_Key, set[str]], shared: dict[Programs, Programs]
) -> dict[_Key, Programs]:
    frozen = ((key, frozenset(names)) for key, names in found.items())
    return {key: shared.setdefault(names, names) for key, names in frozen}
