"""Tests of the records that a timeline is drawn from."""

from pathlib import Path

import attrs
import msgspec
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.event_frames import Life, Loss
from syswatch.codec.events import Flag
from syswatch.recording import manifest, segments
from syswatch.recording.manifest import Manifest
from syswatch.recording.questions import Nothing
from syswatch.recording.read.opening import Recording
from syswatch.recording.read.requests import REQUESTS, Reader
from syswatch.recording.timeline import details, index
from syswatch.recording.timeline.details import UnknownCallError
from syswatch.recording.timeline.questions import Search, Shown, Wanted
from syswatch.recording.timeline.timeline import Timeline
from syswatch.recording.write.recorder import Recorder
from tests.recording import samples
from tests.recording.samples import BEGUN_NS, SOME, Call

_MS = 1_000_000
_S = 1000 * _MS


def read(timeline: Timeline) -> Timeline:
    """Return a timeline that has read all segments: it does not do so at once on a busy machine."""
    while timeline.lanes().unread:
        pass
    return timeline


class TimelineCase(SynchronousTestCase):
    """Recordings of a few calls, which one answer covers even on a loaded machine."""

    def setUp(self) -> None:
        """Be patient."""
        self.patch(index, "PATIENCE_S", 60.0)
        self.patch(details, "PATIENCE_S", 60.0)

    def timeline(self, *calls: Call, losses: tuple[Loss, ...] = ()) -> Timeline:
        """Return the timeline of some calls."""
        return read(Timeline(samples.write(Path(self.mktemp()), calls or SOME, losses=losses)))


class LaneTests(TimelineCase):
    """The threads."""

    def test_lanes(self) -> None:
        """There is a lane for each thread, with its calls and times."""
        found = self.timeline().lanes()
        known = {7: "cat", 9: "sh"}
        self.assertEqual((8, 1, 3), (found.calls, found.errors, found.threads))
        self.assertEqual(
            [(7, 7, 5, 1), (7, 8, 1, 0), (9, 9, 2, 0)],
            sorted((each.pid, each.tid, each.calls, each.errors) for each in found.lanes),
        )
        self.assertEqual(
            [(f"thread-{each.tid}", known[each.pid]) for each in found.lanes],
            [(each.comm, each.command) for each in found.lanes],
        )
        self.assertEqual(BEGUN_NS / _MS, found.origin_ms)
        self.assertEqual((0, []), (found.unread, found.damaged))
        self.assertFalse(found.live)

    def test_verdict(self) -> None:
        """The first line tells how much there is, and the longest call with its object."""
        found = self.timeline().lanes()
        self.assertEqual(
            "8 calls of 3 threads in 2.4 s; the longest single call: recvfrom of "
            "10.0.0.5:443 (tcp, https), 900 ms",
            found.verdict,
        )
        assert found.longest is not None
        self.assertEqual(150 * _MS, found.longest.start)

    def test_short_calls(self) -> None:
        """The longest call is found among short ones, too."""
        found = self.timeline(Call(0, 500), Call(700, 2000, name="write"), Call(5000, 9)).lanes()
        assert found.longest is not None
        self.assertEqual(("write", 700), (found.longest.name, found.longest.start))

    def test_untimed(self) -> None:
        """A call that began before the trace is the longest if what is known of it is."""
        old = Call(0, 5 * _S, name="wait4", flags=Flag.UNTIMED)
        for length, name in ((2000, "wait4"), (2 * _S, "wait4"), (7 * _S, "read")):
            found = self.timeline(old, Call(700, length, tid=8)).lanes()
            assert found.longest is not None
            self.assertEqual((name, name == "wait4"), (found.longest.name, found.longest.untimed))
        self.assertRegex(
            self.timeline(old).lanes().verdict, "longest single call: wait4.*, at least 5 s$"
        )

    def test_nothing(self) -> None:
        """A recording that has just begun has no lanes."""
        recorder = Recorder(Path(self.mktemp()), Manifest(begun_ns=BEGUN_NS))
        recorder.begin()
        timeline = Timeline(recorder.folder)
        found = timeline.lanes()
        self.assertEqual("No calls have been recorded yet", found.verdict)
        self.assertEqual((0, 0), (found.first, found.last))
        empty = timeline.picture(0, _S, 100)
        self.assertEqual(0, empty.calls)

    def test_growing(self) -> None:
        """What is added to a recording is found by the next request."""
        recorder = Recorder(Path(self.mktemp()), Manifest(begun_ns=BEGUN_NS))
        recorder.begin()
        timeline = Timeline(recorder.folder)
        for number in range(3):
            recorder.receive_events(Call(number * _S, 70).event)
            recorder.receive_lives([Life(7, None, 0, f"name-{number}", "")])
            recorder.close_segment()
            found = timeline.lanes()
            self.assertEqual((number + 1, True), (found.calls, found.live))
        recorder.finish(None)
        self.assertTrue(timeline.lanes().live)
        ended = attrs.evolve(recorder.about, ended_ns=BEGUN_NS + 3 * _S)
        manifest.write(recorder.folder, ended)
        self.assertFalse(timeline.lanes().live)

    def test_damaged(self) -> None:
        """A damaged segment is reported, and the others are shown; damaged sums are not needed."""
        timeline = self.timeline()
        name = segments.name_of(0)
        for kind in (segments.CALLS, segments.BINS):
            (timeline.folder / kind / name).write_bytes(b"PAR1")
        found = read(Timeline(timeline.folder)).lanes()
        self.assertEqual(5, found.calls)
        self.assertEqual([f"calls/{name}"], [each.partition(":")[0] for each in found.damaged])

    def test_removed(self) -> None:
        """The sums of a segment that was removed remain, but its calls cannot be shown."""
        timeline = self.timeline()
        before = timeline.lanes()
        assert before.longest is not None
        number, _ = details.parsed(before.longest.id)
        (timeline.folder / segments.CALLS / segments.name_of(number)).unlink()
        after = timeline.lanes()
        self.assertEqual((before.verdict, None), (after.verdict, after.longest))

    def test_without_sums(self) -> None:
        """A recording whose sums are missing has the same timeline."""
        timeline = self.timeline()
        before = timeline.lanes()
        for file in (timeline.folder / segments.BINS).iterdir():
            file.unlink()
        self.assertEqual(before, Timeline(timeline.folder).lanes())


class LossTests(TimelineCase):
    """Calls that are missing."""

    def test_losses(self) -> None:
        """Losses are shown in the second and the lane in which they happened."""
        second = BEGUN_NS // _S
        timeline = self.timeline(losses=(Loss(7, second + 1, 12), Loss(0, second + 2, 3)))
        self.assertEqual(15, timeline.lanes().lost)
        found = timeline.picture(0, 3 * _S, 100).losses
        self.assertEqual(
            [(0, _S, 12), (-1, 2 * _S, 3)], list(zip(*msgspec.structs.astuple(found), strict=True))
        )
        self.assertEqual([], timeline.picture(0, _S // 2, 100).losses.count)


class CallTests(TimelineCase):
    """Single calls."""

    def test_call(self) -> None:
        """A call has everything that was recorded of it."""
        timeline = self.timeline()
        slices = timeline.picture(150 * _MS, 151 * _MS, 100).slices
        assert slices is not None
        found = timeline.call(slices.id[0])
        self.assertEqual(
            ("recvfrom", "NET", 7, 7, 150 * _MS, 900 * _MS),
            (found.name, found.category, found.pid, found.tid, found.start, found.duration),
        )
        self.assertEqual(
            (15 * _MS, 880 * _MS, 5 * _MS), (found.working, found.waiting, found.ready)
        )
        self.assertEqual(('3, "", 64', "64"), (found.args, found.result))
        self.assertEqual("10.0.0.5:443 (tcp, https)", found.object_)
        self.assertEqual("2023-11-14T22:13:20.150000000Z", found.time)
        self.assertTrue(found.waited)
        self.assertFalse(found.untimed)

    def test_untimed(self) -> None:
        """A call that began before the trace is not said to have taken just what was seen."""
        timeline = self.timeline(Call(0, 70, flags=Flag.UNTIMED))
        found = timeline.call("0-0")
        self.assertEqual((True, 70, None), (found.untimed, found.duration, found.working))

    def test_every_call(self) -> None:
        """What identifies a call in a picture, in a search and in a lane is the same."""
        timeline = self.timeline()
        slices = timeline.picture(0, 3 * _S, 100).slices
        assert slices is not None
        starts = [timeline.call(each).start for each in slices.id]
        self.assertEqual(slices.start, starts)
        self.assertEqual(sorted(call.start_ns for call in SOME), sorted(starts))

    def test_registers(self) -> None:
        """Arguments that were not decoded are made from the registers."""
        timeline = self.timeline(Call(0, 70, name="lseek", result=5), Call(9, None, name="read"))
        self.assertEqual(("0, 1, SEEK_END", "5"), self._texts(timeline, "0-0"))
        self.assertEqual("?", self._texts(timeline, "0-1")[1])

    def test_hidden(self) -> None:
        """Arguments that were not recorded are not invented."""
        timeline = self.timeline(Call(0, 70, flags=Flag.NO_ARGUMENTS))
        self.assertEqual("...", self._texts(timeline, "0-0")[0])

    def test_unknown(self) -> None:
        """An identifier that names no call is refused."""
        timeline = self.timeline()
        for text in ("", "1", "0-", "-1", "0-99", "99-0", "../0-0", "0-0-0", "9" * 5000, "²-0"):
            self.assertRaises(UnknownCallError, timeline.call, text)

    def _texts(self, timeline: Timeline, text: str) -> tuple[str, str]:
        call = timeline.call(text)
        return call.args, call.result


class SearchTests(TimelineCase):
    """The search."""

    def test_search(self) -> None:
        """A text is found in names, errors, arguments, results and objects."""
        timeline = self.timeline()
        for text, starts in (
            ("openat", [1000, 20_000]),
            ("OPENAT", [1000, 20_000]),
            ("ENOENT", [20_000]),
            ("nowhere", [20_000]),
            ("10.0.0.5", [150 * _MS]),
            ("nothing like that", []),
        ):
            found = timeline.search(text)
            self.assertEqual((starts, -1), (found.start, found.next), text)

    def test_continued(self) -> None:
        """A search can begin with any segment."""
        found = self.timeline().search("read", 1)
        self.assertEqual([2400 * _MS], found.start)

    def test_damaged(self) -> None:
        """A damaged segment is left out."""
        timeline = self.timeline()
        (timeline.folder / segments.CALLS / segments.name_of(0)).write_bytes(b"")
        self.assertEqual([150 * _MS], timeline.search("recvfrom").start)


class RequestTests(TimelineCase):
    """The requests of the process that reads."""

    def test_requests(self) -> None:
        """Each request is answered in JSON; there is nothing for an unknown call."""
        reader = Reader(Recording.open(self.timeline().folder))
        for name, question, key in (
            ("lanes", Nothing(), "Verdict"),
            ("picture", Shown(0, 3 * _S, 100), "Slices"),
            ("call", Wanted("0-0"), "Name"),
            ("search", Search("read"), "Start"),
        ):
            self.assertIn(key, msgspec.json.decode(REQUESTS[name].respond(reader, question)))
        self.assertEqual(b"", REQUESTS["call"].respond(reader, Wanted("no")))
