"""Tests of what is kept of the calls in a block."""

import os
import resource
from fcntl import F_DUPFD, fcntl

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.codec.events import ARCHITECTURES, Flag
from syswatch.model.catalog import number_of
from syswatch.model.histogram import Histogram
from syswatch.watching import sums
from syswatch.watching.sums import BlockSums, _Times
from syswatch.watching.tracing import readable

_LARGE = 1100


class TimesTests(SynchronousTestCase):
    """Durations of which only some are kept as they are."""

    @given(st.lists(st.integers(0, 1 << 40)))
    def test_same(self, spent: list[int]) -> None:
        """The sums are those of all of them."""
        self.patch(sums, "_MOST_RECENT", 3)
        times = _Times()
        for each in spent:
            times.add(each)
        times.settle()
        self.assertEqual((len(spent), sum(spent)), (times.count, times.total_ns))
        self.assertEqual(
            (min(spent, default=0), max(spent, default=0)), (times.min_ns, times.max_ns)
        )
        self.assertEqual(Histogram.of(spent), times.histogram)


class BlockSumsTests(SynchronousTestCase):
    """The rows of a block."""

    def test_named(self) -> None:
        """What a call names besides its object has a row without calls."""
        number = number_of("rename", os.uname().machine)
        place = ARCHITECTURES.index(os.uname().machine)

        def event(found: int, flags: int = 0) -> tuple[int, ...]:
            return (1, 2, 0, 0, found, 0, 0, *range(6), 7, 7, number or 0, place, flags, 0, 0)

        block = BlockSums()
        block.count(event(11), [event(12, Flag.MOVED | Flag.NAMED)])
        rows = block.delta({}, {}).activity
        self.assertEqual({11: 1, 12: 0}, {key.object: row.count for key, row in rows.items()})
        self.assertEqual({"rename"}, {key.call for key in rows})


class ReadableTests(SynchronousTestCase):
    """Waiting for descriptors."""

    def test_large_number(self) -> None:
        """The watched program may have any number of files open."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard <= _LARGE:
            raise SkipTest(f"no more than {hard} files can be open")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * _LARGE), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        near, far = os.pipe()
        self.addCleanup(os.close, far)
        self.addCleanup(os.close, near)
        descriptor = fcntl(near, F_DUPFD, _LARGE)
        self.addCleanup(os.close, descriptor)
        self.assertEqual([], readable([descriptor], 0.01))
        os.write(far, b"x")
        self.assertEqual([descriptor], readable([descriptor]))
