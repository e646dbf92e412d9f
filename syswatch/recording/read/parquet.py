"""
Reads segments, which may be damaged or made to harm.

What a file claims is checked before any memory is used for it.  What a compressed page really holds
is known only once it is unpacked: the process that reads has a limit on its memory for that.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from syswatch.codec.recording import RecordingError
from syswatch.machine.regular_files import open_regular
from syswatch.recording.extra import load

from .files import reason_of

# Of calls; a recorder writes an eighth of that.
MOST_ROWS_IN_GROUP = 1 << 21
_MOST_ROWS = 1 << 25
_MOST_BYTES_IN_GROUP = 1 << 29
_LARGEST_FILE = 1 << 34
# Of a segment, it has some ten kilobytes; its length and four letters follow it.
_LARGEST_FOOTER = 1 << 24
_END_BYTES = 8
# What the footer may hold: names of columns, and a list of columns for each group.
_LONGEST_STRING = 1 << 20
_LONGEST_LIST = 1 << 16


@contextmanager
def open_parquet(path: Path, texts: Sequence[str] = ()) -> Iterator[Any]:
    """
    Open a Parquet file and check what it claims; raise RecordingError.

    Columns of `texts` are read as dictionaries: a short file can claim to have a long text in each
    of a million rows.
    """
    arrow, parquet = load("pyarrow"), load("pyarrow.parquet")
    try:
        with open_regular(path) as plain:
            fd = plain.fileno()
            _check_footer(fd)
            with arrow.OSFile(f"/proc/self/fd/{fd}") as source:
                file = parquet.ParquetFile(
                    source,
                    read_dictionary=list(texts),
                    thrift_string_size_limit=_LONGEST_STRING,
                    thrift_container_size_limit=_LONGEST_LIST,
                    page_checksum_verification=True,
                )
                _check(file.metadata)
                yield file
    except KeyError as error:
        raise RecordingError(f"it has no column {', '.join(texts)}") from error
    except (arrow.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        raise RecordingError(reason_of(error)) from error


def damages() -> tuple[type[Exception], ...]:
    """Return the exceptions by which the content of a damaged file shows while it is used."""
    arrow = load("pyarrow")
    plain = (ValueError, OverflowError, MemoryError, LookupError, TypeError, OSError)
    return RecordingError, arrow.ArrowException, *plain


def damage_in(path: Path) -> str:
    """Read all of a file; return what is damaged in it, if anything."""
    try:
        with open_parquet(path) as file:
            for number in range(file.num_row_groups):
                file.read_row_group(number)
    except damages() as error:
        return reason_of(error)
    return ""


def _check_footer(fd: int) -> None:
    """Check how long the footer is, for which memory is used before anything else is known."""
    size = os.fstat(fd).st_size
    if size > _LARGEST_FILE:
        raise RecordingError(f"it is too large: {size} bytes")
    if size <= _END_BYTES:
        raise RecordingError("it is cut short")
    length = int.from_bytes(os.pread(fd, 4, size - _END_BYTES), "little")
    if length > min(size, _LARGEST_FOOTER):
        raise RecordingError(f"it claims to have a footer of {length} bytes")


def _check(metadata: Any) -> None:
    if not 0 <= metadata.num_rows <= _MOST_ROWS:
        raise RecordingError(f"it claims to have {metadata.num_rows} rows")
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if not 0 <= group.num_rows <= MOST_ROWS_IN_GROUP:
            raise RecordingError(f"it claims to have {group.num_rows} rows in a group")
        if not 0 <= group.total_byte_size <= _MOST_BYTES_IN_GROUP:
            raise RecordingError(f"it claims to have {group.total_byte_size} bytes in a group")


def check_types(file: Any, types: Mapping[str, str]) -> None:
    """Raise RecordingError unless the columns exist and have these types."""
    schema = file.schema_arrow
    for name, wanted in types.items():
        place = schema.get_field_index(name)
        found = str(schema.field(place).type) if place >= 0 else ""
        if not found:
            raise RecordingError(f"it has no column {name}")
        if found not in wanted.split("|"):
            raise RecordingError(f"its column {name} has the type {found[:60]}")
