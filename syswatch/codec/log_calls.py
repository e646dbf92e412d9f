"""
The calls of a log on their way to the recorder.

Most lines of a log are read by one expression that returns their fields, so the recorder gets each
field of many calls together, as a column of numbers or texts.  All other calls come one by one.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Final, NamedTuple, Self

import attrs

from syswatch.base.classes import define, frozen
from syswatch.model.times import SECOND_NS

# The type codes in an `array`: of IDs of objects, of results and times, and of places and codes.
_OBJECT: Final = "Q"
_NUMBER: Final = "q"
_PLACE: Final = "I"
# What a call takes besides its arguments, roughly.
_COLUMN_BYTES, _CALL_BYTES = 60, 500


class LogTexts(NamedTuple):
    """Texts one after the other, and where each of them ends: as numbers of four bytes."""

    texts: bytes
    ends: bytes

    @classmethod
    def of(cls, texts: Iterable[bytes]) -> Self:
        """Return these texts."""
        each = list(texts)
        return cls(b"".join(each), array(_PLACE, accumulate(map(len, each))).tobytes())


class LogCodes(NamedTuple):
    """Texts of which most are the same: the place of each among the different ones, packed."""

    codes: bytes
    different: tuple[bytes, ...]

    @classmethod
    def of(cls, texts: Iterable[bytes]) -> Self:
        """Return these texts."""
        places: dict[bytes, int] = {}
        codes = [places.setdefault(each, len(places)) for each in texts]
        return cls(array(_PLACE, codes).tobytes(), tuple(places))


class LogNumbers(NamedTuple):
    """
    The fields of calls as numbers.

    Texts may be empty, where a log does not have them, or a call did not fail.  A fraction of a
    second takes four bytes, the others eight; a duration that is missing is -1.
    """

    pids: LogCodes
    seconds: LogCodes
    fractions: bytes
    names: LogCodes
    errnos: LogCodes
    durations: bytes
    results: bytes


@frozen
class LogColumns:
    """Calls of consecutive lines, as the log has them."""

    # The number of the first line, and the lines after it that are not among these calls.
    first_line: int
    skipped: tuple[int, ...]
    count: int
    # The midnight before times of day, in seconds since 1970.
    origin_s: int
    # The process of lines without a PID.
    fallback_pid: int
    different_pids: tuple[int, ...]
    numbers: LogNumbers
    arguments: LogTexts
    results: LogTexts
    # IDs of eight bytes each.
    objects: bytes
    # A byte for each call: 1 if its time is when it ended, as that of joined halves.
    ends: bytes


class LogCall(NamedTuple):
    """A call that was parsed by itself; texts are as they are shown."""

    line: int
    pid: int
    start_ns: int | None
    duration_ns: int | None
    name: str
    arguments: str
    result: str
    errno: str
    returned: bool
    object: int


class LogLife(NamedTuple):
    """
    A line that tells something about a process.

    It was started by `parent`, or it executes a command, or it ended with an exit code or, negated,
    a signal.
    """

    line: int
    pid: int
    at_ns: int | None
    parent: int = 0
    command: str = ""
    command_line: str = ""
    ended: bool = False
    code: int | None = None


class LogLoss(NamedTuple):
    """A line about calls of a thread that were dropped before it."""

    pid: int
    at_ns: int
    calls: int


@frozen
class LogCalls:
    """What is recorded of some lines of a log."""

    columns: tuple[LogColumns, ...] = ()
    calls: tuple[LogCall, ...] = ()
    lives: tuple[LogLife, ...] = ()
    losses: tuple[LogLoss, ...] = ()
    # Whether objects are followed, and waits estimated.
    follows_objects: bool = True
    # The name of the log.
    file: str = ""

    @property
    def count(self) -> int:
        """How many calls there are."""
        return sum(each.count for each in self.columns) + len(self.calls)

    @property
    def size(self) -> int:
        """How many bytes the calls take, roughly."""
        return sum(_size(each) for _, each in self._by_line())

    def pieces(self, most: int) -> Iterator["LogCalls"]:
        """Yield the calls in pieces of about so many bytes, each of consecutive lines."""
        piece, size, end = _Piece(), 0, 0
        for line, each in sorted(self._by_line(), key=itemgetter(0)):
            # Lines that were parsed by themselves may be among those of columns.
            if size >= most and line >= end:
                yield self._only(piece)
                piece, size = _Piece(), 0
            piece.add(each)
            size += _size(each)
            if isinstance(each, LogColumns):
                end = line + each.count + len(each.skipped)
        if piece.columns or piece.calls:
            yield self._only(piece)

    def _only(self, piece: "_Piece") -> "LogCalls":
        columns, calls = tuple(piece.columns), tuple(piece.calls)
        return attrs.evolve(self, columns=columns, calls=calls, lives=(), losses=())

    def _by_line(self) -> Iterator[tuple[int, "LogColumns | LogCall"]]:
        yield from ((each.first_line, each) for each in self.columns)
        yield from ((each.line, each) for each in self.calls)

    def shifted(self, seconds: int) -> "LogCalls":
        """Return the calls moved in time."""
        if not seconds:
            return self
        columns = [attrs.evolve(each, origin_s=each.origin_s + seconds) for each in self.columns]
        calls = [
            each
            if each.start_ns is None
            else each._replace(start_ns=each.start_ns + seconds * SECOND_NS)
            for each in self.calls
        ]
        lives = [
            each if each.at_ns is None else each._replace(at_ns=each.at_ns + seconds * SECOND_NS)
            for each in self.lives
        ]
        losses = [each._replace(at_ns=each.at_ns + seconds * SECOND_NS) for each in self.losses]
        return attrs.evolve(
            self,
            columns=tuple(columns),
            calls=tuple(calls),
            lives=tuple(lives),
            losses=tuple(losses),
        )

    def renamed(self, objects: Mapping[int, int]) -> "LogCalls":
        """Return the calls with some objects replaced by others."""
        if not objects:
            return self
        columns = [
            attrs.evolve(each, objects=_renamed(each.objects, objects)) for each in self.columns
        ]
        calls = [each._replace(object=objects.get(each.object, each.object)) for each in self.calls]
        return attrs.evolve(self, columns=tuple(columns), calls=tuple(calls))


@define
class _Piece:
    columns: list[LogColumns] = attrs.field(factory=list)
    calls: list[LogCall] = attrs.field(factory=list)

    def add(self, item: LogColumns | LogCall) -> None:
        if isinstance(item, LogColumns):
            self.columns.append(item)
        else:
            self.calls.append(item)


def _size(item: LogColumns | LogCall) -> int:
    if isinstance(item, LogColumns):
        return len(item.arguments.texts) + item.count * _COLUMN_BYTES
    return len(item.arguments) + len(item.result) + _CALL_BYTES


def packed_fractions(fractions: Iterable[int]) -> bytes:
    """Return fractions of seconds in nanoseconds as `LogNumbers` has them."""
    return array(_PLACE, fractions).tobytes()


def packed_numbers(numbers: Iterable[int]) -> bytes:
    """Return durations or results as `LogNumbers` has them."""
    return array(_NUMBER, numbers).tobytes()


def packed_objects(objects: Iterable[int]) -> bytes:
    """Return the IDs of objects as `LogColumns` has them."""
    return array(_OBJECT, objects).tobytes()


def unpacked_objects(objects: bytes) -> Sequence[int]:
    """Return the IDs of objects that were packed."""
    return memoryview(objects).cast(_OBJECT)


def _renamed(objects: bytes, changed: Mapping[int, int]) -> bytes:
    return packed_objects([changed.get(each, each) for each in unpacked_objects(objects)])
