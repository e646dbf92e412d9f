"""Tests of the session and its snapshots."""

import attrs
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase
from zope.interface.verify import verifyObject

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.messages import (
    Ended,
    Failed,
    ReadLogs,
    Reported,
    Resting,
    RunCommand,
    Started,
)
from syswatch.model.preferences import Preferences, ShareOf
from syswatch.model.snapshot import Snapshot
from syswatch.model.window import SecondTotals, Window
from syswatch.service.session import ISession, Outcome, Session

_S = 10**9


def reads(count: int, second: int = 10) -> Delta:
    """Return some reads in one second."""
    return Delta(
        calls={"read": CallTally(count=count)},
        window=Window({second: {"read": SecondTotals(count)}}),
        span=Span(second * _S, second * _S),
    )


class SessionTests(SynchronousTestCase):
    """The session of one trace."""

    def setUp(self) -> None:
        """Create a session with a clock that the test controls."""
        self.clock = Clock()
        self.session = Session(self.clock)
        self.published: list[Snapshot] = []
        self.unsubscribe = self.session.subscribe(self.published.append)
        self.session.start()

    def test_interface(self) -> None:
        """It provides its interface."""
        self.assertTrue(verifyObject(ISession, self.session))

    def test_from_the_first_moment(self) -> None:
        """There is a snapshot before any message."""
        self.assertEqual((0, False), (self.session.snapshot.total, self.session.snapshot.done))

    def test_tick(self) -> None:
        """All messages of a second are published in one snapshot."""
        self.session.receive(reads(1))
        before = len(self.published)
        self.session.receive(reads(2))
        self.session.receive(reads(3))
        self.assertEqual(before, len(self.published))

        self.clock.advance(1)

        self.assertEqual(before + 1, len(self.published))
        self.assertEqual(6, self.session.snapshot.total)
        self.assertIs(self.session.snapshot, self.published[-1])

    def test_refreshed(self) -> None:
        """What a resting tracer has left is published as soon as it has been sent."""
        self.session.receive(reads(1))
        self.session.receive(Resting(is_resting=True))
        refreshed = self.session.refresh()
        assert refreshed is not None
        self.session.receive(reads(2))
        self.assertEqual(1, self.session.snapshot.total)
        totals = refreshed.addCallback(lambda _: self.session.snapshot.total)
        self.session.receive(Reported())
        self.assertEqual(3, self.successResultOf(totals))

    def test_end_of_rest(self) -> None:
        """No client waits for a tracer that has ended."""
        self.session.receive(Resting(is_resting=True))
        refreshed = self.session.refresh()
        assert refreshed is not None
        self.session.receive(Failed("killed"))
        self.successResultOf(refreshed)
        self.assertIsNone(self.session.refresh())

    def test_first_numbers_at_once(self) -> None:
        """The target and the first numbers are published without waiting for a tick."""
        self.session.receive(Started("test"))
        self.assertEqual("test", self.session.snapshot.source.backend)

        self.session.receive(reads(2))

        self.assertEqual(2, self.session.snapshot.total)

    def test_end(self) -> None:
        """The end is published at once and reported to earlier and later waiters."""
        before: list[object] = []
        after: list[object] = []
        self.session.when_ended().addCallback(before.append)
        self.session.receive(reads(2))
        self.session.receive(Ended(exit_code=3))
        self.session.when_ended().addCallback(after.append)

        self.assertEqual([Outcome(Ended(exit_code=3))], before)
        self.assertEqual(before, after)
        self.assertTrue(self.session.snapshot.done)
        self.assertEqual(2, self.session.snapshot.total)

    def test_failure(self) -> None:
        """A failure ends the session with a sentence and a status; the numbers stay."""
        self.session.receive(reads(2))
        self.session.receive(Failed("it broke", 1))

        self.assertEqual(Outcome(None, "it broke", 1), self.session.outcome)
        self.assertEqual(
            (2, "it broke"), (self.session.snapshot.total, self.session.snapshot.trouble)
        )

    def test_failing_listener(self) -> None:
        """A failing listener does not stop the others."""

        def fail(_: Snapshot) -> None:
            raise ValueError

        self.unsubscribe()
        self.session.subscribe(fail)
        self.session.subscribe(self.published.append)
        self.clock.advance(1)

        self.assertEqual(1, len(self.published))
        self.assertEqual(1, len(self.flushLoggedErrors(ValueError)))

    def test_unsubscribed(self) -> None:
        """An unsubscribed listener is not called, even when it unsubscribes during a call."""
        ending = self.session.subscribe(lambda _: ending())
        self.clock.advance(1)
        self.unsubscribe()
        self.clock.advance(1)

        self.assertEqual(1, len(self.published))

    def test_stop(self) -> None:
        """A stopped session does not tick; the last snapshot stays."""
        self.session.receive(reads(2))
        self.session.stop()
        self.session.stop()
        self.clock.advance(5)

        self.assertEqual(2, self.session.snapshot.total)
        self.assertEqual([], self.clock.getDelayedCalls())


class TimeTests(SynchronousTestCase):
    """The clock of a session."""

    def test_log(self) -> None:
        """A log has its own clock: the rate stays while nothing is read."""
        session = Session.for_job(ReadLogs(("a.log",)), Clock())
        session.receive(reads(7, 10))
        session.receive(reads(1, 11))
        session.publish()

        self.assertEqual(11 * _S, session.snapshot.now_ns)
        self.assertEqual(8, session.snapshot.rate)

    def test_living(self) -> None:
        """A live trace uses the system clock: without calls the rate falls to 0."""
        clock = Clock()
        session = Session(clock, wall_ns=lambda: int(11 + clock.seconds()) * _S)
        session.receive(reads(7, 10))
        session.publish()
        self.assertEqual((7, 1 * _S), (session.snapshot.rate, session.snapshot.elapsed_ns))

        clock.advance(4)
        session.publish()

        self.assertEqual((0, 5 * _S), (session.snapshot.rate, session.snapshot.elapsed_ns))

    def test_bursts(self) -> None:
        """A program with 54 calls about once a second has that rate at every tick."""
        clock = Clock()
        session = Session(clock, wall_ns=lambda: round((1000 + clock.seconds()) * _S))
        rates = []
        session.subscribe(lambda snapshot: rates.append(snapshot.rate))
        session.start()
        bursts = {997 * at // 100 for at in range(1, 60)}
        for tenth in range(1, 600):
            begin = 1000 + (tenth - 1) // 10
            moments = {begin: {"read": SecondTotals(54)}} if tenth in bursts else {}
            span = Span(1000 * _S, 1000 * _S + tenth * _S // 10)
            session.receive(Delta({"read": CallTally(54)}, window=Window(moments), span=span))
            clock.advance(0.1)
        session.stop()
        self.assertEqual([], [rate for rate in rates[5:] if not 50 <= rate <= 58])

    def assert_set(self, step_s: int, *, begun_s: int, dated_s: int) -> None:
        """
        Set the time of day after three seconds, while a delta is on its way.

        `begun_s` and `dated_s` say how its span begins and its calls are dated: before the step,
        or already after it.
        """
        clock, offset_s = Clock(), [10_000]
        session = Session(clock, wall_ns=lambda: int(clock.seconds() + offset_s[0]) * _S)
        for second in range(3):
            session.receive(reads(second + 1, 10_000 + second))
            clock.advance(1)
        offset_s[0] += step_s
        on_its_way = Span((10_003 + begun_s) * _S, (10_003 + step_s) * _S)
        session.receive(attrs.evolve(reads(4, 10_003 + dated_s), span=on_its_way))
        clock.advance(1)
        session.receive(reads(5, 10_004 + step_s))
        clock.advance(1)
        session.publish()

        snapshot = session.snapshot
        self.assertEqual((15, 3.0), (snapshot.total, snapshot.rate))
        self.assertEqual(5 * _S, snapshot.elapsed_ns)
        history = {at: calls["read"].count for at, calls in snapshot.sums.window.seconds.items()}
        first = 10_000 + step_s
        self.assertEqual({first + second: second + 1 for second in range(5)}, history)
        self.assertLessEqual(max(history), (snapshot.now_ns or 0) // _S)

    def test_set(self) -> None:
        """When the clock is set, all times are shifted, also those in transit."""
        for step_s in (-3600, 3600, -20, 20):
            for begun_s in (0, step_s):
                for dated_s in (0, step_s):
                    self.assert_set(step_s, begun_s=begun_s, dated_s=dated_s)

    def test_suspended(self) -> None:
        """A suspended machine is not a clock step: the time has passed."""
        clock, asleep_s = Clock(), [0]
        session = Session(
            clock,
            wall_ns=lambda: int(clock.seconds() + 10_000 + asleep_s[0]) * _S,
            steady_s=lambda: clock.seconds() + asleep_s[0],
        )
        session.receive(reads(1, 10_000))
        asleep_s[0] = 3600
        clock.advance(1)
        session.publish()
        self.assertEqual(3601 * _S, session.snapshot.elapsed_ns)

    def test_ended(self) -> None:
        """After the end the times stay."""
        session = Session(Clock(), wall_ns=lambda: 99 * _S)
        session.receive(reads(7, 10))
        session.receive(Ended())
        before = session.snapshot.elapsed_ns
        session.publish()

        self.assertEqual(before, session.snapshot.elapsed_ns)
        self.assertEqual(0, session.snapshot.rate)

    def test_recorded_ending(self) -> None:
        """The end of a recorded command is shown, but is not that of the session."""
        session = Session.for_job(ReadLogs(("a",)), Clock())
        session.receive(Ended(exit_signal=9))

        self.assertEqual(9, session.snapshot.end.exit_signal)
        assert session.outcome is not None
        self.assertEqual((0, 0), (session.outcome.exit_status, session.outcome.exit_signal))

    def test_kinds(self) -> None:
        """Only a session that reads logs has its own clock."""
        self.assertIsNone(Session.for_job(ReadLogs(()), Clock()).wall_ns)
        self.assertIsNotNone(Session.for_job(RunCommand(("true",)), Clock()).wall_ns)

    def test_preferences(self) -> None:
        """Every snapshot has the preferences of the session."""
        preferred = Preferences(ShareOf.WALL)
        session = Session.for_job(ReadLogs(()), Clock(), preferences=preferred)

        self.assertEqual(preferred, session.snapshot.preferences)
        session.publish()
        self.assertEqual(preferred, session.snapshot.preferences)
        self.assertEqual(Preferences(), Session.for_job(ReadLogs(()), Clock()).snapshot.preferences)


class OutcomeTests(SynchronousTestCase):
    """The outcome of a session."""

    def test_status(self) -> None:
        """The status is that of the command, as a shell reports it, or that of the failure."""
        for outcome, expected in (
            (Outcome(Ended()), 0),
            (Outcome(Ended(exit_code=3)), 3),
            (Outcome(Ended(exit_signal=9)), 137),
            (Outcome(None, "it broke", 2), 2),
        ):
            self.assertEqual(expected, outcome.exit_status)
