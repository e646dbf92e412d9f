"""Has the workers of a Dask cluster prepare inputs, and writes what they return."""

import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from distributed import Client, get_worker

from syswatch.codec.recording import RecordingError
from syswatch.tracer.cluster.connection import ClusterError, connected, failure, threads_of
from syswatch.tracer.cluster.submission import Future

from .prepare import prepare
from .pruning import Columns, files_of

# What a worker returns is in its memory, and then in that of the client.
MOST_BYTES = 1 << 30
# Inputs for each thread of the workers that are read ahead of those that have been written.
_AHEAD = 2
_RETRIES = 3
_PRIVATE = 0o700
_TOO_LARGE = (
    "{}: the columns that the query needs have more than {:.1f} GB, which a worker cannot return"
    " (without --engine, they are written to this machine's disk)"
)
# The names of files, and what is in them.
Files = tuple[tuple[str, bytes], ...]


def read_input(name: str, needed: Columns, most_bytes: int) -> Files | RecordingError:
    """Run on a worker: return the files of an input, or why it is not readable."""
    # What a worker that was killed has left there, its successor removes.
    place = get_worker().local_directory
    try:
        with tempfile.TemporaryDirectory(prefix="syswatch-", dir=place) as folder:
            recording = Path(folder) / "recording"
            prepare(name, recording)
            return tuple(_bounded(name, files_of(recording, needed), most_bytes))
    except RecordingError as error:
        return error


def _bounded(
    name: str, files: Iterable[tuple[str, bytes]], most_bytes: int
) -> Iterator[tuple[str, bytes]]:
    """Yield files; raise RecordingError if they are larger together than a worker may return."""
    size = 0
    for file, content in files:
        size += len(content)
        if size > most_bytes:
            raise RecordingError(_TOO_LARGE.format(name, most_bytes / 1e9))
        yield file, content


def prepare_on_cluster(
    folders: Sequence[tuple[str, Path]], scheduler: str, needed: Columns
) -> None:
    """Write the recordings of inputs, each to its folder; raise RecordingError if one fails."""
    try:
        with connected(scheduler) as client:
            _write_all(client, folders, needed)
    except ClusterError as error:
        raise RecordingError(str(error)) from error


def _write_all(client: Client, folders: Sequence[tuple[str, Path]], needed: Columns) -> None:
    """Read some inputs ahead, and write them in their order, so that few are in memory."""
    names: dict[str, str] = {}
    waiting: deque[tuple[Path, Future]] = deque()
    ahead = _AHEAD * max(threads_of(client), 1)

    def submit(name: str, folder: Path) -> None:
        task: Future = client.submit(
            read_input, name, needed, MOST_BYTES, pure=False, retries=_RETRIES
        )
        names[str(task.key)] = name
        waiting.append((folder, task))

    for name, folder in folders:
        if len(waiting) >= ahead:
            _write(*waiting.popleft(), names)
        submit(name, folder)
    while waiting:
        _write(*waiting.popleft(), names)


def _write(folder: Path, task: Future, names: dict[str, str]) -> None:
    try:
        files: Files | RecordingError = task.result()
    except Exception as error:
        raise failure(error, names) from error
    if isinstance(files, RecordingError):
        raise files
    folder.mkdir(mode=_PRIVATE)
    for name, content in files:
        path = folder / name
        path.parent.mkdir(mode=_PRIVATE, exist_ok=True)
        path.write_bytes(content)
