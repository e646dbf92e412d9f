"""The session: the only owner of the aggregator."""

import time
from collections.abc import Callable
from functools import partial

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger
from zope.interface import implementer

from syswatch.codec.frames import Job, Message
from syswatch.model.aggregator import Aggregator
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, ReadLogs, Started
from syswatch.model.snapshot import Snapshot

from .dating import Dating
from .interface import ISession, Listener

TICK_S = 1.0
_SIGNAL_BASE = 128


@attrs.frozen
class Outcome:
    """How a session ended; `trouble` is a sentence for the user, empty where all went well."""

    end: Ended | None
    trouble: str = ""
    failure_status: int = 0

    @property
    def exit_signal(self) -> int:
        """The signal that the command died of, 0 where it did not."""
        return (self.end.exit_signal or 0) if self.end else 0

    @property
    def exit_status(self) -> int:
        """The status as a shell would give it: that of the command, if there was one."""
        if self.end is None:
            return self.failure_status
        if self.exit_signal:
            return _SIGNAL_BASE + self.exit_signal
        return self.end.exit_code or 0


@implementer(ISession)
@attrs.define(slots=False, eq=False)
class Session:
    """
    Sums what the tracer says and publishes a snapshot a tick.

    `wall_ns` is None where the trace has a clock of its own: a log's times are its own.
    """

    clock: IReactorTime
    wall_ns: Callable[[], int] | None = None
    tick_s: float = TICK_S
    # A clock that goes on while the machine is suspended, as the time of day does.
    steady_s: Callable[[], float] | None = None
    # Whether logs are read: a recording tells how its command ended, which is not how we end.
    reads_logs: bool = False
    snapshot: Snapshot = attrs.field(init=False)
    outcome: Outcome | None = attrs.field(default=None, init=False)
    _aggregator: Aggregator = attrs.field(factory=Aggregator, init=False)
    _listeners: list[Listener] = attrs.field(factory=list, init=False)
    _waiting: list[Deferred[Outcome]] = attrs.field(factory=list, init=False)
    _ticking: LoopingCall = attrs.field(init=False)
    _dating: Dating | None = attrs.field(init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Have a snapshot from the first moment on."""
        self.snapshot = self._aggregator.snapshot()
        self._ticking = LoopingCall(self.publish)
        self._ticking.clock = self.clock
        steady_s = self.steady_s or self.clock.seconds
        self._dating = Dating(self.wall_ns, steady_s) if self.wall_ns else None
        self._follow_clock()

    @classmethod
    def of_job(cls, job: Job, clock: IReactorTime, tick_s: float = TICK_S) -> "Session":
        """Make the session of a job; only a living trace shares our clock."""
        if isinstance(job, ReadLogs):
            return cls(clock, None, tick_s, reads_logs=True)
        return cls(clock, time.time_ns, tick_s, partial(time.clock_gettime, time.CLOCK_BOOTTIME))

    def start(self) -> None:
        """Begin to tick."""
        self._ticking.start(self.tick_s, now=False)

    def stop(self) -> None:
        """Stop to tick; the last snapshot stays."""
        if self._ticking.running:
            self._ticking.stop()

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each new snapshot; return what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self) -> None:
        """Freeze the sums as they are and tell everybody."""
        self._follow_clock()
        wall_ns = self.wall_ns if self.outcome is None else None
        self.snapshot = self._aggregator.snapshot(wall_ns() if wall_ns else None)
        for listener in tuple(self._listeners):
            try:
                listener(self.snapshot)
            except Exception:  # noqa: BLE001  one view that fails must not blind the others
                self._log.failure("a view failed to take a snapshot")

    def when_ended(self) -> Deferred[Outcome]:
        """Fire when nothing more will come from the tracer."""
        waiting: Deferred[Outcome] = Deferred()
        if self.outcome is None:
            self._waiting.append(waiting)
        else:
            waiting.callback(self.outcome)
        return waiting

    def receive(self, message: Message) -> None:
        """Take what the tracer says."""
        match message:
            case Started():
                self._aggregator.started(message)
                self.publish()
            case Delta():
                self._follow_clock()
                self._aggregator.add(self._dating.corrected(message) if self._dating else message)
                if not self.snapshot.calls:
                    self.publish()  # Whoever looks already need not wait for the tick.
            case Ended():
                self._aggregator.ended(message)
                self._end(Outcome(Ended() if self.reads_logs else message))
            case Failed():
                self._aggregator.failed(message.message)
                self._end(Outcome(None, message.message, message.exit_status))

    def _follow_clock(self) -> None:
        # What has ended keeps its dates.
        if self._dating is not None and self.outcome is None and (step := self._dating.step_s()):
            self._log.info("the time of day was set by {seconds:+} s", seconds=step)
            self._aggregator.shift(step)

    def lose(self, why: str) -> None:
        """Take note that the tracer is gone without a word; what it had said stays true."""
        if self.outcome is None:
            self.receive(Failed(why))

    def _end(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.publish()
        waiting, self._waiting = self._waiting, []
        for deferred in waiting:
            deferred.callback(outcome)
