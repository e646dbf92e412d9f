"""The numbers of the calls of a log as arrays of numpy: times, processes and objects."""

from collections.abc import Sequence
from typing import Any, Self

import attrs

from syswatch.base.classes import define
from syswatch.codec.log_calls import LogCall, LogCalls, LogColumns
from syswatch.model.times import SECOND_NS
from syswatch.recording.extent import Extent
from syswatch.recording.extra import load
from syswatch.tracer.stracelog.log_clock import is_time_of_day, whole_seconds

from . import texts

# What stands for a start and a duration that a log does not have.
_NONE = -1
# The number of a piece of a log comes before that of a line.
_LINE_BITS = 40
# Of calls without times; the longest is that of a line that is damaged.
_LEAST_NS, _LONGEST_NS = 1000, 10**15
# A line that is damaged may have any time; this one and a duration are not too large together.
_LAST_S = 8_000_000_000


@define
class Fields:
    """The numbers of calls, of which some have not returned; those of unknown length have 0."""

    starts: Any
    durations: Any
    pids: Any
    objects: Any
    # The place in the log.
    places: Any
    returned: Any
    untimed: Any

    @classmethod
    def joined(cls, parts: Sequence["Fields"]) -> Self:
        """Return the numbers of several parts together."""
        join = load("numpy").concatenate
        names = [field.name for field in attrs.fields(cls)]
        return cls(*(join([getattr(part, name) for part in parts]) for name in names))

    def taken(self, order: Any) -> Self:
        """Return the numbers in another order."""
        return type(self)(*(getattr(self, field.name)[order] for field in attrs.fields(type(self))))

    @property
    def extent(self) -> Extent:
        """Return when the calls began and ended."""
        numpy = load("numpy")
        # All ones if it has not returned.
        durations = numpy.where(self.returned, self.durations, -1).view("u8")
        times = [self.starts.view("u8"), durations]
        return Extent.of(numpy.rec.fromarrays(times, names="start_ns,duration_ns"))

    @staticmethod
    def is_ordered(order: Any) -> bool:
        """Return whether calls are in this order already."""
        return bool((order[1:] > order[:-1]).all())


@define
class Clock:
    """Gives calls of a log without times their starts, one after the other."""

    _elapsed_ns: int = attrs.field(default=0, init=False)

    def order(self, fields: Fields) -> Any:
        """Complete the starts; return the order of calls by start, and then by line."""
        numpy = load("numpy")
        by_line = numpy.argsort(fields.places, kind="stable")
        starts = fields.starts[by_line]
        missing = starts == _NONE
        if missing.all():
            starts = self._following(fields.durations[by_line])
        elif missing.any():
            starts = starts[_last_known(missing)]
        fields.starts[by_line] = starts
        return by_line[numpy.argsort(starts, kind="stable")]

    def _following(self, durations: Any) -> Any:
        numpy = load("numpy")
        ends = self._elapsed_ns + numpy.cumsum(numpy.clip(durations, _LEAST_NS, _LONGEST_NS))
        starts = numpy.concatenate([[self._elapsed_ns], ends[:-1]])
        self._elapsed_ns = int(ends[-1])
        return starts


def _last_known(missing: Any) -> Any:
    """Return for each call the place of the last one that has a start, or of the first one."""
    numpy = load("numpy")
    places = numpy.where(missing, numpy.argmin(missing), numpy.arange(len(missing)))
    return numpy.maximum.accumulate(places)


def fields_of(pieces: Sequence[LogCalls]) -> Fields:
    """Return the numbers of pieces of a log: first those of all columns, then those of calls."""
    of_columns = [(number, each) for number, piece in enumerate(pieces) for each in piece.columns]
    of_calls = [(number, each) for number, piece in enumerate(pieces) for each in piece.calls]
    parts = []
    if of_columns:
        parts.append(_of_columns(of_columns))
    if of_calls:
        parts.append(_of_calls(of_calls))
    return Fields.joined(parts)


def _of_columns(numbered: Sequence[tuple[int, LogColumns]]) -> Fields:
    numpy = load("numpy")
    columns = [each for _, each in numbered]
    counts = [each.count for each in columns]
    count = sum(counts)

    def codes(field: str) -> tuple[Any, Sequence[bytes]]:
        return texts.decoded([getattr(each.numbers, field) for each in columns])

    def numbers(field: str, kind: str) -> Any:
        return texts.numbers(kind, *(getattr(each.numbers, field) for each in columns))

    def repeated(values: Sequence[int]) -> Any:
        return numpy.repeat(numpy.array(values, "i8"), counts)

    places, different = codes("pids")
    pids = numpy.array([int(each or 0) for each in different], "i8")[places]
    pids = numpy.where(pids == 0, repeated([each.fallback_pid for each in columns]), pids)
    durations = numbers("durations", "i8")
    origins_s = repeated([each.origin_s for each in columns])
    times = _times(codes("seconds"), numbers("fractions", "u4"), origins_s)
    ends = numpy.frombuffer(b"".join(each.ends for each in columns), "?") & (times != _NONE)
    return Fields(
        numpy.where(ends, numpy.maximum(times - numpy.maximum(durations, 0), 0), times),
        numpy.maximum(durations, 0),
        pids.astype("i4"),
        numpy.frombuffer(b"".join(each.objects for each in columns), "i8"),
        numpy.concatenate([_places(number, each) for number, each in numbered]),
        numpy.ones(count, "?"),
        durations == _NONE,
    )


def _times(seconds: tuple[Any, Sequence[bytes]], fractions_ns: Any, origins_s: Any) -> Any:
    numpy = load("numpy")
    codes, different = seconds
    whole = numpy.array([whole_seconds(each) if each else _NONE for each in different], "i8")[codes]
    of_day = numpy.array([is_time_of_day(each) for each in different], "?")[codes]
    times = numpy.minimum(whole, _LAST_S) * SECOND_NS + fractions_ns
    times += numpy.where(of_day, origins_s * SECOND_NS, 0)
    return numpy.where(whole == _NONE, _NONE, times)


def _places(number: int, columns: LogColumns) -> Any:
    numpy = load("numpy")
    lines = numpy.arange(columns.count + len(columns.skipped))
    kept = numpy.delete(lines, columns.skipped) if columns.skipped else lines
    return kept + columns.first_line + (number << _LINE_BITS)


def _bounded(start_ns: int) -> int:
    return min(start_ns, _LAST_S * SECOND_NS)


def _of_calls(numbered: Sequence[tuple[int, LogCall]]) -> Fields:
    numpy = load("numpy")
    calls = [each for _, each in numbered]

    def column(values: Sequence[object], kind: str = "i8") -> Any:
        return numpy.array(values, kind)

    return Fields(
        column([_NONE if each.start_ns is None else _bounded(each.start_ns) for each in calls]),
        column([each.duration_ns or 0 for each in calls]),
        column([each.pid for each in calls], "i4"),
        column([each.object for each in calls]),
        column([each.line + (number << _LINE_BITS) for number, each in numbered]),
        column([each.returned for each in calls], "?"),
        column([each.returned and each.duration_ns is None for each in calls], "?"),
    )
