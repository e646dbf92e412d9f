"""Tests of the sums over columns, which equal those of the calls."""

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.events import Flag
from syswatch.recording.timeline import picture
from syswatch.recording.timeline.records import Bins
from syswatch.recording.timeline.timeline import Timeline
from tests.recording import samples
from tests.recording.samples import Call

_MS = 1_000_000
_S = 1000 * _MS
_NAMES = ("read", "openat", "recvfrom")
_SUMS = ("calls", "errors", "working", "waiting", "ready")


@st.composite
def some_calls(draw: st.DrawFn) -> list[Call]:
    """Return calls of some threads, short and long ones, each thread one after the other."""
    calls = []
    for tid in range(7, 7 + draw(st.integers(1, 3))):
        at = draw(st.integers(0, 50 * _MS))
        for _ in range(draw(st.integers(1, 12))):
            duration = draw(st.one_of(st.integers(0, 3000), st.integers(0, 3 * _S)))
            waiting = draw(st.integers(0, duration))
            calls.append(
                Call(
                    at,
                    duration,
                    tid=tid,
                    name=draw(st.sampled_from(_NAMES)),
                    errno=draw(st.sampled_from(("", "", "ENOENT"))),
                    waiting_ns=waiting,
                    ready_ns=draw(st.integers(0, duration - waiting)),
                )
            )
            at += duration + draw(st.integers(0, 40 * _MS))
    return calls


def passed(whole: int, call: Call, moment: int) -> int:
    """Return how much of an amount has passed at a moment, taken as even."""
    if moment >= call.end_ns:
        return whole
    if moment <= call.start_ns:
        return 0
    return int(whole * ((moment - call.start_ns) / max(call.end_ns - call.start_ns, 1)))


def expected(calls: list[Call], tid: int, begin: int, end: int) -> tuple[int, ...]:
    """Return the sums of a thread in an interval, one call after the other."""
    sums = [0, 0, 0, 0, 0]
    for call in calls:
        if call.tid != tid:
            continue
        if begin <= call.start_ns < end:
            sums[0] += 1
            sums[1] += bool(call.errno)
        working = call.end_ns - call.start_ns - call.waiting_ns - call.ready_ns
        for place, whole in enumerate((working, call.waiting_ns, call.ready_ns), 2):
            sums[place] += passed(whole, call, end) - passed(whole, call, begin)
    return tuple(sums)


class SumTests(SynchronousTestCase):
    """Any range at any zoom."""

    @given(
        calls=some_calls(),
        first=st.integers(-_S, 6 * _S),
        length=st.integers(1, 8 * _S),
        width=st.integers(1, 300),
        rows=st.sampled_from((1, 20, 1_000_000)),
        most_calls=st.sampled_from((0, 1_000_000)),
        segment=st.integers(1, 9),
    )
    def test_sums(  # noqa: PLR0913  each is drawn
        self,
        calls: list[Call],
        first: int,
        length: int,
        width: int,
        rows: int,
        most_calls: int,
        segment: int,
    ) -> None:
        """Each column has exactly the sums of the calls in it, from whatever they are made."""
        with (
            TemporaryDirectory() as folder,
            mock.patch.object(picture, "MOST_SLICES", -1),
            mock.patch.object(picture, "_MOST_CALLS", most_calls),
        ):
            timeline = Timeline(
                samples.write(Path(folder) / "recording", calls, calls_in_segment=segment), rows
            )
            while timeline.lanes().unread:
                pass
            threads = {lane.lane: lane.tid for lane in timeline.lanes().lanes}
            bins = timeline.picture(first, first + length, width).bins
        assert bins is not None
        self._check(calls, threads, bins, first, first + length)

    def _check(
        self, calls: list[Call], threads: dict[int, int], bins: Bins, first: int, last: int
    ) -> None:
        found = {
            (threads[lane], start): tuple(getattr(bins, name)[place] for name in _SUMS)
            for place, (lane, start) in enumerate(zip(bins.lane, bins.start, strict=True))
        }
        step, origin = bins.step, samples.BEGUN_NS
        begins = range((first + origin) // step * step - origin, last, step)
        some = [begin for begin in begins if begin < 40 * _S][:4000]
        wanted = {
            (tid, begin): sums
            for tid in threads.values()
            for begin in some
            if any(sums := expected(calls, tid, begin, begin + step))
        }
        self.assertEqual(wanted, {key: sums for key, sums in found.items() if any(sums)})


class ViewTests(SynchronousTestCase):
    """What a view shows."""

    def setUp(self) -> None:
        """Open a recording of a few calls."""
        self.timeline = Timeline(samples.write(Path(self.mktemp())))
        self.timeline.lanes()

    def test_slices(self) -> None:
        """Few calls are shown one by one, and those that began before are among them."""
        found = self.timeline.picture(500 * _MS, 600 * _MS, 1000)
        assert found.slices is not None
        self.assertIsNone(found.bins)
        self.assertEqual([150 * _MS], found.slices.start)
        self.assertEqual([900 * _MS], found.slices.duration)
        self.assertEqual(["recvfrom"], found.slices.names)

    def test_began_before(self) -> None:
        """A long call that is alone in its segment is found, held by itself or not."""
        calls = [Call(0, 3 * _S, tid=9), *(Call(at * _MS, 700) for at in range(1, 5000, 50))]
        folder = samples.write(Path(self.mktemp()), calls, calls_in_segment=1)
        for most_rows in (1, 1_000_000):
            timeline = Timeline(folder, most_rows)
            while timeline.lanes().unread:
                pass
            found = timeline.picture(2000 * _MS, 2100 * _MS, 1000).slices
            assert found is not None
            self.assertEqual([0, 2001 * _MS, 2051 * _MS], found.start)

    def test_untimed(self) -> None:
        """A call that began before the trace is marked, in its segment and elsewhere."""
        calls = [Call(0, 3 * _S, tid=9, flags=Flag.UNTIMED), Call(2001 * _MS, 700)]
        for in_segment in (1, 2):
            folder = samples.write(Path(self.mktemp()), calls, calls_in_segment=in_segment)
            timeline = Timeline(folder)
            timeline.lanes()
            found = timeline.picture(2000 * _MS, 2100 * _MS, 1000).slices
            assert found is not None
            self.assertEqual(([3 * _S, 700], [True, False]), (found.duration, found.untimed))
            self.assertEqual(3 * _S, found.waiting[0])

    def test_unfinished(self) -> None:
        """A call that has not returned is shown until the end."""
        found = self.timeline.picture(2400 * _MS, 2500 * _MS, 1000).slices
        assert found is not None
        self.assertEqual([-1], found.duration)

    def test_lanes(self) -> None:
        """Only the calls of some lanes are sent."""
        lanes = {lane.tid: lane.lane for lane in self.timeline.lanes().lanes}
        found = self.timeline.picture(0, 3 * _S, 1000, (lanes[9],))
        assert found.slices is not None
        self.assertEqual({lanes[9]}, set(found.slices.lane))
        self.assertEqual(2, found.calls)

    def test_category(self) -> None:
        """A column has the category of the most time."""
        calls = [Call(0, 500), Call(600, 9000, name="openat"), Call(10_000, 100), Call(10_200, 100)]
        with mock.patch.object(picture, "MOST_SLICES", 0):
            timeline = Timeline(samples.write(Path(self.mktemp()), calls))
            bins = timeline.picture(0, 10 * _S, 1).bins
        assert bins is not None
        self.assertEqual(([4], [1]), (bins.calls, bins.category))

    def test_bounded(self) -> None:
        """However many threads there are, an answer has a bounded number of columns."""
        calls = [Call(1000 * at, 500, tid=7 + at % 300) for at in range(9000)]
        timeline = Timeline(samples.write(Path(self.mktemp()), calls, calls_in_segment=9000))
        found = timeline.picture(0, 9 * _MS, 8192).bins
        assert found is not None
        self.assertLessEqual(len(found.lane), 40_300)
        self.assertEqual(9000, sum(found.calls))
