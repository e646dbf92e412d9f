"""Tests of asking a tracer for what no client looked at before."""

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import Report, Reported, Resting, Watch
from syswatch.service.attention import PATIENCE_S, Attention

_REST, _WORK = Resting(is_resting=True), Resting(is_resting=False)
_ON, _OFF = Watch(is_watched=True), Watch(is_watched=False)


class AttentionCase(SynchronousTestCase):
    """A tracer that is told who looks."""

    def setUp(self) -> None:
        """Record what is sent."""
        self.clock = Clock()
        self.sent: list[Watch | Report] = []
        self.attention = Attention(self.clock)
        self.attention.send = self.sent.append

    def refresh(self) -> "Deferred[None]":
        """Return what a client waits for."""
        refreshed = self.attention.refresh()
        assert refreshed is not None
        return refreshed


class WatchTests(AttentionCase):
    """A client looks all the time."""

    def test_not_resting(self) -> None:
        """A tracer that does not rest is sent nothing: it may be one that stops then."""
        self.attention.watch()()
        self.assertEqual([], self.sent)

    def test_begins_to_rest(self) -> None:
        """A tracer that begins to rest is told that a client looks already."""
        self.attention.watch()
        self.attention.receive(_REST)
        self.assertEqual([_ON], self.sent)

    def test_begins_to_look(self) -> None:
        """The first one to come and the last one to leave are reported."""
        self.attention.receive(_REST)
        leave = self.attention.watch()
        leave_too = self.attention.watch()
        self.assertEqual([_ON], self.sent)
        self.attention.receive(_WORK)
        leave()
        self.assertEqual([_ON], self.sent)
        leave_too()
        self.assertEqual([_ON, _OFF], self.sent)

    def test_return(self) -> None:
        """A client who leaves and returns at once finds the tracer watched again."""
        self.attention.receive(_REST)
        self.attention.watch()()
        self.attention.watch()
        self.attention.receive(_WORK)
        self.attention.receive(_REST)
        self.assertEqual(_ON, self.sent[-1])


class RefreshTests(AttentionCase):
    """A client asks once."""

    def test_not_resting(self) -> None:
        """A tracer that does not rest has sent everything."""
        self.assertIsNone(self.attention.refresh())
        self.assertEqual([], self.sent)

    def test_answered(self) -> None:
        """All who ask at the same time wait for one report."""
        self.attention.receive(_REST)
        asked = [self.refresh(), self.refresh()]
        self.assertEqual([Report()], self.sent)
        for each in asked:
            self.assertNoResult(each)
        self.attention.receive(Reported())
        for each in asked:
            self.successResultOf(each)
        self.assertEqual([], self.clock.getDelayedCalls())

    def test_fresh(self) -> None:
        """A report is new for a second."""
        self.attention.receive(_REST)
        self.refresh()
        self.attention.receive(Reported())
        self.clock.advance(0.9)
        self.assertIsNone(self.attention.refresh())
        self.clock.advance(0.1)
        self.assertNoResult(self.refresh())
        self.assertEqual([Report(), Report()], self.sent)

    def test_no_answer(self) -> None:
        """A tracer that does not answer delays no client for long."""
        self.attention.receive(_REST)
        asked = self.refresh()
        self.clock.advance(PATIENCE_S)
        self.successResultOf(asked)
        self.assertNoResult(self.refresh())
        self.assertEqual([Report(), Report()], self.sent)

    def test_end(self) -> None:
        """The last message of a tracer answers everything."""
        self.attention.receive(_REST)
        asked = self.refresh()
        self.attention.ended()
        self.successResultOf(asked)
        self.assertIsNone(self.attention.refresh())
        self.assertEqual([], self.clock.getDelayedCalls())
