"""Tests of the exact picture of a range of time."""

from typing import Any, cast

import attrs
from twisted.internet.defer import Deferred, fail, succeed
from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta
from syswatch.model.messages import Ended
from syswatch.model.times import LONGEST_NS
from syswatch.recording.questions import Kind, Range
from syswatch.service.ranges import Ranges
from syswatch.service.reader_process import ReaderError, Recording
from syswatch.views.budget.period import Period, with_objects, within
from tests.recording.samples import SOME, delta_of
from tests.web.served import FakeSession

_MS = 1_000_000


@attrs.define
class FakeRecording:
    """A recording that has the same calls in every range."""

    asked: list[Range] = attrs.field(factory=list)
    trouble: str = ""

    def ask(self, _kind: Kind[Range, Delta], question: Range) -> Deferred[Delta]:
        """Answer immediately."""
        self.asked.append(question)
        return fail(ReaderError(self.trouble)) if self.trouble else succeed(delta_of(SOME))


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
