"""
The times of a log.

`-ttt` prints seconds since 1970.  `-t` and `-tt` print the time of day: the date of the first line
is assumed, and a time that goes back by more than half a day begins the next date.  `-r` prints the
time since the line before: such a log begins at 1970-01-01T00:00:00Z.
"""

import time
from functools import lru_cache

import attrs

from syswatch.base.classes import define
from syswatch.model.times import SECOND_NS, add_ns

DAY_S = 86_400
_HALF_DAY_S = DAY_S // 2
# A smaller number is a relative time: no process waits three years between two calls, and no
# log is older than 1973.
_LEAST_DATE_S = 100_000_000
# A number: looking for bytes in bytes takes ten times as long, as Python tries a number first.
_COLON = ord(":")


def is_time_of_day(text: bytes) -> bool:
    """Return whether a time is one of `-t` or `-tt`, or whether a line may begin with one."""
    return _COLON in text


def is_relative(text: bytes) -> bool:
    """Return whether this is a time of `-r`."""
    return not is_time_of_day(text) and float(text) < _LEAST_DATE_S


@lru_cache(maxsize=4096)
def whole_seconds(text: bytes) -> int:
    """Return the whole seconds of a time of any kind."""
    if is_time_of_day(text):
        hours, minutes, seconds = text[:8].split(b":")
        return int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    return int(text.partition(b".")[0])


@lru_cache(maxsize=65536)
def nanoseconds(text: bytes) -> int:
    """Return a time or a duration of any kind in exact nanoseconds."""
    return whole_seconds(text) * SECOND_NS + fraction_ns(text.partition(b".")[2])


def duration_text(duration_ns: int) -> bytes:
    """Return the text of a duration; `nanoseconds` gives it back."""
    return b"%d.%09d" % divmod(duration_ns, SECOND_NS)


def split_time(time_ns: int) -> tuple[bytes, bytes]:
    """Return the seconds since 1970 of a time, and the digits of the fraction."""
    seconds, rest_ns = divmod(time_ns, SECOND_NS)
    return b"%d" % seconds, b"%09d" % rest_ns


def fraction_ns(digits: bytes) -> int:
    """Return the fraction of a second in nanoseconds."""
    return int(digits.ljust(9, b"0")[:9])


def local_midnight(at_s: float) -> int:
    """Return when the local day of a time began, in seconds since 1970."""
    day = time.localtime(at_s)
    return int(time.mktime((day.tm_year, day.tm_mon, day.tm_mday, 0, 0, 0, 0, 0, -1)))


def first_midnight(first: bytes, last: bytes, modified_s: float) -> int:
    """
    Return the midnight before the first line of a log that was last written at `modified_s`.

    `modified_s` is the date of the last line.  The number of days in a log without dates is
    unknown: if the first time is later than the last one, it is taken to begin the day before.  If
    the last one is unknown, its date says when it was.
    """
    midnight = local_midnight(modified_s)
    if is_time_of_day(first) and not last:
        return midnight - DAY_S if whole_seconds(first) > modified_s - midnight else midnight
    if not (is_time_of_day(first) and is_time_of_day(last)):
        return midnight
    if whole_seconds(last) - _HALF_DAY_S > modified_s - midnight:
        midnight -= DAY_S
    return midnight - DAY_S if whole_seconds(first) > whole_seconds(last) else midnight


def seconds_between(first: bytes, last: bytes) -> int:
    """Return how many seconds are at least between two times, of which some may be unknown."""
    if not first or not last or is_time_of_day(first) != is_time_of_day(last):
        return 0
    seconds = whole_seconds(last) - whole_seconds(first)
    # The time goes back at midnight.
    return seconds + DAY_S if seconds < 0 and is_time_of_day(first) else seconds


@define
class LogClock:
    """Keeps the origin of the times of a log, from line to line."""

    origin_s: int = 0
    first_of_day_s: int | None = attrs.field(default=None, init=False)
    last_of_day_s: int | None = attrs.field(default=None, init=False)
    _elapsed_ns: int = attrs.field(default=0, init=False)

    def advance_to(self, of_day_s: int) -> None:
        """Take the time of day of the next line, which may begin the next date."""
        if self.last_of_day_s is None:
            self.first_of_day_s = of_day_s
        elif of_day_s + _HALF_DAY_S < self.last_of_day_s:
            self.origin_s += DAY_S
        self.last_of_day_s = of_day_s

    def add_relative(self, text: bytes) -> int:
        """Add the relative time of the next line; return the sum in nanoseconds."""
        self._elapsed_ns = add_ns(self._elapsed_ns, nanoseconds(text))
        return self._elapsed_ns


def time_since_epoch(text: bytes, origin_s: int) -> int | None:
    """Return a time in nanoseconds since 1970; the origin is that of times of day."""
    if not text:
        return None
    return nanoseconds(text) + (origin_s * SECOND_NS if is_time_of_day(text) else 0)
