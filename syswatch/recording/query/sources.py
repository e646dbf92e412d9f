"""Which files the tables of recordings are read from: only those that are whole."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text
from syswatch.codec.recording import RecordingError
from syswatch.recording import segments
from syswatch.recording.read.opening import Recording
from syswatch.recording.read.parquet import open_parquet

from .views import RECORDING, TABLES, TYPES

# What means more than itself in the name of a file.
_PATTERN = re.compile(r"[*?\[]")


@frozen
class Source:
    """What a query reads a table from, and the paths that it must be allowed to access."""

    sql: str
    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, and their names as patterns."""
        return (*self.files, *self.patterns)


def place_of(folder: Path, opened: ExitStack) -> Path:
    """
    Return a path of a directory that DuckDB can open: it takes only names that are UTF-8.

    Any other directory is opened, until `opened` is closed, and has the path of its descriptor.
    """
    absolute = folder.absolute()
    try:
        str(absolute).encode()
    except UnicodeEncodeError:
        fd = os.open(absolute, os.O_RDONLY | os.O_DIRECTORY)
        opened.callback(os.close, fd)
        return Path(f"/proc/self/fd/{fd}")
    return absolute


def source_of(recordings: Sequence[Recording], table: str, places: Mapping[Path, Path]) -> Source:
    """
    Return the source of a table, whose rows have the name of their recording.

    `places` are the paths by which the directories of the recordings are opened.
    """
    queries, files = [], []
    for recording in recordings:
        folder, place = recording.folder, places[recording.folder]
        found = [str(place / file.relative_to(folder)) for file in _files(recording, table)]
        name = _literal(escape_text(recording.name))
        if found:
            listed = ", ".join(_literal(_pattern(file)) for file in found)
            of_files = f"read_parquet([{listed}])"
            queries.append(f'SELECT *, {name} AS "{RECORDING.name}" FROM {of_files}')  # noqa: S608
            files += found
    # The order of columns may differ between versions, their names do not.
    sql = " UNION ALL BY NAME ".join(queries) or _nothing(table)
    return Source(f"({sql})", tuple(files), tuple(map(_pattern, files)))


def _nothing(table: str) -> str:
    """Return a query of a table without rows."""
    columns = (*TABLES[table], RECORDING)
    typed = ", ".join(f'NULL::{TYPES[each.type]} AS "{each.name}"' for each in columns)
    return f"SELECT {typed} WHERE false"


def _pattern(file: str) -> str:
    """Return the name of a file as a pattern that matches only it."""
    return _PATTERN.sub(r"[\g<0>]", file)


def _literal(text: str) -> str:
    quoted = text.replace("'", "''")
    return f"'{quoted}'"


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
        recording.damaged[str(path.relative_to(recording.folder))] = str(error)
