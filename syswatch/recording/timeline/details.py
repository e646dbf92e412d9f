"""Single calls: everything that was recorded of one, and a search for text."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from syswatch.base.classes import frozen
from syswatch.codec.recording import RecordingError
from syswatch.recording import segments
from syswatch.recording.columns import CALLS
from syswatch.recording.extra import load
from syswatch.recording.read.parquet import check_types, open_parquet

from . import tables
from .segment import TYPES_OF_CALLS
from .tables import Row

# As many as a list can show.
MOST_MATCHES = 500
PATIENCE_S = 0.06
_LONGEST_TEXT = 200
_LONGEST_ID = 24
_TYPES: Final = {
    **TYPES_OF_CALLS,
    **dict.fromkeys(("result", "bytes", "object"), "int64"),
    **dict.fromkeys(("waited", "estimated"), "bool"),
    "cpu": "int16",
}
_COLUMNS: Final = tuple(column.name for column in CALLS)
_DECODED: Final = ("args", "ret")
_TEXTS: Final = ("name", "errno", *_DECODED)


class UnknownCallError(Exception):
    """No call has this identifier."""


@frozen
class Found:
    """The calls of a segment in which a text was found: rows with the columns of calls."""

    segment: int
    rows: list[Row]
    # The number of each in the segment.
    places: list[int]


def identifier(segment: int, row: int) -> str:
    """Return what identifies a call."""
    return f"{segment}-{row}"


def parsed(text: str) -> tuple[int, int]:
    """Return the segment and the row that an identifier names; raise UnknownCallError."""
    segment, _, row = text.partition("-")
    if not (
        segment.isdecimal() and row.isdecimal() and len(text) <= _LONGEST_ID and text.isascii()
    ):
        raise UnknownCallError
    return int(segment), int(row)


def row_of(folder: Path, segment: int, row: int) -> Row:
    """Return a row of the table of calls, with times in nanoseconds; raise UnknownCallError."""
    path = _path(folder, segment)
    if not path.exists():
        raise UnknownCallError
    with open_parquet(path, _DECODED) as file:
        check_types(file, _TYPES)
        for group in range(file.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            if row < size:
                columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
                table = file.read_row_group(group, columns=columns, use_threads=False)
                return _plain(table.slice(row, 1))[0]
            row -= size
    raise UnknownCallError


def search(folder: Path, text: str, first: int) -> Iterator[Found]:
    """
    Yield where a text is found from one segment on, in names, errors, arguments and objects.

    The search stops early after a while, or when there are enough: continue with the segment
    after the last one.
    """
    deadline = time.monotonic() + PATIENCE_S
    wanted = text[:_LONGEST_TEXT]
    keys = tables.objects_named(folder, wanted)
    found = 0
    for number in segments.numbers_in(folder, segments.CALLS):
        if number < first:
            continue
        try:
            some = _found_in(folder, number, wanted, keys, MOST_MATCHES - found)
        except RecordingError:
            continue
        yield some
        found += len(some.rows)
        if found >= MOST_MATCHES or time.monotonic() >= deadline:
            return


def _found_in(folder: Path, number: int, text: str, keys: Any, most: int) -> Found:
    compute = load("pyarrow.compute")
    with open_parquet(_path(folder, number), _DECODED) as file:
        check_types(file, _TYPES)
        table = file.read(columns=[*_TEXTS, "object"], use_threads=False)
        mask = compute.is_in(table["object"], value_set=keys)
        for name in _TEXTS:
            mask = compute.or_(mask, _has_text(table[name].combine_chunks(), text))
        places = compute.indices_nonzero(mask).slice(0, most)
        if not len(places):
            return Found(number, [], [])
        some = ["start", "duration", "pid", "tid", "name"]
        rows = _plain(file.read(columns=some, use_threads=False).take(places))
    return Found(number, rows, places.to_pylist())


def _has_text(column: Any, text: str) -> Any:
    """Return whether each value has a text; each distinct value is looked at once."""
    arrow, compute = load("pyarrow"), load("pyarrow.compute")
    if not arrow.types.is_dictionary(column.type):
        matches = compute.match_substring(column, text, ignore_case=True)
    else:
        known = compute.match_substring(column.dictionary, text, ignore_case=True)
        matches = known.take(column.indices)
    return matches.fill_null(False)  # noqa: FBT003  pyarrow takes it by position


def _plain(table: Any) -> list[Row]:
    place = table.column_names.index("start")
    rows: list[Row] = table.set_column(place, "start", table["start"].cast("int64")).to_pylist()
    return rows


def _path(folder: Path, number: int) -> Path:
    return folder / segments.CALLS / segments.name_of(number)
