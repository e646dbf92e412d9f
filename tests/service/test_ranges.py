"""Tests of the exact picture of a range of time."""

from typing import Any, cast

import attrs
from twisted.internet.defer import Deferred, fail, succeed
from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta, Span
from syswatch.model.messages import Ended
from syswatch.model.times import LONGEST_NS, SECOND_NS
from syswatch.recording.manifest import Manifest
from syswatch.recording.questions import FOLD, Kind, Range, State
from syswatch.service.ranges import Ranges
from syswatch.service.reader_process import ReaderError, Recording
from syswatch.views import time_builders
from syswatch.views.budget.period import Period, with_objects, within
from tests.recording.samples import SOME, delta_of
from tests.web.served import FakeSession

_MS = 1_000_000


@attrs.define
class FakeRecording:
    """A recording that has the same calls in every range."""

    asked: list[Range] = attrs.field(factory=list)
    trouble: str = ""
    delta: Delta = attrs.field(factory=lambda: delta_of(SOME))
    complete: tuple[int, int] = (0, LONGEST_NS)

    def ask(self, kind: Kind[Any, Any], question: Any) -> Deferred[Any]:
        """Answer immediately."""
        if self.trouble:
            self.asked.append(question)
            return fail(ReaderError(self.trouble))
        if kind is not FOLD:
            return succeed(State(Manifest(0), 0, (), *self.complete))
        self.asked.append(question)
        return succeed(self.delta)


class RangeTests(TestCase):
    """Snapshots of ranges."""

    def setUp(self) -> None:
        """Create a session with a recording."""
        self.recording = FakeRecording()
        session = FakeSession.of(delta_of(SOME), delta_of(SOME))
        session.snapshot = attrs.evolve(session.snapshot, done=True, end=Ended(3))
        self.whole = session.snapshot
        self.ranges = Ranges(cast("Any", session), cast("Recording", self.recording))

    async def test_part(self) -> None:
        """The part has the numbers of the range, and the ending of the whole."""
        part = await self.ranges.part(Period(1000, 2500))
        self.assertEqual([Range(1000 * _MS, 2500 * _MS)], self.recording.asked)
        self.assertEqual(len(SOME) - 1, part.total)
        self.assertEqual((True, 3), (part.done, part.end.exit_code))
        self.assertIs(self.whole, part.whole)
        self.assertIs(part, within(part, Period(1000, 2500)))
        self.assertIs(part, with_objects(part))

    async def test_longer_recording(self) -> None:
        """The time before and after the trace, in which it was recorded, is not part of it."""
        span = self.whole.sums.span
        assert span is not None
        for first_ns, last_ns in ((-9, 9), (-9, 0), (0, 9)):
            longer = Span(span.first_ns + first_ns * SECOND_NS, span.last_ns + last_ns * SECOND_NS)
            self.recording.delta = attrs.evolve(delta_of(SOME), span=longer)
            part = await self.ranges.part(Period(1000 + last_ns, 2500 + first_ns))
            self.assertEqual(self.whole.elapsed_ns, part.elapsed_ns)

    async def test_far_future(self) -> None:
        """A time that is too large for nanoseconds is the latest one."""
        await self.ranges.part(Period(10**18, 0))
        self.assertEqual([Range(LONGEST_NS, LONGEST_NS)], self.recording.asked)

    async def test_kept(self) -> None:
        """A range is read once; its end is that of the trace if none is given."""
        for _ in range(2):
            await self.ranges.part(Period(1000, 0))
        self.assertEqual([Range(1000 * _MS, LONGEST_NS)], self.recording.asked)
        for number in range(20):
            await self.ranges.part(Period(number + 1, 0))
        await self.ranges.part(Period(1000, 0))
        self.assertEqual(22, len(self.recording.asked))

    async def test_errors(self) -> None:
        """What cannot be read is tried again the next time."""
        self.recording.trouble = "broken"
        for _ in range(2):
            with self.assertRaises(ReaderError):
                await self.ranges.part(Period(1000, 0))
        self.recording.trouble = ""
        self.assertEqual(len(SOME) - 1, (await self.ranges.part(Period(1000, 0))).total)


class LiveRangeTests(TestCase):
    """Snapshots of ranges of a recording that is being made."""

    def setUp(self) -> None:
        """Create a session that is 20 seconds old, of which 18 are recorded."""
        self.recording = FakeRecording(complete=(0, 18_000 * _MS))
        self.session = FakeSession.of(delta_of(SOME))
        self.session.snapshot = attrs.evolve(self.session.snapshot, now_ns=20_000 * _MS)
        recording = cast("Recording", self.recording)
        self.ranges = Ranges(cast("Any", self.session), recording, grows=True)

    async def test_recorded(self) -> None:
        """A range that is recorded is exact, and the trace continues; it is read once."""
        for _ in range(2):
            part = await self.ranges.part(Period(1000, 2500))
            self.assertEqual((True, False, 0), (part.is_exact_part, part.done, part.unrecorded_ns))
            self.assertEqual(0, part.rate)
        self.assertEqual([Range(1000 * _MS, 2500 * _MS)], self.recording.asked)

    async def test_new(self) -> None:
        """A range that has only just been recorded is read again."""
        for _ in range(2):
            part = await self.ranges.part(Period(1000, 17_000))
            self.assertEqual((True, 0), (part.is_exact_part, part.unrecorded_ns))
        self.assertEqual(2, len(self.recording.asked))

    async def test_partly(self) -> None:
        """Of a range that is recorded in part, it is known how much is missing."""
        for to_ms, missing_ms in ((19_000, 1000), (0, 2000), (30_000, 2000)):
            part = await self.ranges.part(Period(1000, to_ms))
            self.assertEqual((True, missing_ms * _MS), (part.is_exact_part, part.unrecorded_ns))
            self.assertEqual(Range(1000 * _MS, 18_000 * _MS), self.recording.asked[-1])
        note = time_builders.time(part, period=Period(1000, 30_000)).note
        self.assertEqual("the last 2 s of this range are not recorded yet", note)

    async def test_unknown(self) -> None:
        """Of a range that is not recorded, or no longer, the trace itself tells what it knows."""
        self.assertIs(self.session.snapshot, await self.ranges.part(Period(18_000, 19_000)))
        self.recording.complete = 5000 * _MS, 18_000 * _MS
        self.assertIs(self.session.snapshot, await self.ranges.part(Period(4000, 6000)))
        self.assertEqual([], self.recording.asked)
        self.assertTrue((await self.ranges.part(Period(5000, 6000))).is_exact_part)

    async def test_unreadable(self) -> None:
        """So it does if the recording cannot be read."""
        self.recording.trouble = "broken"
        self.assertIs(self.session.snapshot, await self.ranges.part(Period(1000, 2500)))
