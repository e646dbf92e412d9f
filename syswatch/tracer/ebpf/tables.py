"""The tables of calls: that of everything, and those of single processes."""

import ctypes
import struct
from collections.abc import Iterator
from functools import partial
from mmap import mmap

import attrs

from syswatch.model.calls import CallTally

from . import layout
from .calls import Call
from .news import Known, Sums
from .program import Program
from .rows import Rows

_SUMS = ctypes.sizeof(layout.Sums) // 8
_HISTOGRAM = 4 * layout.BUCKETS
_ERRORS = 4 * layout.ERRORS
_KEY = struct.Struct("II")
_ROW_SUMS = struct.Struct(f"{_SUMS}Q")
_ROW = ctypes.sizeof(layout.Row)
_ROW_ERRORS = layout.Row.errors.offset
_NOTHING: Sums = (0,) * _SUMS


@attrs.define
class WholeTable:
    """What everybody has done, which is counted by processors and mapped into our memory."""

    program: Program
    rows: Rows
    _known: dict[int, tuple[Call, Known]] = attrs.field(factory=dict, init=False)
    _seen: mmap = attrs.field(init=False)
    _sums: "memoryview[int]" = attrs.field(init=False)
    _histograms: mmap = attrs.field(init=False)
    _errors: mmap = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map what is read."""
        program = self.program
        self._seen = program.mapped("seen", 8 * layout.ROWS)
        self._sums = memoryview(
            program.mapped("sums", program.cpus * layout.ROWS * _SUMS * 8)
        ).cast("Q")
        self._histograms = program.mapped("histograms", program.shards * layout.ROWS * _HISTOGRAM)
        self._errors = program.mapped("errors", layout.ROWS * _ERRORS)

    def read(self) -> Iterator[tuple[str, CallTally]]:
        """Yield what is new."""
        for number in range(layout.ROWS):
            # Of a map that is mapped, every entry begins at a multiple of eight bytes.
            if not self._seen[number * 8]:
                continue
            if number not in self._known:
                self._known[number] = self.rows.describe(number), Known()
            call, known = self._known[number]
            tally = known.compare(
                self._sums_of(number),
                partial(self._histograms_of, number),
                partial(self._errors_of, number),
            )
            if tally is not None:
                yield call.name, tally

    def _sums_of(self, number: int) -> Sums:
        each = [
            tuple(self._sums[at : at + _SUMS])
            for cpu in range(self.program.cpus)
            for at in ((cpu * layout.ROWS + number) * _SUMS,)
        ]
        timed = [values for values in each if values[0]]
        return (
            *(sum(column) for column in list(zip(*each, strict=True))[:4]),
            min((values[4] for values in timed), default=0),
            max((values[5] for values in timed), default=0),
        )

    def _histograms_of(self, number: int) -> list[bytes]:
        return [
            self._histograms[at : at + _HISTOGRAM]
            for shard in range(self.program.shards)
            for at in ((shard * layout.ROWS + number) * _HISTOGRAM,)
        ]

    def _errors_of(self, number: int) -> bytes:
        return self._errors[number * _ERRORS : (number + 1) * _ERRORS]


@attrs.define
class ProcessTables:
    """What each process has done, by the number of its record."""

    program: Program
    rows: Rows
    _known: dict[tuple[int, int], tuple[Call, Known]] = attrs.field(factory=dict, init=False)

    def read(self) -> Iterator[tuple[int, str, CallTally]]:
        """Yield what is new: whose it is, which call, and how much."""
        keys, rows = self.program.contents("rows", _KEY.size, _ROW)
        for place, (record, number) in enumerate(_KEY.iter_unpack(keys)):
            key = record, number
            data = rows[place * _ROW : (place + 1) * _ROW]
            if key not in self._known:
                self._known[key] = self.rows.describe(number), Known()
            call, known = self._known[key]
            tally = known.compare(
                _ROW_SUMS.unpack_from(data),
                partial(_histograms_in, data),
                partial(_errors_in, data),
            )
            if tally is not None:
                yield record, call.name, tally

    def forget(self, records: set[int]) -> None:
        """Make room: these processes have ended, and all of theirs has been read."""
        for key in [key for key in self._known if key[0] in records]:
            del self._known[key]
            self.program.delete("rows", _KEY.pack(*key))


def _histograms_in(row: bytes) -> list[bytes]:
    return [row[_ROW_SUMS.size : _ROW_ERRORS]]


def _errors_in(row: bytes) -> bytes:
    return row[_ROW_ERRORS:]
