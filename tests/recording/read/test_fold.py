"""Tests of the sums of ranges of time."""

import tempfile
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from operator import add
from pathlib import Path

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import TestCase

from syswatch.codec.event_frames import Life, Loss
from syswatch.codec.events import Flag
from syswatch.codec.frames import encode
from syswatch.codec.recording import DELTAS
from syswatch.model.delta import Delta, Span
from syswatch.model.now import Doing, Now, ThreadNow
from syswatch.model.threads import ThreadTimes, Wait
from syswatch.model.timeline import COARSE_MS, Timeline
from syswatch.model.times import LONGEST_NS, SECOND_NS
from syswatch.recording.read.fold import Folder
from syswatch.recording.read.opening import Recording
from tests.recording import samples
from tests.recording.samples import BEGUN_NS, FILE, NO_FLAG, PEER, PIPE, SOME, Call

_EXACT = ("calls", "activity", "object_waits", "window", "by_process")
_KINDS = (
    Call(0, name="read", moved=10, object=FILE, args="3"),
    Call(0, name="write", moved=7, object=PIPE),
    Call(0, name="openat", errno="ENOENT", args='"/x"'),
    Call(0, name="openat", errno="EACCES"),
    Call(0, name="sendfile", moved=70, object=FILE, second=PIPE),
    Call(0, name="recvfrom", object=PEER),
    Call(0, name="getpid"),
)


@st.composite
def _calls(draw: st.DrawFn) -> Call:
    duration_ns = draw(st.none() | st.integers(0, 3 * SECOND_NS) | st.integers(0, 1000))
    waiting_ns = draw(st.integers(0, duration_ns or 0))
    return attrs.evolve(
        draw(st.sampled_from(_KINDS)),
        start_ns=draw(st.integers(0, 4 * SECOND_NS)),
        duration_ns=duration_ns,
        waiting_ns=waiting_ns,
        ready_ns=draw(st.integers(0, (duration_ns or 0) - waiting_ns)),
        tid=draw(st.integers(7, 10)),
        pid=draw(st.sampled_from([7, 9])),
        flags=draw(st.sampled_from([NO_FLAG, Flag.ESTIMATED, Flag.UNTIMED])),
    )


def _folder_of(calls: Sequence[Call], calls_in_segment: int = 3) -> Folder:
    folder = samples.write(
        Path(tempfile.mkdtemp(dir=".")), calls, calls_in_segment=calls_in_segment, per_process=True
    )
    return Folder(Recording.open(folder))


def _reading(tid: int, at_ns: int = BEGUN_NS + 1) -> Now:
    """Return a report on a thread that has waited in a call since the beginning."""
    thread = ThreadNow(7, "cat", Doing.IN_CALL, "read", BEGUN_NS, waits=True, object=PIPE.id)
    return Now(at_ns, {tid: thread})


def _appended(path: Path, delta: Delta) -> Folder:
    """Return a recording to which a delta was added."""
    with (path / DELTAS).open("ab") as file:
        file.write(encode(delta))
    return Folder(Recording.open(path))


def _working(times: ThreadTimes) -> tuple[int, object]:
    return times.working_ns, times.waiting


class FoldTests(TestCase):
    """Sums of calls, against those of tracers."""

    def _assert_same(self, expected: Delta, found: Delta) -> None:
        for name in _EXACT:
            self.assertEqual(getattr(expected, name), getattr(found, name), name)

    def test_whole(self) -> None:
        """The sums of all calls are those that the tracer reported."""
        found = _folder_of(SOME).fold(per_process=True)
        self._assert_same(samples.delta_of(SOME, per_process=True), found)
        self.assertEqual({"/etc/hosts": 1, "/nowhere": 1}, found.paths)
        self.assertEqual({"/nowhere": 1}, found.failed_paths)
        self.assertEqual({FILE.id, PEER.id, PIPE.id}, found.objects.keys())
        self.assertEqual("https", found.objects[PEER.id].service)
        self.assertEqual("thread-7", found.threads[7].comm)

    @settings(max_examples=20, deadline=None)
    @given(
        st.lists(_calls(), max_size=12),
        st.lists(st.integers(-SECOND_NS, 8 * SECOND_NS), max_size=4),
        st.integers(1, 5),
    )
    def test_any(self, calls: list[Call], cuts: list[int], calls_in_segment: int) -> None:
        """The sums of ranges that follow each other are those of the whole, and the recorded."""
        folder = _folder_of(calls, calls_in_segment)
        bounds = [0, *sorted(BEGUN_NS + cut for cut in cuts), LONGEST_NS]
        parts = [
            folder.fold(first_ns, last_ns, per_process=True)
            for first_ns, last_ns in pairwise(bounds)
        ]
        whole = folder.fold(per_process=True)
        self._assert_same(samples.delta_of(calls, per_process=True), whole)
        total = reduce(add, parts)
        self._assert_same(whole, total)
        for name in ("slowest", "paths", "failed_paths"):
            self.assertEqual(getattr(whole, name), getattr(total, name), name)
        self.assertEqual(
            {tid: tally.times for tid, tally in whole.threads.items()},
            {tid: tally.times for tid, tally in total.threads.items()},
        )

    def test_range(self) -> None:
        """A call belongs to the range in which it ended, its time to all that it touches."""
        folder = _folder_of(SOME)
        early = folder.fold(BEGUN_NS, BEGUN_NS + SECOND_NS)
        late = folder.fold(BEGUN_NS + SECOND_NS, BEGUN_NS + 2 * SECOND_NS)
        self.assertNotIn("recvfrom", early.calls)
        self.assertEqual(1, late.calls["recvfrom"].count)
        waits = [
            sum(spent for wait, spent in part.threads[7].times.waiting.items())
            for part in (early, late)
        ]
        self.assertEqual(880_000_000, sum(waits))
        self.assertEqual(880_000_000 * 850 // 900, waits[0])

    def test_unfinished(self) -> None:
        """A call that has not returned counts nowhere, but its thread was in it until the end."""
        last = Call(SECOND_NS, 2 * SECOND_NS, tid=8, name="getpid")
        folder = _folder_of([Call(0, None, name="read", object=PIPE), last])
        found = folder.fold(BEGUN_NS + SECOND_NS, BEGUN_NS + 2 * SECOND_NS)
        self.assertEqual({}, found.calls)
        self.assertEqual(SECOND_NS, found.threads[7].times.working_ns)
        self.assertEqual(3 * SECOND_NS, folder.fold().threads[7].times.working_ns)

    def test_never_returned(self) -> None:
        """A call that never returned lasts until its process ends; one that exits takes no time."""
        calls = [
            Call(0, None, tid=8, name="read", object=PIPE),
            Call(0, None, name="exit_group"),
            Call(0, 3 * SECOND_NS, tid=9, pid=9, name="getpid"),
        ]
        lives = [Life(7, None, 0, "cat", "cat", BEGUN_NS + SECOND_NS, 0)]
        folder = samples.write(Path(self.mktemp()), calls, lives=lives)
        threads = Folder(Recording.open(folder)).fold().threads
        self.assertEqual(SECOND_NS, threads[8].times.working_ns)
        self.assertNotIn(7, {tid for tid, tally in threads.items() if tally.times.working_ns})

    def test_never_returned_waits(self) -> None:
        """A call that never returned waited if its thread did so when it was last seen."""
        delta = Delta(span=Span(BEGUN_NS, BEGUN_NS + 1), now=_reading(7))
        calls = [Call(0, None, object=PIPE), Call(0, 3 * SECOND_NS, tid=8, name="getpid")]
        times = _appended(samples.write(Path(self.mktemp()), calls), delta).fold().threads[7].times
        self.assertEqual((0, {Wait(PIPE.id, "read"): 3 * SECOND_NS}), _working(times))

    def test_in_progress(self) -> None:
        """While the trace runs, calls are in progress that are recorded at its end only."""
        calls = [Call(0, 3 * SECOND_NS, tid=8, name="getpid")]
        path = samples.write(Path(self.mktemp()), calls, end=None)
        reported_ns = BEGUN_NS + 2 * SECOND_NS
        delta = Delta(span=Span(BEGUN_NS, reported_ns), now=_reading(7, reported_ns))
        folder = _appended(path, delta)
        self.assertEqual((0, reported_ns), folder.complete())
        times = folder.fold(BEGUN_NS + SECOND_NS, reported_ns).threads[7].times
        self.assertEqual((0, {Wait(PIPE.id, "read"): SECOND_NS}), _working(times))
        self.assertEqual({}, folder.fold(0, reported_ns).calls)

    def test_in_progress_and_recorded(self) -> None:
        """A call that was in progress and has been recorded since is not added again."""
        calls = [
            Call(0, 3 * SECOND_NS, waiting_ns=3 * SECOND_NS, object=PIPE),
            Call(3 * SECOND_NS, 10, tid=8, name="getpid"),
        ]
        path = samples.write(Path(self.mktemp()), calls, end=None)
        reported_ns = BEGUN_NS + 2 * SECOND_NS
        delta = Delta(span=Span(BEGUN_NS, reported_ns), now=_reading(7, reported_ns))
        times = _appended(path, delta).fold(BEGUN_NS, reported_ns).threads[7].times
        self.assertEqual((0, {Wait(PIPE.id, "read"): 2 * SECOND_NS}), _working(times))

    def test_complete(self) -> None:
        """A recording is complete once the trace has ended, up to what was removed."""
        folder = _folder_of(SOME)
        self.assertEqual((0, LONGEST_NS), folder.complete())
        first, second, *_ = sorted((folder.recording.folder / "calls").iterdir())
        first.unlink()
        removed = Folder(Recording.open(folder.recording.folder))
        self.assertEqual(("00000001.parquet", LONGEST_NS), (second.name, removed.complete()[1]))
        self.assertEqual(BEGUN_NS + 160_003_000, removed.complete()[0])

    def test_complete_without_calls(self) -> None:
        """A first segment of which all calls are missing was not removed."""
        folder = _folder_of(SOME).recording.folder
        (folder / "losses").mkdir()
        (folder / "calls" / "00000000.parquet").rename(folder / "losses" / "00000000.parquet")
        self.assertEqual(0, Folder(Recording.open(folder)).complete()[0])

    def test_losses(self) -> None:
        """Calls that are missing from a range are in its ledger."""
        losses = [Loss(7, BEGUN_NS // SECOND_NS + second, 5 + second) for second in range(3)]
        folder = Folder(Recording.open(samples.write(Path(self.mktemp()), losses=losses)))
        self.assertEqual(18, folder.fold().ledger.lost_events)
        part = folder.fold(BEGUN_NS + SECOND_NS, BEGUN_NS + 2 * SECOND_NS)
        self.assertEqual(6, part.ledger.lost_events)
        (note,) = folder.recording.notes
        self.assertTrue(note.startswith("18 calls are missing from the recording"), note)

    def test_samples(self) -> None:
        """The newest calls with a text, and failures, are kept."""
        found = _folder_of(SOME).fold()
        self.assertEqual(["openat", "openat", "recvfrom"], [entry.name for entry in found.log])
        self.assertEqual(['"/nowhere"'], [each.args for each in found.failures["openat"]])
        self.assertEqual("recvfrom", found.slowest.overall[0].name)
        self.assertEqual(PEER.id, found.slowest.overall[0].object)

    def test_timeline(self) -> None:
        """The history of a short range has short intervals, with the time of each thread."""
        found = _folder_of(SOME).fold(BEGUN_NS, BEGUN_NS + SECOND_NS)
        self.assertEqual(10, found.timeline.bin_ms)
        working = [
            threads[7].working_ns + threads[7].waiting_ns
            for at, threads in sorted(found.timeline.bins.items())
            if 7 in threads
        ]
        # From 150 ms on, it is in one call, except for the time without a CPU.
        self.assertEqual({9_944_444, 9_944_445}, set(working[-85:]))
        self.assertEqual(850_000_000 - 5_000_000 * 850 // 900, sum(working[-85:]))

    def test_outside_of_calls(self) -> None:
        """All of it belongs to the trace, also that of an interval in which the trace ended."""
        path = samples.write(Path(self.mktemp()), SOME)
        last_ns = Folder(Recording.open(path)).last_ns()
        at, into_ns = divmod(last_ns, SECOND_NS)
        self.assertLess(0, into_ns)
        spent = {8: ThreadTimes(user_ns=into_ns // 2)}
        timeline = Timeline({at: spent}, COARSE_MS)
        folder = _appended(path, Delta(span=Span(BEGUN_NS, last_ns), timeline=timeline))
        middle_ns = last_ns - into_ns // 2
        first, second = folder.fold(0, middle_ns), folder.fold(middle_ns)
        self.assertEqual(into_ns // 2, folder.fold().threads[8].times.user_ns)
        self.assertEqual(into_ns // 4, first.threads[8].times.user_ns)
        self.assertEqual(into_ns // 4, second.threads[8].times.user_ns)
