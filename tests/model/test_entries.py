"""Tests of log entries and samples of failures."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.entries import (
    FAILURE_SAMPLES,
    LOG_ENTRIES,
    Failure,
    LogEntry,
    newest_entries,
    newest_failures,
)


def entry(time_ns: int | None, pid: int = 1) -> LogEntry:
    """Return a call at a time."""
    return LogEntry(time_ns, pid, "read", "3", "0", "")


class NewestTests(SynchronousTestCase):
    """Which samples are kept."""

    def test_newest_of_both_sides(self) -> None:
        """The log holds the newest calls of both sides, in the order of time."""
        older = tuple(entry(time) for time in range(0, 2 * LOG_ENTRIES, 2))
        newer = tuple(entry(time) for time in range(1, 2 * LOG_ENTRIES, 2))

        newest = newest_entries(newer, older)

        self.assertEqual(
            list(range(LOG_ENTRIES, 2 * LOG_ENTRIES)), [each.time_ns for each in newest]
        )

    def test_no_clock(self) -> None:
        """Without timestamps the right side is the newer one."""
        newest = newest_entries((entry(None, 1),) * LOG_ENTRIES, (entry(None, 2),) * 3)

        self.assertEqual([1, 1, 2, 2, 2], [each.pid for each in newest[-5:]])

    @given(st.lists(st.integers(0, 9), max_size=60), st.lists(st.integers(0, 9), max_size=60))
    def test_bound_of_failures(self, left: list[int], right: list[int]) -> None:
        """No more than fifty failures of a name stay, and they are the newest."""
        samples = [
            tuple(Failure(time, 1, "EIO", "") for time in sorted(side)) for side in (left, right)
        ]

        newest = newest_failures(*samples)

        expected = sorted(left + right)[-FAILURE_SAMPLES:]
        self.assertEqual(expected, [each.time_ns for each in newest])
