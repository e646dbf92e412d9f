"""Tests of readers of a recording from which a flight recorder removes the oldest part."""

import io
import tarfile
from pathlib import Path

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.model.delta import Delta, Span
from syswatch.model.messages import Started
from syswatch.model.process import ProcessInfo
from syswatch.model.threads import ThreadTally
from syswatch.recording import segments
from syswatch.recording.export.selection import Selection
from syswatch.recording.keeping import Keep
from syswatch.recording.manifest import Manifest
from syswatch.recording.packing import packed
from syswatch.recording.query.database import Database
from syswatch.recording.query.errors import QueryError
from syswatch.recording.read.fold import Folder
from syswatch.recording.read.opening import Recording
from syswatch.recording.timeline import timeline as timeline_module
from syswatch.recording.timeline.records import Lanes
from syswatch.recording.timeline.timeline import Timeline
from syswatch.recording.write.flight import FlightRecorder
from tests.recording.write.test_tables import event

_START = 1_700_000_000_000_000_000
_SECOND = 10**9


class RemovedTests(SynchronousTestCase):
    """A recording of which ten seconds are kept."""

    def setUp(self) -> None:
        """Record ten seconds."""
        self.clock, self.folder = Clock(), Path(self.mktemp())
        self.recorder = FlightRecorder(
            self.folder, Manifest(_START), clock=self.clock.seconds, keep=Keep(seconds=10)
        )
        self.recorder.begin()
        self.recorder.receive_frame(encode(Started("test", ProcessInfo(5, "app"))))
        named = Delta(threads={7: ThreadTally(5, "worker")}, span=Span(_START, _START))
        self.recorder.receive_frame(encode(named))
        self.record(10)

    def record(self, seconds: int) -> None:
        """Record a call in each second."""
        for _ in range(seconds):
            at_ns = _START + int(self.clock.seconds()) * _SECOND
            self.recorder.receive_events(event(at_ns))
            self.recorder.receive_frame(encode(Delta(span=Span(at_ns, at_ns))))
            self.clock.advance(1)
            self.recorder.tick()

    def test_sums(self) -> None:
        """The sums are those of what is kept; threads keep their names."""
        folder = Folder(Recording.open(self.folder))
        self.assertEqual(10, folder.fold().calls["getppid"].count)
        self.record(50)
        whole = folder.fold()
        self.assertEqual(11, whole.calls["getppid"].count)
        self.assertEqual("worker", whole.threads[7].comm)
        self.assertEqual(_START + 59 * _SECOND, folder.deltas.last_ns())
        self.assertEqual({}, folder.deltas.damaged)
        self.assertEqual({}, folder.recording.damaged)

    def test_calls(self) -> None:
        """A segment that is removed while calls are read is left out, in words."""
        selection = Selection(Recording.open(self.folder))
        parts = selection.parts()
        self.assertEqual(1, len(next(parts)))
        self.record(5)
        self.assertEqual(6, sum(map(len, parts)))
        (note,) = selection.recording.damage()
        self.assertEqual(
            "3 segments were left out: --keep removed what is older while the recording was read",
            note,
        )

    def test_query(self) -> None:
        """A query of segments that have been removed is an error in words."""
        database = Database.open(Recording.open(self.folder))
        self.addCleanup(database.close)
        self.record(20)
        with self.assertRaises(QueryError) as caught:
            database.rows("SELECT count(*), sum(duration) FROM calls")
        self.assertIn("removed", str(caught.exception))

    def test_packed(self) -> None:
        """An archive lacks the segments that are removed before it is their turn."""
        parts = packed(self.folder)
        begin = next(parts)
        self.record(5)
        content = io.BytesIO(begin + b"".join(parts))
        with tarfile.open(fileobj=content) as archive:
            names = [Path(each).name for each in archive.getnames() if "/calls/" in each]
        self.assertEqual([segments.name_of(number) for number in range(4, 10)], names)

    def test_timeline(self) -> None:
        """The timeline keeps its origin and its sums, and leaves out single calls."""
        timeline = Timeline(self.folder)
        before = _whole(timeline)
        self.record(20)
        self.assertEqual(before.origin_ms, _whole(timeline).origin_ms)
        old = timeline.picture(0, 3 * _SECOND, 100)
        new = timeline.picture(25 * _SECOND, 31 * _SECOND, 100)
        self.assertEqual((0, 5), (old.calls, new.calls))
        self.assertEqual([], timeline.lanes().damaged)
        for number in segments.numbers_in(self.folder, segments.CALLS):
            (self.folder / segments.CALLS / segments.name_of(number)).unlink()
        self.assertEqual(0, timeline.picture(25 * _SECOND, 26 * _SECOND, 100).calls)
        self.assertEqual([], timeline.lanes().damaged)

    def test_much_removed(self) -> None:
        """When more sums were removed than are kept, they are released."""
        self.patch(timeline_module, "_MOST_REMOVED", 20)
        timeline = Timeline(self.folder)
        counts = []
        for _ in range(15):
            self.record(3)
            counts.append(_whole(timeline).calls)
        self.assertLess(max(counts), 40)
        self.assertNotEqual(sorted(counts), counts)
        self.assertEqual(_START / 1e6, timeline.lanes().origin_ms)
        self.assertEqual(11, _whole(Timeline(self.folder)).calls)


def _whole(timeline: Timeline) -> Lanes:
    """Return what a timeline shows once it has read everything, which it does part by part."""
    while (lanes := timeline.lanes()).unread:
        pass
    return lanes
