"""The tables of calls: of all processes together, and of each process."""

import ctypes
import struct
from collections.abc import Iterator, Mapping
from functools import partial
from mmap import mmap

import attrs

from syswatch.base.classes import define
from syswatch.model.calls import CallTally
from syswatch.model.window import SecondTotals, Window

from . import layout
from .array_entries import ArrayEntries
from .calls import CallName, CallNames
from .increments import CallIncrements, Sums
from .program import Program

_SUMS = ctypes.sizeof(layout.Sums) // 8
_HISTOGRAM = 4 * layout.BUCKETS
_ERRORS = 4 * layout.ERRORS
_KEY = struct.Struct("II")
_ROW_SUMS = struct.Struct(f"{_SUMS}Q")
_ROW = ctypes.sizeof(layout.Row)
_ROW_ERRORS = layout.Row.errors.offset
_NOTHING: Sums = (0,) * _SUMS


@define
class WholeTable:
    """
    The calls of all processes, counted for each CPU.

    The sums are mapped, and tell which calls have changed.  Of these, histograms and errors are
    read one by one: the tables take megabytes, but a trace has a few dozen different calls.
    """

    program: Program
    names: CallNames
    _known: dict[int, tuple[CallName, CallIncrements]] = attrs.field(factory=dict, init=False)
    _seen: mmap = attrs.field(init=False)
    _sums: "memoryview[int]" = attrs.field(init=False)
    _histograms: ArrayEntries = attrs.field(init=False)
    _errors: ArrayEntries = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map what tells whether a call has changed."""
        program = self.program
        self._seen = program.mapped("seen", 8 * layout.ROWS)
        self._sums = memoryview(
            program.mapped("sums", program.cpus * layout.ROWS * _SUMS * 8)
        ).cast("Q")
        self._histograms = ArrayEntries(program, "histograms", _HISTOGRAM)
        self._errors = ArrayEntries(program, "errors", _ERRORS)

    def read(self) -> Iterator[tuple[str, CallTally]]:
        """Yield the increments of each call."""
        for number in range(layout.ROWS):
            # Entries of a mapped map are aligned to eight bytes.
            if not self._seen[number * 8]:
                continue
            if number not in self._known:
                self._known[number] = self.names.name(number), CallIncrements()
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
            self._histograms.read(shard * layout.ROWS + number)
            for shard in range(self.program.shards)
        ]

    def _errors_of(self, number: int) -> bytes:
        return self._errors.read(number)


@define
class ProcessTables:
    """The calls of each process, by the number of its record."""

    program: Program
    names: CallNames
    _known: dict[tuple[int, int], tuple[CallName, CallIncrements]] = attrs.field(
        factory=dict, init=False
    )

    def read(self) -> Iterator[tuple[int, str, CallTally]]:
        """Yield record, call and increments."""
        keys, rows = self.program.contents("rows", _KEY.size, _ROW)
        for place, (record, number) in enumerate(_KEY.iter_unpack(keys)):
            key = record, number
            data = rows[place * _ROW : (place + 1) * _ROW]
            if key not in self._known:
                self._known[key] = self.names.name(number), CallIncrements()
            call, known = self._known[key]
            tally = known.compare(
                _ROW_SUMS.unpack_from(data),
                partial(_histograms_in, data),
                partial(_errors_in, data),
            )
            if tally is not None:
                yield record, call.name, tally

    def forget(self, records: set[int]) -> None:
        """Delete the rows of processes that have ended, after they have been read."""
        for key in [key for key in self._known if key[0] in records]:
            del self._known[key]
            self.program.delete("rows", _KEY.pack(*key))


def _histograms_in(row: bytes) -> list[bytes]:
    return [row[_ROW_SUMS.size : _ROW_ERRORS]]


def _errors_in(row: bytes) -> bytes:
    return row[_ROW_ERRORS:]


def window_of(second: int, calls: Mapping[str, CallTally]) -> Window:
    """Return the history of one second with these calls."""
    moments = {name: SecondTotals(t.count, t.errors, t.total_ns) for name, t in calls.items()}
    return Window({second: moments} if moments else {})
