"""Reads several sources; large ones at the same time, in processes of their own."""

import os
from collections.abc import Mapping, Sequence
from operator import itemgetter

from syswatch.comparison.run import Run
from syswatch.settings.access import Token

from .source import STDIN, check, read, size_of

# Below this, starting processes and sending their results takes as long as it saves.
_LARGE_BYTES = 4 << 20


def read_all(
    sources: Sequence[str], token: Token | None = None, scheduler: str | None = None
) -> list[Run]:
    """
    Return the runs of all sources in their order; raise the SourceError of the first.

    With a scheduler, the workers of its Dask cluster read.
    """
    sizes = _sizes(sources)
    workers = _workers(sizes)
    if scheduler is not None:
        # Only a single large log is read in parts.
        from .cluster import read_on_cluster

        parts = 1 if workers > 1 else os.cpu_count() or 1
        return read_on_cluster(sources, scheduler, token, parts)
    if workers <= 1:
        return [read(each, token) for each in sources]
    # Small sources do without all that this imports.
    from .processes import read_in_processes

    return read_in_processes(sources, _shares(sizes, workers), token)


def read_apart(sources: Sequence[str]) -> list[Run]:
    """Do the same in other processes only: this one keeps the runs, and nothing they came from."""
    from .processes import read_in_processes

    for source in sources:
        # Before any of them is read, which may take long.
        check(source)
    sizes = _sizes(sources)
    return read_in_processes(sources, _shares(sizes, max(_workers(sizes), 1)), None)


def _sizes(sources: Sequence[str]) -> Mapping[int, int]:
    return {at: size_of(each) for at, each in enumerate(sources) if each != STDIN}


def _workers(sizes: Mapping[int, int]) -> int:
    """Return how many processes are worth starting."""
    return min(os.cpu_count() or 1, sum(size >= _LARGE_BYTES for size in sizes.values()))


def _shares(sizes: Mapping[int, int], workers: int) -> list[list[int]]:
    """Return which sources each worker reads, so that all read about as many bytes."""
    shares: list[list[int]] = [[] for _ in range(workers)]
    loads = [0] * workers
    for at, size in sorted(sizes.items(), key=itemgetter(1), reverse=True):
        least = loads.index(min(loads))
        shares[least].append(at)
        loads[least] += size
    return shares
