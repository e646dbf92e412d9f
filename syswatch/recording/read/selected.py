"""
The sums of selected calls of a recording, in the form of its deltas, on standard output.

    python -m syswatch.recording.read.selected DIR '{"status": "failed", "paths": []}'

The tracer reads this instead of the recorded sums, which do not tell single calls apart.  If the
recording cannot be read, a sentence is on standard error.
"""

import os
import resource
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import msgspec

from syswatch.base.classes import frozen
from syswatch.codec.frames import Decoder, WireError, encode, kind_of
from syswatch.codec.recording import DELTAS, MAGIC, RecordingError
from syswatch.machine.regular_files import open_regular
from syswatch.model.activity import Objects
from syswatch.model.delta import Delta
from syswatch.model.messages import Started
from syswatch.model.now import NOTHING_REPORTED
from syswatch.model.timeline import Timeline
from syswatch.recording.extra import MissingPackageError, load
from syswatch.tracer.stracelog.arguments import paths

from .batch import NO_NAME, Batch
from .files import reason_of
from .fold import Folder
from .opening import Recording
from .tallies import name_of

MOST_MEMORY = 1 << 30
_BLOCK = 1 << 18


@frozen
class Selection:
    """Which calls are selected: by their result, and by paths of which they name or use one."""

    status: str = ""
    paths: tuple[str, ...] = ()

    def of(self, batch: Batch, known: Objects) -> Any:
        """Return a mask of the calls."""
        numpy = load("numpy")
        chosen = numpy.ones(len(batch), bool)
        if self.status:
            chosen &= (batch.errno != NO_NAME) == (self.status == "failed")
        if self.paths:
            named = [number for number, info in known.items() if info.name in self.paths]
            uses = numpy.isin(batch.object, named) | numpy.isin(batch.written_to, named)
            chosen &= uses | self._names_path(batch)
        return chosen

    def opened(self, paths: Mapping[str, int], failed: Mapping[str, int]) -> Mapping[str, int]:
        """Return how often the paths were opened by such calls, of all times and those in vain."""
        if self.status:
            kept = failed if self.status == "failed" else _difference(paths, failed)
        else:
            kept = paths
        return {path: n for path, n in kept.items() if not self.paths or path in self.paths}

    def _names_path(self, batch: Batch) -> Any:
        """Return a mask of the calls that name a path, where the arguments are known as text."""
        numpy, compute = load("numpy"), load("pyarrow.compute")
        texts, found = batch.args.cast("string"), numpy.zeros(len(batch), bool)
        for path in self.paths:
            has = compute.match_substring(texts, path).fill_null(False)  # noqa: FBT003  by position only
            for place in numpy.flatnonzero(has.to_numpy(zero_copy_only=False)).tolist():
                name, args = name_of(batch, batch.name[place]), batch.text(place)[0]
                found[place] |= path in paths(name, args.encode())
        return found


def _difference(paths: Mapping[str, int], failed: Mapping[str, int]) -> Mapping[str, int]:
    rest = {path: number - failed.get(path, 0) for path, number in paths.items()}
    return {path: number for path, number in rest.items() if number > 0}


def selected(recording: Recording, selection: Selection) -> Iterator[bytes]:
    """Yield the recording of selected calls: the recorded frames with other deltas."""
    delta = encode(_sums(Folder(recording), selection))
    is_told = False
    yield MAGIC
    for frame in _other_frames(recording.folder):
        is_start = kind_of(frame) is Started
        if not is_start and not is_told:
            is_told = True
            yield delta
        yield frame
    if not is_told:
        yield delta


def _sums(folder: Folder, selection: Selection) -> Delta:
    """Return the sums; where the time of threads went is known for all calls only."""
    total = folder.fold(per_process=True, selection=selection.of)
    opened = selection.opened(total.paths, total.failed_paths)
    failed = {} if selection.status == "successful" else total.failed_paths
    return attrs.evolve(
        total,
        paths=opened,
        failed_paths={path: number for path, number in failed.items() if path in opened},
        threads={},
        timeline=Timeline(),
        now=NOTHING_REPORTED,
        span=folder.deltas.known.span,
    )


def _other_frames(folder: Path) -> Iterator[bytes]:
    """Yield the recorded frames that are not deltas."""
    decoder = Decoder()
    with open_regular(folder / DELTAS) as file:
        file.seek(len(MAGIC))
        while data := file.read(_BLOCK):
            decoder.receive_data(data)
            yield from (frame for frame in decoder.undecoded() if kind_of(frame) is not Delta)


def main() -> None:
    """Write the recording; exit with a sentence if that is not possible."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    output = os.dup(1)
    os.dup2(2, 1)
    selection = msgspec.json.decode(sys.argv[2], type=Selection)
    try:
        recording = Recording.open(Path(sys.argv[1]))
        with os.fdopen(output, "wb") as file:
            for frame in selected(recording, selection):
                file.write(frame)
    except MemoryError:
        sys.exit("reading its calls takes too much memory")
    except (RecordingError, MissingPackageError, WireError, OSError) as error:
        sys.exit(reason_of(error))
    # What could be read has been written.
    sys.exit(recording.damaged_files() or 0)


if __name__ == "__main__":
    main()
