"""Tests of increments of counters that are read while they grow."""

import struct
from itertools import accumulate

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.ebpf import layout
from syswatch.tracer.ebpf.increments import CallIncrements, Surplus

_ENOENT = 2
_BUCKET = 40
# Count, errors, timed calls and errors by name.
Compared = tuple[int, int, int, dict[str, int]]


def table(size: int, place: int, count: int) -> bytes:
    """Return a table with one count in it."""
    data = bytearray(4 * size)
    struct.pack_into("I", data, 4 * place, count)
    return bytes(data)


class CallIncrementsTests(SynchronousTestCase):
    """One call."""

    def compare(self, known: CallIncrements, sums: int, details: int) -> Compared:
        """Compare with this many failed calls in the sums and in the details."""
        tally = known.compare(
            (sums, sums, sums, 100 * sums, 100, 100),
            lambda: [table(layout.BUCKETS, _BUCKET, details)],
            lambda: table(layout.ERRORS, _ENOENT, details),
        )
        if tally is None:
            return 0, 0, 0, {}
        return tally.count, tally.errors, tally.timed, dict(tally.errnos)

    def test_details_are_late(self) -> None:
        """What the sums contain before the details is reported when the details contain it."""
        known = CallIncrements()
        self.assertEqual((2, 2, 1, {"ENOENT": 1}), self.compare(known, 2, 1))
        self.assertEqual((0, 0, 1, {"ENOENT": 1}), self.compare(known, 2, 2))
        self.assertEqual((0, 0, 0, {}), self.compare(known, 2, 2))

    def test_details_are_early(self) -> None:
        """What the details contain before the sums is reported once."""
        known = CallIncrements()
        self.assertEqual((1, 1, 2, {"ENOENT": 2}), self.compare(known, 1, 2))
        self.assertEqual((1, 1, 0, {}), self.compare(known, 2, 2))
        self.assertEqual((0, 0, 0, {}), self.compare(known, 2, 2))


class SurplusTests(SynchronousTestCase):
    """Calls are counted before their durations are read."""

    def test_ahead_between_readings(self) -> None:
        """Durations that arrive between the two readings do not count as missing."""
        surplus = Surplus()
        told = [surplus.growth(more) for more in (-2, 2, 0, -4, 1, 3)]
        self.assertEqual([0] * 6, told)

    def test_really_ahead(self) -> None:
        """Calls that really have no duration are reported, at the latest when all is quiet."""
        surplus = Surplus()
        told = accumulate(surplus.growth(more) for more in (3, -2, -3, 4, 0))
        self.assertEqual([3, 1, 0, 2, 2], list(told))
