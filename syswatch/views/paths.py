"""The paths of one call: all of them if it opens files, otherwise those of its newest calls."""

import re
from collections import Counter
from collections.abc import Mapping

from syswatch.base.classes import frozen
from syswatch.model.catalog import ArgumentKind
from syswatch.model.catalog.entries import lookup
from syswatch.model.snapshot import Snapshot

from .budget.objects import objects

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


@frozen
class PathTally:
    """How many calls tried to open a path, and how many of them failed."""

    path: str
    count: int
    failed: int


def opened_paths(snapshot: Snapshot) -> list[PathTally]:
    """Return every path that was opened, successfully or not, the commonest first."""
    return _ranked(snapshot.sums.paths, snapshot.sums.failed_paths)


def paths_of_process(snapshot: Snapshot, pid: int) -> list[PathTally]:
    """Return every path that a process opened, successfully or not, the commonest first."""
    found = [
        PathTally(each.info.name, each.opens + each.failed_opens, each.failed_opens)
        for each in objects(snapshot, pid)
        if each.opens + each.failed_opens
    ]
    return sorted(found, key=lambda each: (-each.count, each.path))


def newest_paths(snapshot: Snapshot, name: str) -> list[PathTally]:
    """Return how often each path occurs in the log, for a call that has a path argument."""
    entry = lookup(name)
    if entry is None or all(each.kind is not ArgumentKind.PATH for each in entry.arguments):
        return []
    calls = [each for each in snapshot.sums.log if each.name == name]
    found = [(match[1], each.error) for each in calls if (match := _QUOTED.search(each.args))]
    # No other quoted text comes before the path; if there is none, its address was printed.
    failed = Counter(path for path, error in found if error)
    return _ranked(Counter(path for path, _ in found), failed)


def _ranked(paths: Mapping[str, int], failed: Mapping[str, int]) -> list[PathTally]:
    tallies = [PathTally(path, count, failed.get(path, 0)) for path, count in paths.items()]
    return sorted(tallies, key=lambda each: (-each.count, each.path))
