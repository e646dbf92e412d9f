"""Tests of the times of a log."""

import time

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.times import LONGEST_NS
from syswatch.tracer.stracelog.log_clock import (
    DAY_S,
    LogClock,
    first_midnight,
    is_relative,
    is_time_of_day,
    local_midnight,
    nanoseconds,
    time_since_epoch,
)
from tests.time_zone import use_time_zone

_H = 3600


class TimeTests(SynchronousTestCase):
    """Parsing of times."""

    def test_kinds(self) -> None:
        """A time of day has colons; a relative time is a small number, a date is a large one."""
        self.assertTrue(is_time_of_day(b"09:08:07.000001"))
        self.assertTrue(is_relative(b"0.000123"))
        self.assertTrue(is_relative(b"86400.000000"))
        self.assertFalse(is_relative(b"1700000000.000001"))
        self.assertFalse(is_relative(b"09:08:07"))

    def test_exact(self) -> None:
        """Every precision is exact to the nanosecond."""
        for text, expected in {
            b"1700000000": 1_700_000_000_000_000_000,
            b"1700000000.000001": 1_700_000_000_000_001_000,
            b"1700000000.123456789": 1_700_000_000_123_456_789,
            b"0.000000001": 1,
            b"12.5": 12_500_000_000,
            b"09:08:07": 32_887_000_000_000,
            b"09:08:07.123456": 32_887_123_456_000,
        }.items():
            self.assertEqual(expected, nanoseconds(text), text)

    @given(st.integers(0, 10**10 - 1), st.integers(0, 10**9 - 1))
    def test_decimal_fractions(self, seconds: int, fraction: int) -> None:
        """Times are parsed exactly, to the last digit."""
        self.assertEqual(seconds * 10**9 + fraction, nanoseconds(b"%d.%09d" % (seconds, fraction)))

    def test_moment(self) -> None:
        """Only a time of day is added to the midnight before it."""
        self.assertEqual(1_000_000_000_000_000_000, time_since_epoch(b"1000000000.0", 5))
        self.assertEqual((5 + 32_887) * 10**9, time_since_epoch(b"09:08:07", 5))
        self.assertIsNone(time_since_epoch(b"", 5))


class LogClockTests(SynchronousTestCase):
    """The clock, line by line."""

    def test_midnight(self) -> None:
        """A time that goes back by more than half a day begins the next date."""
        clock = LogClock()
        origins = []
        for of_day_s in (23 * _H, 24 * _H - 1, 0, 5, 23 * _H, 1):
            clock.advance_to(of_day_s)
            origins.append(clock.origin_s)

        self.assertEqual([0, 0, DAY_S, DAY_S, DAY_S, 2 * DAY_S], origins)

    def test_small_steps_back(self) -> None:
        """Times that go back a little are not midnight: threads, or a clock that was set."""
        clock = LogClock()
        for of_day_s in (100, 99, 11 * _H, 2 * _H):
            clock.advance_to(of_day_s)

        self.assertEqual(0, clock.origin_s)

    def test_relative_times(self) -> None:
        """Relative times are added up."""
        clock = LogClock()

        moments = [clock.add_relative(text) for text in (b"0.000000", b"1.5", b"0.000001")]

        self.assertEqual([0, 1_500_000_000, 1_500_001_000], moments)

    def test_sum_of_relative_times_is_limited(self) -> None:
        """The sum of relative times is limited."""
        clock = LogClock()
        for _ in range(200):
            clock.add_relative(b"99999999.999999")
        self.assertLessEqual(clock.add_relative(b"9999999999.0"), LONGEST_NS)


class FirstMidnightTests(SynchronousTestCase):
    """The date of a log with times of day only."""

    def setUp(self) -> None:
        """Use a time zone with daylight saving time."""
        use_time_zone(self, "Europe/Berlin")

    def test_modified_today(self) -> None:
        """The last line is from the day of the file's modification."""
        written = _local(2024, 3, 7, 15)

        midnight = first_midnight(b"09:00:00", b"14:59:59.5", written)

        self.assertEqual(_local(2024, 3, 7, 0), midnight)

    def test_through_midnight(self) -> None:
        """A log that ends at an earlier time of day than it begins has begun the day before."""
        written = _local(2024, 3, 7, 1)

        midnight = first_midnight(b"23:00:00", b"00:59:00", written)

        self.assertEqual(_local(2024, 3, 6, 0), midnight)

    def test_modified_after_midnight(self) -> None:
        """A last line far later in the day than the file is of the day before."""
        written = _local(2024, 3, 7, 0) + 2

        midnight = first_midnight(b"22:00:00", b"23:59:59", written)

        self.assertEqual(_local(2024, 3, 6, 0), midnight)

    def test_unknown_end(self) -> None:
        """A first line that would be later than the file is of the day before."""
        written = _local(2024, 3, 7, 1)

        for first, day in ((b"23:00:00", 6), (b"00:30:00", 7)):
            self.assertEqual(_local(2024, 3, day, 0), first_midnight(first, b"", written))

    def test_daylight_saving(self) -> None:
        """Midnight is correct on the day with 23 hours."""
        self.assertEqual(_local(2024, 3, 31, 0), local_midnight(_local(2024, 3, 31, 12)))

    def test_no_times(self) -> None:
        """Without times of day, it is the midnight before the file was modified."""
        self.assertEqual(
            _local(2024, 3, 7, 0), first_midnight(b"", b"1700000000.5", _local(2024, 3, 7, 15))
        )


def _local(year: int, month: int, day: int, hour: int) -> int:
    return int(time.mktime((year, month, day, hour, 0, 0, 0, 0, -1)))
