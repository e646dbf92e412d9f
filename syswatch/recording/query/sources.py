"""Which files the tables of recordings are read from: only those that are whole."""

import re
from collections.abc import Iterator, Sequence
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


def source_of(recordings: Sequence[Recording], table: str) -> Source:
    """Return the source of a table, whose rows have the name of their recording."""
    queries, files = [], []
    for recording in recordings:
        found = [str(file.absolute()) for file in _files(recording, table)]
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
        recording.damaged[path.name] = str(error)
