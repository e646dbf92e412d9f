"""The calls of a log as a table of calls, as `recording.columns` describes it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from syswatch.base.classes import define, frozen
from syswatch.codec.log_calls import (
    LogCall,
    LogCalls,
    LogCodes,
    LogColumns,
    LogTexts,
    packed_numbers,
)
from syswatch.model.errnos import NAMES
from syswatch.recording.arrays import array_of, nothing, texts_without
from syswatch.recording.columns import CALLS
from syswatch.recording.extra import load
from syswatch.recording.write.described import arrow_type
from syswatch.tracer.objects.targets import target_of
from syswatch.tracer.objects.ways import MOST_MOVED, Moved, bytes_moved
from syswatch.tracer.stracelog.estimated_waits import LEAST_WAIT_NS, WORK_NS, may_wait
from syswatch.tracer.stracelog.log_numbers import result_value, whole_number

from . import numeric, texts

_UNNAMED = re.compile(rb"ERRNO_(\d{1,6})")
_MESSAGE = re.compile(r"\bmsg_len=(\d+)")
_NUMBERS = {name.encode(): number for number, name in NAMES.items()}
_MOST_NAMES = 32_000


@define
class LogTables:
    """
    Makes tables.

    Where a log has no times, its calls follow each other from 1970-01-01 on.
    """

    _clock: numeric.Clock = attrs.field(factory=numeric.Clock, init=False)

    def table_of(self, pieces: Sequence[LogCalls]) -> Any:
        """Return the calls of consecutive pieces of a log, in the order of their starts."""
        arrow = load("pyarrow")
        fields = numeric.fields_of(pieces)
        order = self._clock.order(fields)
        columns = [each for piece in pieces for each in piece.columns]
        calls = [each for piece in pieces for each in piece.calls]
        found = _Texts.of(columns, calls)
        if not fields.is_ordered(order):
            # Before there is a table, which has many more columns.
            fields, found = fields.taken(order), found.taken(order)
        estimates = any(piece.follows_objects for piece in pieces)
        known = _columns(fields, found, estimates=estimates)
        return arrow.table(
            {
                column.name: known[column.name]
                if column.name in known
                else nothing(len(order), arrow_type(column))
                for column in CALLS
            },
            metadata=fields.extent.as_metadata(),
        )


@frozen
class _Texts:
    """The columns of texts; names and errnos also as numbers, with the different ones."""

    names: tuple[Any, Sequence[bytes]]
    errnos: tuple[Any, Sequence[bytes]]
    arguments: Any
    results: Any
    # The numbers with which the results begin.
    values: Any

    @classmethod
    def of(cls, columns: Sequence[LogColumns], calls: Sequence[LogCall]) -> "_Texts":
        """Return the texts of columns, and then of calls."""

        def codes(field: str, of_calls: Iterable[str]) -> tuple[Any, Sequence[bytes]]:
            last = LogCodes.of(each.encode() for each in of_calls)
            return texts.decoded([*(getattr(each.numbers, field) for each in columns), last])

        def shown(field: str, of_calls: Iterable[bytes]) -> Any:
            parts = [*(getattr(each, field) for each in columns), LogTexts.of(of_calls)]
            return texts.shown(texts.texts_of(parts))

        results = [each.result.encode() for each in calls]
        return cls(
            codes("names", (each.name for each in calls)),
            codes("errnos", (each.errno for each in calls)),
            shown("arguments", (each.arguments.encode() for each in calls)),
            shown("results", results),
            texts.numbers(
                "i8",
                *(each.numbers.results for each in columns),
                packed_numbers(map(result_value, results)),
            ),
        )

    def taken(self, order: Any) -> "_Texts":
        """Return the columns in another order."""
        (names, different_names), (errnos, different_errnos) = self.names, self.errnos
        places = array_of(order)
        return _Texts(
            (names[order], different_names),
            (errnos[order], different_errnos),
            self.arguments.take(places),
            self.results.take(places),
            self.values[order],
        )


def _columns(fields: numeric.Fields, found: _Texts, *, estimates: bool) -> Mapping[str, Any]:
    """Return the columns that a log has."""
    numpy, arrow = load("numpy"), load("pyarrow")
    unfinished = ~fields.returned
    failed = numpy.array([bool(each) for each in found.errnos[1]])[found.errnos[0]]
    errors = numpy.array([_errno(each) for each in found.errnos[1]], "i8")[found.errnos[0]]
    results = numpy.where(failed, -errors, found.values)
    named = failed & (errors > 1)
    waiting = _waiting(fields, found.names) if estimates else numpy.zeros(len(failed), "i8")
    return {
        "start": array_of(fields.starts, kind=arrow.timestamp("ns", tz="UTC")),
        "duration": array_of(fields.durations, unfinished),
        "waiting": array_of(waiting),
        "ready": array_of(numpy.zeros(len(failed), "i8")),
        "waited": array_of(waiting > 0),
        "estimated": array_of(waiting > 0),
        "untimed": array_of(fields.untimed),
        "pid": array_of(fields.pids),
        "tid": array_of(fields.pids),
        "name": _dictionary(found.names),
        "result": array_of(results, unfinished),
        "errno": _dictionary(found.errnos, ~failed),
        "bytes": array_of(_bytes(found, results)),
        "object": array_of(fields.objects, fields.objects == 0),
        "args": found.arguments,
        # The number of an error says all that strace would show.
        "ret": texts_without(found.results, named),
    }


def _dictionary(found: tuple[Any, Sequence[bytes]], missing: Any = None) -> Any:
    numpy, arrow = load("numpy"), load("pyarrow")
    codes, different = found
    # A file that is not a log may have any number of names.
    names = [each.decode() for each in different[:_MOST_NAMES]] + ["?"]
    indices = numpy.minimum(codes, _MOST_NAMES).astype("i2")
    return arrow.DictionaryArray.from_arrays(
        array_of(indices, missing), arrow.array(names, "string")
    )


def _waiting(fields: numeric.Fields, names: tuple[Any, Sequence[bytes]]) -> Any:
    """Return how long each call waited, by the rule for logs."""
    numpy = load("numpy")
    may = numpy.array([may_wait(each.decode()) for each in names[1]])[names[0]]
    waited = may & fields.returned & (fields.durations > LEAST_WAIT_NS)
    return numpy.where(waited, fields.durations - WORK_NS, 0)


def _bytes(found: _Texts, results: Any) -> Any:
    """Return how many bytes each call moved."""
    numpy = load("numpy")
    codes, names = found.names
    moved = [target_of(each.decode()).moved for each in names]
    is_result = numpy.array([bool(each) and Moved.MESSAGES not in each for each in moved])
    counts = numpy.where(is_result[codes] & (results >= 0) & (results <= MOST_MOVED), results, 0)
    is_messages = numpy.array([Moved.MESSAGES in each for each in moved])
    for at in numpy.flatnonzero(is_messages[codes] & (results >= 0)):
        lengths = _MESSAGE.findall(found.arguments[at].as_py())
        counts[at] = sum(bytes_moved(whole_number(each.encode())) for each in lengths)
    counts[_left_in_place(found, codes, names)] = 0
    return counts


def _left_in_place(found: _Texts, codes: Any, names: Sequence[bytes]) -> list[int]:
    """Return the indexes of calls that have only looked at what they have received."""
    numpy = load("numpy")
    flags_at = [target_of(each.decode()).flags for each in names]
    receive = numpy.flatnonzero(numpy.array([at >= 0 for at in flags_at])[codes])
    texts = found.arguments.take(receive)
    # Most logs have none.
    may = load("pyarrow.compute").match_substring(texts, "MSG_PEEK").to_numpy(zero_copy_only=False)
    if not may.any():
        return []
    from syswatch.tracer.stracelog.left_in_place import leaves_in_place

    return [
        at
        for at in receive[may.astype(bool)].tolist()
        if leaves_in_place(found.arguments[at].as_py().encode(), flags_at[codes[at]])
    ]


def _errno(name: bytes) -> int:
    """Return the number of an error, 1 if its name is unknown, and 0 if there is none."""
    if match := _UNNAMED.fullmatch(name):
        return int(match[1])
    return _NUMBERS.get(name, int(bool(name)))
