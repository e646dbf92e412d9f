"""Reads what a timeline needs of one segment, as arrays."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from syswatch.base.classes import frozen
from syswatch.recording import segments
from syswatch.recording.extra import load
from syswatch.recording.read.parquet import check_types, open_parquet

from .bins import NEVER_NS, bins_of, numbers_of
from .numbering import Numbering
from .rows import Rows

_TIME: Final = "timestamp[ns, tz=UTC]"
_NAME: Final = (
    "dictionary<values=string, indices=int16, ordered=0>|"
    "dictionary<values=string, indices=int32, ordered=0>"
)
TYPES_OF_CALLS: Final[Mapping[str, str]] = {
    "start": _TIME,
    **dict.fromkeys(("duration", "waiting", "ready"), "int64"),
    **dict.fromkeys(("pid", "tid"), "int32"),
    **dict.fromkeys(("name", "errno"), _NAME),
    "untimed": "bool",
}
_SUMS = ("calls", "errors", "working", "waiting", "ready", "longest")
_TYPES_OF_BINS: Final[Mapping[str, str]] = {
    "start": _TIME,
    **dict.fromkeys(("length", *_SUMS), "int64"),
    **dict.fromkeys(("pid", "tid", "row"), "int32"),
    "name": _NAME,
}


@frozen
class SegmentReader:
    """Reads segments of a directory; a RecordingError tells what is wrong with one."""

    folder: Path
    numbering: Numbering

    def has(self, number: int) -> bool:
        """Return whether a segment exists."""
        return (self.folder / segments.CALLS / segments.name_of(number)).exists()

    def bins(self, number: int) -> Rows:
        """Return the sums of a segment; a recording without them gets them from its calls."""
        path = self.folder / segments.BINS / segments.name_of(number)
        table = _read(path, _TYPES_OF_BINS) if path.exists() else bins_of(self._calls(number))
        return self._rows_of_bins(table, number)

    def calls(self, number: int) -> Rows:
        """Return the calls of a segment."""
        numpy = load("numpy")
        table = self._calls(number)
        columns = numbers_of(table)
        ones = numpy.ones(len(table), "i8")
        is_known = columns["timed"] & (columns["end"] < NEVER_NS)
        rows = Rows(
            start=columns["start"],
            end=columns["end"],
            lane=self.numbering.lanes_of(columns["pid"], columns["tid"]),
            name=self._names(table["name"]),
            calls=ones,
            errors=columns["errors"],
            **{each: columns[each] for each in ("working", "waiting", "ready")},
            longest=numpy.where(is_known, columns["end"] - columns["start"], 0),
            segment=ones * number,
            row=numpy.arange(len(table)),
        )
        return rows.in_order()

    def _calls(self, number: int) -> Any:
        return _read(self.folder / segments.CALLS / segments.name_of(number), TYPES_OF_CALLS)

    def _rows_of_bins(self, table: Any, number: int) -> Rows:
        numpy = load("numpy")
        start = table["start"].cast("int64").to_numpy()
        length = table["length"].fill_null(NEVER_NS).to_numpy()
        row = table["row"].fill_null(-1).to_numpy().astype("i8")
        rows = Rows(
            start=start,
            end=numpy.where(length < NEVER_NS, start + numpy.clip(length, 0, NEVER_NS), NEVER_NS),
            lane=self.numbering.lanes_of(table["pid"].to_numpy(), table["tid"].to_numpy()),
            name=self._names(table["name"]),
            **{each: numpy.maximum(table[each].to_numpy(), 0) for each in _SUMS},
            segment=numpy.full(len(table), number),
            row=row,
        )
        return rows.in_order()

    def _names(self, column: Any) -> Any:
        numpy = load("numpy")
        names = column.combine_chunks()
        numbers = self.numbering.names_of(names.dictionary.to_pylist())
        return numpy.array([*numbers, 0])[names.indices.fill_null(len(numbers)).to_numpy()]


def _read(path: Path, types: Mapping[str, str]) -> Any:
    with open_parquet(path) as file:
        check_types(file, types)
        return file.read(columns=list(types), use_threads=False)
