"""The process tree: the same order and depths in every view."""

from collections.abc import Iterator, Mapping, Sequence

from syswatch.model.process import ProcessTally

# Deeper processes are not indented further, to leave space for names.
DEEPEST = 12


def process_tree(processes: Mapping[int, ProcessTally]) -> list[tuple[int, int]]:
    """Return every PID once, with its depth: parents before their children, siblings by PID."""
    parents = {
        pid: tally.parent
        for pid, tally in processes.items()
        if tally.parent in processes and tally.parent != pid
    }
    children: dict[int, list[int]] = {}
    for pid in sorted(parents, reverse=True):
        children.setdefault(parents[pid], []).append(pid)
    visited: set[int] = set()
    whole = [
        each
        for root in sorted(processes.keys() - parents.keys())
        for each in _below(root, children, visited)
    ]
    # A reused PID can make a process the ancestor of its own ancestor.
    for pid in sorted(parents):
        if pid not in visited:
            whole += _below(min(_cycle_above(pid, parents)), children, visited)
    return whole


def _below(
    root: int, children: Mapping[int, Sequence[int]], visited: set[int]
) -> Iterator[tuple[int, int]]:
    waiting = [(root, 0)]
    while waiting:
        pid, depth = waiting.pop()
        if pid not in visited:
            visited.add(pid)
            yield pid, min(depth, DEEPEST)
            waiting += [(child, depth + 1) for child in children.get(pid, ())]


def _cycle_above(pid: int, parents: Mapping[int, int]) -> list[int]:
    """Return the cycle that the ancestors of a process lead into."""
    path: dict[int, None] = {}
    while pid not in path:
        path[pid] = None
        pid = parents[pid]
    ancestors = list(path)
    return ancestors[ancestors.index(pid) :]
