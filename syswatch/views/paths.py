"""The paths of one system call: counted if it opens files, else those of its newest calls."""

import re
from collections import Counter
from collections.abc import Mapping

from syswatch.model.catalog import ArgumentKind, lookup
from syswatch.model.snapshot import Snapshot

# The tracers count the paths of these, and of all of them together.
OPENERS = frozenset({"open", "openat", "openat2", "creat"})
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def newest_paths(snapshot: Snapshot, name: str) -> Mapping[str, int]:
    """Return how often each path stands in the log, for a call that is given one."""
    entry = lookup(name)
    if entry is None or all(each.kind is not ArgumentKind.PATH for each in entry.arguments):
        return {}
    found = (_QUOTED.search(each.args) for each in snapshot.sums.log if each.name == name)
    # Nothing that is quoted comes before the path; where there is none, its address was printed.
    return Counter(match[1] for match in found if match)


def ranked(paths: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return paths and how often they were asked for, the commonest first."""
    return sorted(paths.items(), key=lambda item: (-item[1], item[0]))
