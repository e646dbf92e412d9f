"""Which files the tables of a recording are read from: only those that are whole."""

import re
from collections.abc import Iterator
from pathlib import Path

import attrs

from syswatch.codec.recording import RecordingError
from syswatch.recording import segments
from syswatch.recording.read.opening import Recording
from syswatch.recording.read.parquet import open_parquet

from .views import TABLES, TYPES

# What means more than itself in the name of a file.
_PATTERN = re.compile(r"[*?\[]")


@attrs.frozen
class Source:
    """What a query reads a table from, and the paths that it must be allowed to access."""

    sql: str
    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, and their names as patterns."""
        return (*self.files, *self.patterns)


def source_of(recording: Recording, table: str) -> Source:
    """Return the source of a table, which is empty without files."""
    files = [str(file.absolute()) for file in _files(recording, table)]
    if not files:
        nothing = ", ".join(f'NULL::{TYPES[each.type]} AS "{each.name}"' for each in TABLES[table])
        return Source(f"(SELECT {nothing} WHERE false)")
    patterns = [_PATTERN.sub(r"[\g<0>]", file) for file in files]
    literals = (pattern.replace("'", "''") for pattern in patterns)
    listed = ", ".join(f"'{literal}'" for literal in literals)
    return Source(f"read_parquet([{listed}])", tuple(files), tuple(patterns))


def _files(recording: Recording, table: str) -> Iterator[Path]:
    folder = recording.folder
    if table == segments.CALLS:
        yield from (segment.path for segment in recording.segments())
    elif table == segments.LOSSES:
        for number in segments.numbers_in(folder, table):
            yield from _whole(recording, folder / table / segments.name_of(number))
    else:
        yield from _whole(recording, folder / f"{table}.parquet")


def _whole(recording: Recording, path: Path) -> Iterator[Path]:
    """Yield a file if it can be read; what is damaged is noted."""
    if not path.exists() and not path.is_symlink():
        return
    try:
        with open_parquet(path):
            yield path
    except RecordingError as error:
        recording.damaged[path.name] = str(error)
