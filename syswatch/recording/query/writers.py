"""Writers of results, one for each form, which write the rows as they arise."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, count, islice
from typing import Any, BinaryIO, Final

import msgspec

from syswatch.base.text import escape_text
from syswatch.recording.extra import load
from syswatch.views.text_table import GAP, Cell, TextColumn, align

from .database import Result
from .values import rows_of

# A table is as wide as its widest row, so all rows of it are in memory.
MOST_TABLE_ROWS: Final = 10_000
_WIDEST_CELL = 120


# Writes a result, and returns a note about what is missing, or an empty text.
Writer = Callable[[Result, BinaryIO], str]


def _table(result: Result, out: BinaryIO) -> str:
    rows = list(islice(_rows(result), MOST_TABLE_ROWS + 1))
    shown = rows[:MOST_TABLE_ROWS]
    columns = [
        TextColumn(escape_text(name), is_number=_is_number(field.type))
        for name, field in zip(result.columns, result.schema, strict=True)
    ]
    cells = [[Cell(_cell(value)) for value in row] for row in shown]
    lines = align(columns, cells)
    out.writelines(f"{GAP.join(cell.text for cell in line).rstrip()}\n".encode() for line in lines)
    if len(rows) > len(shown):
        return f"only the first {MOST_TABLE_ROWS} rows are shown; other formats have all of them"
    return ""


def _cell(value: object) -> str:
    text = "–" if value is None else escape_text(_text(value))
    return text if len(text) <= _WIDEST_CELL else f"{text[: _WIDEST_CELL - 3]}..."


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else str(value)


def _is_number(kind: Any) -> bool:
    types = load("pyarrow").types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _csv(result: Result, out: BinaryIO) -> str:
    out.write(_csv_lines([list(map(escape_text, result.columns))]))
    out.writelines(_csv_lines(map(_csv_row, rows_of(batch))) for batch in result.batches)
    return ""


def _csv_lines(rows: Any) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _csv_row(row: tuple[Any, ...]) -> list[object]:
    return [
        value if value is None or isinstance(value, float) else escape_text(_text(value))
        for value in row
    ]


def _json(result: Result, out: BinaryIO) -> str:
    """Write an array with an object in each line, so that it can be read line by line, too."""
    out.write(b"[")
    separator, keys = b"\n", _keys(result.columns)
    for row in _rows(result):
        out.write(separator + msgspec.json.encode(dict(zip(keys, row, strict=True))))
        separator = b",\n"
    out.write(b"\n]\n")
    return ""


def _keys(names: Sequence[str]) -> list[str]:
    """Return names that differ: columns may have the same name, but an object has each key once."""
    keys: list[str] = []
    for name in names:
        others = (f"{name}_{number}" for number in count(2))
        keys.append(next(each for each in chain([name], others) if each not in keys))
    return keys


def _parquet(result: Result, out: BinaryIO) -> str:
    # A writer that is given a Python file needs it to tell its position, which a pipe cannot.
    arrow, parquet = load("pyarrow"), load("pyarrow.parquet")
    with parquet.ParquetWriter(
        arrow.PythonFile(out, mode="w"), result.schema, compression="zstd"
    ) as writer:
        for batch in _grouped(result.batches):
            writer.write_table(arrow.Table.from_batches(batch, result.schema))
    return ""


def _grouped(batches: Iterator[Any]) -> Iterator[list[Any]]:
    """Yield batches together: each group becomes a row group, which should not be small."""
    while group := list(islice(batches, 100)):
        yield group


def _rows(result: Result) -> Iterator[tuple[Any, ...]]:
    for batch in result.batches:
        yield from rows_of(batch)


WRITERS: Final[Mapping[str, Writer]] = {
    "table": _table,
    "csv": _csv,
    "json": _json,
    "parquet": _parquet,
}
