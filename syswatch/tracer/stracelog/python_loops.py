"""
Loops over the rows of a log, in Python.

`compiled_loops` has the same functions and classes, which take a fraction of the time; it is used
if it could be compiled where syswatch was built.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import add, itemgetter
from typing import TYPE_CHECKING

from syswatch.codec.log_calls import (
    LogCodes,
    LogNumbers,
    LogTexts,
    packed_fractions,
    packed_numbers,
)
from syswatch.model.histogram import bucket_of

from .line_format import (
    BEGUN,
    DURATION,
    ERRNO,
    FRACTION,
    HEXADECIMAL,
    NAME,
    PATH,
    PID,
    RESULT,
    RESUMED,
    SECOND,
    Row,
)
from .log_clock import fraction_ns, nanoseconds
from .log_numbers import result_value

if TYPE_CHECKING:
    from .log_keys import Pids

__all__ = [
    "Tally",
    "by_path",
    "collect",
    "different",
    "ends_by_pid",
    "named",
    "newest_by_pid",
    "newest_failures",
    "numbers_of",
    "only_with",
    "slower",
    "tally",
    "texts_of",
    "with_field",
    "with_time",
]

_COUNTED = itemgetter(PID, SECOND, NAME, ERRNO, DURATION)

# --- choosing rows -------------------------------------------------------------------------------


def with_field(rows: Sequence[Row], field: int) -> list[int]:
    """Return the indexes of rows that have a field."""
    return [index for index, row in enumerate(rows) if row[field]]


def only_with(rows: Sequence[Row], field: int) -> list[Row]:
    """Return the rows that have a field."""
    return [row for row in rows if row[field]]


def different(rows: Sequence[Row], field: int) -> set[bytes]:
    """Return the different texts of a field."""
    return set(map(itemgetter(field), rows))


def with_time(rows: Sequence[Row], in_rows: bool) -> list[int]:  # noqa: FBT001  as in C
    """Return the indexes of rows where the time may change; unless `in_rows`, only on odd lines."""
    indexes, last = [], b""
    for index, row in enumerate(rows):
        second = row[SECOND]
        if (in_rows and second != last) if second else not row[NAME]:
            indexes.append(index)
        last = second
    return indexes


def ends_by_pid(rows: Sequence[Row]) -> tuple[dict[bytes, int], dict[bytes, int]]:
    """Return the first and the last index of calls with a time, by PID as first met."""
    timed = [
        (row[PID], index)
        for index, row in enumerate(rows)
        if row[SECOND] and (row[NAME] or row[RESUMED])
    ]
    first, last = dict(reversed(timed)), dict(timed)
    return {digits: first[digits] for digits in last}, last


def newest_by_pid(rows: Sequence[Row]) -> dict[bytes, int]:
    """Return the index of the newest call or half of a call of each PID as it is written."""
    return {
        row[PID]: index for index, row in enumerate(rows) if row[NAME] or row[RESUMED] or row[BEGUN]
    }


def newest_failures(
    rows: Sequence[Row], others: Mapping[int, object], most: int
) -> dict[bytes, list[int]]:
    """Return the indexes of the newest failures of each name, the newest first, but for others."""
    newest: dict[bytes, list[int]] = {}
    for index in reversed(with_field(rows, ERRNO)):
        if index not in others:
            indexes = newest.setdefault(rows[index][NAME], [])
            if len(indexes) < most:
                indexes.append(index)
    return newest


def named(rows: Sequence[Row], names: frozenset[bytes]) -> list[int]:
    """Return the indexes of rows that have one of some names."""
    return [index for index, row in enumerate(rows) if row[NAME] in names]


def slower(rows: Sequence[Row], floors: dict[bytes, bytes]) -> list[int]:
    """Return the indexes of calls that took longer than the floor of their name, if it has one."""
    return [
        index
        for index, row in enumerate(rows)
        if row[NAME] and row[DURATION] > floors.get(row[NAME], b"")
    ]


def by_path(rows: Sequence[Row]) -> Mapping[bytes, list[Row]]:
    """Return the rows by their path."""
    grouped: dict[bytes, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row[PATH]].append(row)
    return grouped


# --- collecting rows by object -------------------------------------------------------------------


def collect(
    rows: Iterator[Row],
    pids: "Pids",
    places: Mapping[int, object],  # noqa: ARG001  as in C
    at_once: Mapping[bytes, bool],  # noqa: ARG001  as in C
) -> Row | None:
    """
    Give rows to what collects or handles them, up to the first that needs more, and return that.

    The compiled function also passes over first halves that change nothing: those of processes that
    have a place, and of calls for which `at_once` is false.
    """
    for row in rows:
        if not row[3]:
            return row
        # The PID, the first argument, else the end of the path, and the name.
        pids[row[0]][row[7] or row[6][-1:]][row[3]](row)
    return None


# --- fields of rows ------------------------------------------------------------------------------


def texts_of(rows: Sequence[Row], field: int, other: int = -1) -> tuple[bytes, bytes]:
    """Return a field of each row, or two together, as the parts of `LogTexts`."""
    texts = [row[field] for row in rows]
    return LogTexts.of(texts if other < 0 else map(add, texts, map(itemgetter(other), rows)))


def numbers_of(rows: Sequence[Row]) -> LogNumbers:
    """Return the fields of rows that are numbers, or of which most are the same, packed."""

    def codes(field: int) -> LogCodes:
        return LogCodes.of(map(itemgetter(field), rows))

    return LogNumbers(
        codes(PID),
        codes(SECOND),
        packed_fractions(fraction_ns(row[FRACTION]) for row in rows),
        codes(NAME),
        codes(ERRNO),
        packed_numbers(nanoseconds(row[DURATION]) if row[DURATION] else -1 for row in rows),
        packed_numbers(result_value(row[RESULT] or row[HEXADECIMAL]) for row in rows),
    )


# --- sums of calls by process and name -----------------------------------------------------------


Counts = Mapping[bytes, int]
Buckets = Mapping[int, int]
# The sums of calls of one name, by one process or in one second: that PID or second as it is
# written, the name, and how many there are, have failed, and have no duration; the sum of the
# durations, the least and the greatest one; how often each errno and each duration occurs.  Sums of
# seconds have only counts and the sum of the durations.
Tally = tuple[bytes, bytes, int, int, int, int, int, int, Counts | None, Buckets | None]


class _Sums:
    """The running values of a tally."""

    __slots__ = ("buckets", "count", "errnos", "errors", "least_ns", "most_ns", "total", "untimed")

    def __init__(self) -> None:
        self.count = self.errors = self.untimed = self.total = self.least_ns = self.most_ns = 0
        self.errnos: dict[bytes, int] = {}
        self.buckets: dict[int, int] = {}

    def add(self, errno: bytes, duration: bytes, times: int) -> None:
        self.count += times
        if errno:
            self.errors += times
            self.errnos[errno] = self.errnos.get(errno, 0) + times
        if not duration:
            self.untimed += times
            return
        duration_ns = nanoseconds(duration)
        if not self.buckets or duration_ns < self.least_ns:
            self.least_ns = duration_ns
        self.most_ns = max(self.most_ns, duration_ns)
        self.total += duration_ns * times
        bucket = bucket_of(duration_ns)
        self.buckets[bucket] = self.buckets.get(bucket, 0) + times


def tally(rows: Sequence[Row]) -> tuple[list[Tally], list[Tally]]:
    """Return the sums of calls by process and name, and by second and name."""
    processes: dict[tuple[bytes, bytes], _Sums] = defaultdict(_Sums)
    seconds: dict[tuple[bytes, bytes], list[int]] = {}
    # Equal calls are counted together.
    counted = Counter(map(_COUNTED, rows))
    for (pid, second, name, errno, duration), times in counted.items():
        processes[pid, name].add(errno, duration, times)
        moment = seconds.get((second, name))
        if moment is None:
            moment = seconds[second, name] = [0, 0, 0, 0]
        moment[0] += times
        if errno:
            moment[1] += times
        if duration:
            moment[3] += nanoseconds(duration) * times
        else:
            moment[2] += times
    return (
        [
            (
                *key,
                each.count,
                each.errors,
                each.untimed,
                each.total,
                each.least_ns,
                each.most_ns,
                each.errnos or None,
                each.buckets or None,
            )
            for key, each in processes.items()
        ],
        [
            (*key, count, errors, untimed, total, 0, 0, None, None)
            for key, (count, errors, untimed, total) in seconds.items()
        ],
    )
