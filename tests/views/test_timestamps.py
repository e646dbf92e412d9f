"""Tests of moments as text."""

import os
import time
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.views.timestamps import rfc3339


class MomentTests(SynchronousTestCase):
    """RFC 3339 with nanoseconds."""

    def setUp(self) -> None:
        """Live where the clock is not at a whole hour."""
        before = os.environ.get("TZ")
        self.addCleanup(_set_zone, before)
        _set_zone("Asia/Kathmandu")

    def test_zone(self) -> None:
        """A moment has its local zone, with a colon."""
        self.assertEqual("2023-11-15T03:58:20.000000001+05:45", rfc3339(1_700_000_000 * 10**9 + 1))

    def test_no_clock(self) -> None:
        """Where there is no clock, there is no text."""
        self.assertEqual("", rfc3339(None))

    def test_on_no_calendar(self) -> None:
        """A year that no calendar has is no error."""
        self.assertEqual("", rfc3339(10**10 * 10**9 * 100))

    @given(st.integers(0, 4 * 10**18))
    def test_exact(self, time_ns: int) -> None:
        """The text says the moment exactly."""
        text = rfc3339(time_ns)

        whole = datetime.fromisoformat(text[:19] + text[29:])
        self.assertEqual(time_ns, int(whole.timestamp()) * 10**9 + int(text[20:29]))


def _set_zone(zone: str | None) -> None:
    if zone is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = zone
    time.tzset()
