"""The session: the only owner of the aggregator."""

import time
from collections.abc import Callable
from functools import partial

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger
from zope.interface import Attribute, Interface, implementer

from syswatch.base.classes import define, frozen
from syswatch.codec.frames import Job, Message
from syswatch.codec.recorder_reports import Report
from syswatch.model.aggregator import Aggregator
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, ReadLogs, Reported, Resting, Started
from syswatch.model.preferences import Preferences
from syswatch.model.pushes import PushState
from syswatch.model.recording import Save
from syswatch.model.snapshot import Snapshot

from .attention import Attention
from .clock_steps import ClockSteps

TICK_S = 1.0
_SIGNAL_BASE = 128

Listener = Callable[[Snapshot], None]


class ISession(Interface):
    """A source of snapshots, as servers and terminal interfaces use it."""

    snapshot: Snapshot = Attribute("The newest published snapshot.")

    def subscribe(listener: Listener) -> Callable[[], None]:  # noqa: N805  an interface has no self
        """Call `listener` with each new snapshot; return a function that unsubscribes it."""

    def watch() -> Callable[[], None]:
        """Ask for details in each snapshot, until the returned function is called."""

    def refresh() -> Deferred[None] | None:
        """Return a Deferred that fires when the snapshot has all details; None if it has."""


@frozen
class Outcome:
    """How a session ended; `trouble` is a sentence for the user, empty after a normal end."""

    end: Ended | None
    trouble: str = ""
    failure_status: int = 0

    @property
    def exit_signal(self) -> int:
        """The signal that killed the command, or 0."""
        return (self.end.exit_signal or 0) if self.end else 0

    @property
    def exit_status(self) -> int:
        """The exit status as a shell reports it, that of the command if there was one."""
        if self.end is None:
            return self.failure_status
        if self.exit_signal:
            return _SIGNAL_BASE + self.exit_signal
        return self.end.exit_code or 0


@implementer(ISession)
@define(slots=False, eq=False)
class Session:
    """
    Aggregates the tracer's messages and publishes a snapshot every tick.

    `wall_ns` is None if the trace has its own clock, as a log has.
    """

    clock: IReactorTime
    wall_ns: Callable[[], int] | None = None
    tick_s: float = TICK_S
    # A clock that keeps running while the machine is suspended, as the system clock does.
    steady_s: Callable[[], float] | None = None
    # The end that a recording reports is that of its command, not of this session.
    reads_logs: bool = False
    preferences: Preferences = attrs.field(factory=Preferences)
    snapshot: Snapshot = attrs.field(init=False)
    # The clients that look at details.
    attention: Attention = attrs.field(init=False)
    outcome: Outcome | None = attrs.field(default=None, init=False)
    # What the recorder has written, if there is one.
    recordings: Report = attrs.field(default=(), init=False)
    # What has been pushed to a collector, if there is one.
    pushes: tuple[PushState, ...] = attrs.field(default=(), init=False)
    _aggregator: Aggregator = attrs.field(init=False)
    _listeners: list[Listener] = attrs.field(factory=list, init=False)
    _waiting: list[Deferred[Outcome]] = attrs.field(factory=list, init=False)
    _ticking: LoopingCall = attrs.field(init=False)
    _clock_steps: ClockSteps | None = attrs.field(init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Take the first, empty snapshot."""
        self.attention = Attention(self.clock)
        self._aggregator = Aggregator(self.preferences)
        self.snapshot = self._aggregator.snapshot()
        self._ticking = LoopingCall(self.publish)
        self._ticking.clock = self.clock
        steady_s = self.steady_s or self.clock.seconds
        self._clock_steps = ClockSteps(self.wall_ns, steady_s) if self.wall_ns else None
        self._follow_clock_steps()

    @classmethod
    def for_job(
        cls,
        job: Job,
        clock: IReactorTime,
        tick_s: float = TICK_S,
        preferences: Preferences | None = None,
    ) -> "Session":
        """Return the session of a job; only a live trace uses the system clock."""
        preferences = preferences or Preferences()
        if isinstance(job, ReadLogs):
            return cls(clock, None, tick_s, reads_logs=True, preferences=preferences)
        steady_s = partial(time.clock_gettime, time.CLOCK_BOOTTIME)
        return cls(clock, time.time_ns, tick_s, steady_s, preferences=preferences)

    def start(self) -> None:
        """Start ticking."""
        self._ticking.start(self.tick_s, now=False)

    def stop(self) -> None:
        """Stop ticking; the last snapshot stays available."""
        if self._ticking.running:
            self._ticking.stop()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each new snapshot; return a function that unsubscribes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def watch(self) -> Callable[[], None]:
        """Ask for details in each snapshot, until the returned function is called."""
        return self.attention.watch()

    def refresh(self) -> Deferred[None] | None:
        """Return a Deferred that fires when the snapshot has all details; None if it has."""
        return self.attention.refresh()

    def publish(self) -> None:
        """Take a snapshot and pass it to all listeners."""
        self._follow_clock_steps()
        wall_ns = self.wall_ns if self.outcome is None else None
        snapshot = self._aggregator.snapshot(wall_ns() if wall_ns else None)
        self.snapshot = attrs.evolve(snapshot, recordings=self.recordings, pushes=self.pushes)
        for listener in tuple(self._listeners):
            try:
                listener(self.snapshot)
            except Exception:  # noqa: BLE001  a failing view must not stop the others
                self._log.failure("a view failed to handle a snapshot")

    def when_ended(self) -> Deferred[Outcome]:
        """Return a Deferred that fires once no more messages will come."""
        waiting: Deferred[Outcome] = Deferred()
        if self.outcome is None:
            self._waiting.append(waiting)
        else:
            waiting.callback(self.outcome)
        return waiting

    def receive(self, message: Message) -> None:
        """Handle a message of the tracer."""
        match message:
            case Started():
                self._aggregator.started(message)
                self.publish()
            case Delta():
                self._follow_clock_steps()
                steps = self._clock_steps
                self._aggregator.add(steps.corrected(message) if steps else message)
                if not self.snapshot.calls:
                    self.publish()  # The first numbers need not wait for the tick.
            case Resting():
                self.attention.receive(message)
            case Reported():
                self.publish()
                self.attention.receive(message)
            case Ended():
                self._aggregator.ended(message)
                self._end(Outcome(Ended() if self.reads_logs else message))
            case Failed():
                self._aggregator.failed(message.message)
                self._end(Outcome(None, message.message, message.exit_status))

    def receive_report(self, report: Report) -> None:
        """Show what the recorder has written."""
        former, self.recordings = self.recordings, report
        has_saved = _saves(former) != _saves(report)
        if has_saved or self.outcome is not None or any(each.trouble for each in report):
            self.publish()

    def _follow_clock_steps(self) -> None:
        # The times of an ended trace stay as they are.
        if self._clock_steps is None or self.outcome is not None:
            return
        if step_s := self._clock_steps.take_step_s():
            self._log.info("the system clock was set by {seconds:+} s", seconds=step_s)
            self._aggregator.shift(step_s)

    def _end(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.publish()
        self.attention.ended()
        waiting, self._waiting = self._waiting, []
        for deferred in waiting:
            deferred.callback(outcome)


def _saves(report: Report) -> list[tuple[Save, ...]]:
    return [each.saves for each in report if each.saves]
