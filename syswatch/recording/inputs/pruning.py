"""The files of a recording with the columns that a query needs; all others are empty."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from syswatch.recording import manifest, segments
from syswatch.recording.columns import GROWING
from syswatch.recording.extra import load
from syswatch.recording.query.views import TABLES
from syswatch.recording.read.parquet import damages, open_parquet
from syswatch.recording.write.parquet import encoded

# The columns of each table that are needed.
Columns = Mapping[str, frozenset[str]]


def files_of(folder: Path, needed: Columns) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files that queries read."""
    yield manifest.NAME, (folder / manifest.NAME).read_bytes()
    for table in TABLES:
        if table in (segments.CALLS, segments.LOSSES):
            names = [segments.name_of(each) for each in segments.numbers_in(folder, table)]
            names = [f"{table}/{each}" for each in names]
        else:
            names = [f"{table}.parquet"]
        for name in names:
            if (folder / name).exists():
                growing = GROWING if table == segments.CALLS else ()
                yield name, _pruned(folder / name, needed[table], growing)


def _pruned(path: Path, needed: frozenset[str], growing: Iterable[str]) -> bytes:
    """Return a file with these columns; one that is damaged is said to be when it is read."""
    # What is wrong with a file is found in the same way wherever it was fetched from.
    with suppress(*damages()), open_parquet(path) as file:
        return bytes(encoded(_table(file, needed), *growing))
    return path.read_bytes()


def _table(file: Any, needed: frozenset[str]) -> Any:
    """Return the table of a file, in which the columns that are not needed have no values."""
    arrow = load("pyarrow")
    schema, rows = file.schema_arrow, file.metadata.num_rows
    kept = file.read([name for name in schema.names if name in needed])
    columns = [
        kept[field.name] if field.name in needed else arrow.nulls(rows, field.type)
        for field in schema
    ]
    return arrow.Table.from_arrays(columns, schema=schema)
