"""Opens everything that a query is about."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from syswatch.codec.recording import RecordingError
from syswatch.recording.read.opening import Recording

from .prepare import is_ready, prepare
from .pruning import Columns


def opened(name: str) -> Recording:
    """Open the recording in a directory, with its name in errors."""
    folder = Path(name)
    with named(name):
        if not folder.exists():
            raise RecordingError("no such directory")
        if folder.is_file():
            raise RecordingError("it is not a directory; 'syswatch stats' may read it")
        return Recording.open(folder)


def gathered(
    names: Sequence[str], folder: Path, scheduler: str | None, needed: Columns
) -> list[Recording]:
    """
    Open all inputs once, in their order; `folder` is for those that are not read where they are.

    With a scheduler, the workers of its Dask cluster prepare these, with the columns that are
    `needed`.
    """
    names = _different(names)
    # What is wrong with a directory is known at once.
    ready = {name: opened(name) for name in names if is_ready(name)}
    places = {name: folder / str(at) for at, name in enumerate(names) if name not in ready}
    if scheduler is None:
        for name, place in places.items():
            prepare(name, place)
    elif places:
        # Few queries need a cluster, and importing this takes most of a second.
        from .cluster import prepare_on_cluster

        prepare_on_cluster(tuple(places.items()), scheduler, needed)
    return [ready[name] if name in ready else _made(places[name], name) for name in names]


def _different(names: Sequence[str]) -> list[str]:
    """Return the names without those of what has been named before, by a pattern or otherwise."""
    different: dict[str, str] = {}
    for name in names:
        place = os.path.realpath(name) if os.path.lexists(name) else name
        different.setdefault(place, name)
    return list(different.values())


def _made(place: Path, name: str) -> Recording:
    with named(name):
        return Recording.open(place, name)


@contextmanager
def named(name: str) -> Iterator[None]:
    """Name the recording in errors."""
    try:
        yield
    except RecordingError as error:
        raise RecordingError(f"{name}: {error}") from error
