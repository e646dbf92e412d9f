"""
Finding containers and processes by name.

A name is searched for in the control groups, which contain containers and services, then in the
names of commands, then in their arguments.  Exact matches come before partial ones.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text

from .containers import Containers
from .group_paths import SHORT_ID, container_id, has_container_id
from .proc import PROC, Process, processes

_UNIT_SUFFIX = re.compile(r"\.(?:service|scope|socket|mount)$")
_SLICE = ".slice"
_LEAST_ID = 6
_HEXADECIMAL = re.compile(r"[0-9a-f]+")
# The kernel cuts longer names of commands.
_COMM_LENGTH = 15

# A description, and the matching component of a control group's path.
Reason = tuple[str, str]


@frozen
class Match:
    """A process that matches a name, and why."""

    pid: int
    comm: str
    why: str
    # The component of a control group's path that matches, if that is why.
    segment: str = ""
    parent: int = 0
    # 0 for the best kind of match.
    rank: int = 0


def find(
    name: str,
    proc: Path = PROC,
    own_pid: int | None = None,
    containers: Containers | None = None,
) -> list[Match]:
    """Return the matching processes, best first, then by PID."""
    if not name:
        return []
    everything = {process.pid: process for process in processes(proc)}
    own_pid = os.getpid() if own_pid is None else own_pid
    own = _own_processes(everything, own_pid)
    # All texts that the name is compared with are escaped.
    search = _Search(escape_text(name), containers or Containers(), _ancestors(everything, own_pid))
    ranked = []
    for process in everything.values():
        if process.pid in own:
            continue
        fit = search.fit(process)
        if fit is not None:
            rank, (why, segment) = fit
            ranked.append(
                Match(process.pid, process.comm, why, segment, parent=process.parent, rank=rank)
            )
    return sorted(ranked, key=lambda match: (match.rank, match.pid))


def candidates(matches: Sequence[Match]) -> list[Match]:
    """
    Return the first process of each best match; more than one means that the name is ambiguous.

    The processes of a control group are one match, and so is a process with its children.
    """
    best = {match.pid: match for match in matches if match.rank == matches[0].rank}
    groups: set[str] = set()
    found = []
    for match in best.values():
        if match.segment in groups or (not match.segment and match.parent in best):
            continue
        found.append(match)
        if match.segment:
            groups.add(match.segment)
    return found


def _ancestors(everything: Mapping[int, Process], pid: int) -> frozenset[int]:
    """Return the ancestors of a process."""
    found: set[int] = set()
    process = everything.get(pid)
    while process is not None and process.parent not in found:
        found.add(process.parent)
        process = everything.get(process.parent)
    return frozenset(found)


def _own_processes(everything: Mapping[int, Process], pid: int) -> set[int]:
    """Return this process and its wrappers, such as `sudo syswatch` and `timeout 9 syswatch`."""
    starters = {
        number
        for number in _ancestors(everything, pid) & everything.keys()
        if any("syswatch" in word for word in everything[number].arguments)
    }
    return {pid} | starters


@frozen
class _Search:
    """A name and what is needed to compare it."""

    name: str
    containers: Containers
    ancestors: frozenset[int]

    def fit(self, process: Process) -> tuple[int, Reason] | None:
        """Return rank and reason of a match, None for no match."""
        name = self.name
        checks = (
            self._exact_group(process.groups),
            _exact_comm(name, process.comm),
            _exact_program(name, process.arguments),
            _part_of_group(name, process.groups),
            _part_of_comm(name, process.comm),
            self._arguments(process),
        )
        return next(((rank, why) for rank, why in enumerate(checks) if why is not None), None)

    def _arguments(self, process: Process) -> Reason | None:
        # A script that starts syswatch may have the name among its arguments.
        if process.pid in self.ancestors or self.name not in " ".join(process.arguments):
            return None
        return "command line", ""

    def _exact_group(self, groups: Iterable[str]) -> Reason | None:
        name = self.name
        for segment in _segments(groups):
            identity = container_id(segment)
            if identity is not None and _begins_id(name, identity):
                return f"container {identity[:SHORT_ID]}", segment
            if identity is not None and name in self.containers.names(identity):
                return f"container {name}, {identity[:SHORT_ID]}", segment
            if name == segment or name == _UNIT_SUFFIX.sub("", segment):
                return f"control group {segment}", segment
        return None


def _part_of_group(name: str, groups: Iterable[str]) -> Reason | None:
    for segment in _segments(groups):
        # A slice contains many services, and the name may be part of an ID by chance.
        is_named = name in segment and not has_container_id(segment)
        if is_named and not segment.endswith(_SLICE):
            return f"control group {segment}", segment
    return None


def _segments(groups: Iterable[str]) -> list[str]:
    """Return the components of all paths, the innermost first."""
    return [segment for path in groups for segment in reversed(path.split("/")) if segment]


def _begins_id(name: str, identity: str) -> bool:
    long_enough = len(name) >= _LEAST_ID and _HEXADECIMAL.fullmatch(name) is not None
    return long_enough and identity.startswith(name)


def _exact_comm(name: str, comm: str) -> Reason | None:
    cut = comm == name[:_COMM_LENGTH] and len(name) > _COMM_LENGTH
    return (f"command name {comm}", "") if name == comm or cut else None


def _part_of_comm(name: str, comm: str) -> Reason | None:
    return (f"command name {comm}", "") if name in comm else None


def _exact_program(name: str, arguments: tuple[str, ...]) -> Reason | None:
    if not arguments or name not in {arguments[0], PurePosixPath(arguments[0]).name}:
        return None
    return f"program {arguments[0]}", ""
