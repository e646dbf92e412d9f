"""Tests of the timeline of logs."""

from collections.abc import Mapping
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectKind, object_id
from syswatch.model.threads import ThreadTimes, Wait
from syswatch.model.timeline import COARSE_MS, FINE_MS, Timeline
from syswatch.tracer.inputs import parallel
from tests import samples
from tests.reading import condense
from tests.tracer.inputs.test_parallel import in_one_go, in_parts

_MS = 1_000_000
_SECOND = 1_000_000_000
_FIRST = 1_700_000_000
_TIMED_LOGS = ("waits.log", "pipeline.log")
_WITHOUT_DURATIONS = ("raw.log", "distances.log")


def sums(timeline: Timeline) -> Mapping[int, ThreadTimes]:
    """Return the sum of all intervals by thread."""
    threads: dict[int, ThreadTimes] = {}
    for interval in timeline.bins.values():
        for tid, times in interval.items():
            threads[tid] = threads.get(tid, ThreadTimes()) + times
    return threads


class LogTimelineTests(SynchronousTestCase):
    """What threads did in each interval."""

    def test_spread(self) -> None:
        """A wait is spread over its intervals; what is left between calls is the thread's own."""
        delta = condense(
            b"5 1700000000.000000 getpid() = 5 <0.000004>\n"
            b"5 1700000000.012000 nanosleep({tv_sec=0, tv_nsec=25000000}, NULL) = 0 <0.025010>\n"
            b"5 1700000000.040000 getpid() = 5 <0.000006>"
        )
        wait = Wait(object_id(ObjectKind.SLEEP, "25 ms"), "nanosleep")
        first = _FIRST * _SECOND // (FINE_MS * _MS)

        self.assertEqual(FINE_MS, delta.timeline.bin_ms)
        self.assertEqual(
            {
                first: {5: ThreadTimes(user_ns=10 * _MS - 4000, working_ns=4000)},
                first + 1: {5: ThreadTimes(user_ns=2 * _MS, waiting={wait: 8 * _MS})},
                first + 2: {5: ThreadTimes(waiting={wait: 10 * _MS})},
                first + 3: {
                    5: ThreadTimes(
                        user_ns=3 * _MS - 10_000, working_ns=10_000, waiting={wait: 7 * _MS}
                    )
                },
                first + 4: {5: ThreadTimes(working_ns=6000)},
            },
            delta.timeline.bins,
        )

    def test_second_half(self) -> None:
        """The time of a second half is when the call ended."""
        delta = condense(
            b"5 1700000000.000000 pause( <unfinished ...>\n"
            b"6 1700000000.001000 getpid() = 6 <0.000004>\n"
            b"5 1700000000.030000 <... pause resumed>) = -1 EINTR (Interrupted) <0.030000>"
        )
        first = _FIRST * _SECOND // (FINE_MS * _MS)

        self.assertEqual([first, first + 1, first + 2], sorted(delta.timeline.bins))
        self.assertEqual(30 * _MS - 10_000, sums(delta.timeline)[5].waiting_ns)

    def test_long(self) -> None:
        """A log of more than ten seconds has intervals of a second, also from the beginning."""
        lines = [b"5 %d.500000 getpid() = 5 <0.000004>" % (_FIRST + at) for at in range(30)]
        delta = condense(b"\n".join(lines))

        self.assertEqual(COARSE_MS, delta.timeline.bin_ms)
        self.assertEqual(set(range(_FIRST, _FIRST + 30)), set(delta.timeline.bins))

    def test_of_day(self) -> None:
        """Times of day are counted from their own midnight."""
        delta = condense(
            b"23:59:59.995000 getpid() = 5 <0.000004>\n00:00:00.005000 getpid() = 5 <0.000004>"
        )
        midnight = 86_400 * 1000 // FINE_MS

        self.assertEqual({midnight - 1, midnight}, set(delta.timeline.bins))

    def test_damaged(self) -> None:
        """A duration of years fills no more intervals than are kept."""
        delta = condense(b"5 1700000000.000000 pause() = 0 <999999999.000000>")

        self.assertLess(len(delta.timeline.bins), 1000)

    def test_without_times(self) -> None:
        """A log without times has no timeline, even if it has durations."""
        self.assertEqual({}, condense(b"5 pause() = 0 <2.000000>").timeline.bins)

    def test_without_durations(self) -> None:
        """Without durations it is not known what passes in calls, so there is none either."""
        for name in _WITHOUT_DURATIONS:
            delta = condense((samples.LOGS / name).read_bytes().rstrip(b"\n"))

            self.assertEqual({}, delta.timeline.bins, name)
            self.assertEqual({0}, {each.times.wall_ns for each in delta.threads.values()}, name)

    def test_same_as_threads(self) -> None:
        """The intervals of each thread add up to its times in calls, and to no less in all."""
        for name in _TIMED_LOGS:
            delta = condense((samples.LOGS / name).read_bytes().rstrip(b"\n"))
            found = sums(delta.timeline)

            self.assertLess(0, len(found), name)
            for tid, tally in delta.threads.items():
                self.assertEqual(tally.times.waiting, found[tid].waiting, name)
                self.assertEqual(tally.times.working_ns, found[tid].working_ns, name)
                self.assertLessEqual(tally.times.user_ns, found[tid].user_ns, name)

    def test_parts(self) -> None:
        """The timelines of the parts of a log add up to that of the whole log."""
        for name in (*_TIMED_LOGS, *_WITHOUT_DURATIONS):
            log = (samples.LOGS / name).read_bytes()
            for part_bytes in (500, 7000):
                self.patch(parallel, "RANGE_BYTES", part_bytes)
                whole, total = in_one_go(log), in_parts(log, Path(self.mktemp()), 1)

                self.assertEqual(_in_calls(whole), _in_calls(total), name)


def _in_calls(delta: Delta) -> Mapping[tuple[int, int], tuple[int, int]]:
    """Return the time working and waiting, by interval and thread."""
    return {
        (at, tid): (times.working_ns, times.waiting_ns)
        for at, interval in delta.timeline.bins.items()
        for tid, times in interval.items()
        if times.working_ns or times.waiting
    }
