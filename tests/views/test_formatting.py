"""Tests of numbers and times as people read them."""

import re
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.views.formatting import count, duration, elapsed, long_duration, rfc3339, share, size
from tests.time_zone import use_time_zone

_UNITS = {"ns": 1, "µs": 10**3, "ms": 10**6, "s": 10**9}


class NumberTests(SynchronousTestCase):
    """Three digits and a unit."""

    def test_durations(self) -> None:
        """Durations have the largest unit of which they are at least one."""
        for nanoseconds, expected in {
            0: "0 ns",
            1: "1 ns",
            999: "999 ns",
            1000: "1 µs",
            3_127_000: "3.13 ms",
            12_345_678: "12.3 ms",
            999_499: "999 µs",
            999_999: "1 ms",
            999_999_999: "1 s",
            1_500_000_000: "1.5 s",
            7_200_000_000_000: "7200 s",
        }.items():
            self.assertEqual(expected, duration(nanoseconds))

    @given(st.integers(1, 10**12 - 1))
    def test_error(self, nanoseconds: int) -> None:
        """A formatted number is within half a percent of the exact one."""
        number, unit = duration(nanoseconds).split(" ")

        self.assertLessEqual(
            abs(float(number) * _UNITS[unit] - nanoseconds), nanoseconds * 0.005 + 1e-6
        )

    @given(st.integers(0, 10**12 - 1))
    def test_width(self, nanoseconds: int) -> None:
        """No duration below a thousand seconds has more than three digits."""
        self.assertTrue(
            re.fullmatch(r"\d{1,3}(\.\d{1,2})? (ns|µs|ms|s)", duration(nanoseconds))
            or nanoseconds >= 999_500_000_000
        )

    def test_counts(self) -> None:
        """Counts are exact up to ten thousand, and shortened from there on."""
        for number, expected in {
            0: "0",
            9_999: "9999",
            10_000: "10 k",
            402_123: "402 k",
            999_999: "1 M",
            1_234_567: "1.23 M",
            5 * 10**12: "5 T",
        }.items():
            self.assertEqual(expected, count(number))

    def test_sizes(self) -> None:
        """Bytes are counted in powers of 1024."""
        for number, expected in {0: "0 B", 1023: "1023 B", 1024: "1 KiB", 3 << 20: "3 MiB"}.items():
            self.assertEqual(expected, size(number))

    def test_next_size(self) -> None:
        """A unit of sizes has 1024 of the one before, so 1000 are not one of the next."""
        self.assertEqual(["1000 B", "1000 KiB"], [size(1000), size(1000 << 10)])
        self.assertEqual(["1 KiB", "1 MiB"], [size(1024), size((1 << 20) - 1)])

    def test_shares(self) -> None:
        """A small share is never shown as 0 %, and nearly all never as 100 %."""
        for part, expected in {
            0.0: "0 %",
            1e-9: "<0.1 %",
            0.001: "0.1 %",
            0.0123: "1.23 %",
            0.5: "50 %",
            0.9994: "99.9 %",
            0.9999: ">99.9 %",
            1.0: "100 %",
        }.items():
            self.assertEqual(expected, share(part))

    def test_elapsed(self) -> None:
        """Long durations are in hours, minutes and whole seconds."""
        for seconds, expected in {
            0: "0s",
            0.4: "0s",
            42: "42s",
            83: "1m23s",
            120: "2m0s",
            7205: "2h0m5s",
            90_000: "25h0m0s",
        }.items():
            self.assertEqual(expected, elapsed(int(seconds * 10**9)))

    def test_any_length(self) -> None:
        """From ten seconds on, durations are in whole seconds."""
        self.assertEqual("9.99 s", long_duration(9_990_000_000))
        self.assertEqual("10s", long_duration(10_000_000_000))


class TimestampTests(SynchronousTestCase):
    """RFC 3339 with nanoseconds."""

    def setUp(self) -> None:
        """Use a time zone with a fraction of an hour."""
        use_time_zone(self, "Asia/Kathmandu")

    def test_zone(self) -> None:
        """A timestamp has its local zone, with a colon."""
        self.assertEqual("2023-11-15T03:58:20.000000001+05:45", rfc3339(1_700_000_000 * 10**9 + 1))

    def test_no_clock(self) -> None:
        """Without a clock, the text is empty."""
        self.assertEqual("", rfc3339(None))

    def test_on_no_calendar(self) -> None:
        """A year that no calendar has is no error."""
        self.assertEqual("", rfc3339(10**10 * 10**9 * 100))

    @given(st.integers(0, 4 * 10**18))
    def test_exact(self, time_ns: int) -> None:
        """The text is exact to the nanosecond."""
        text = rfc3339(time_ns)

        whole = datetime.fromisoformat(text[:19] + text[29:])
        self.assertEqual(time_ns, int(whole.timestamp()) * 10**9 + int(text[20:29]))
