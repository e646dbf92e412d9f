"""Sends the requests of one signal, one after the other, from a bounded queue."""

import random
from collections import deque
from collections.abc import Callable
from typing import Any

import attrs
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.python.failure import Failure

from syswatch.base.classes import define, frozen
from syswatch.model.pushes import PushState

from .answers import Answer, Outcome

# What a queue holds; whichever is reached first.
MOST_REQUESTS = 64
MOST_BYTES = 16 * 1024**2
# Waits between attempts grow from the first to the longest, and are up to a fifth shorter or
# longer, so that many senders do not ask at the same moment.
FIRST_WAIT_S = 1.0
LONGEST_BACKOFF_S = 30.0
_JITTER = 0.2
_GROWTH = 2.0


@frozen
class Request:
    """A request as it is sent."""

    body: bytes


@define(eq=False)
class Sender:
    """
    Sends each request until the collector has accepted or refused it.

    Requests stay in order.  The oldest one is dropped if the queue is full: metrics are
    cumulative, so a later request has what it had.
    """

    state: PushState
    post: Callable[[bytes], Deferred[Answer]]
    clock: IReactorTime
    announce: Callable[[str], None]
    # From 0 to 1.
    random: Callable[[], float] = random.random
    _queue: deque[Request] = attrs.field(factory=deque, init=False)
    _sending: Deferred[Answer] | None = attrs.field(default=None, init=False)
    _retry: IDelayedCall | None = attrs.field(default=None, init=False)
    _may_hurry: bool = attrs.field(default=True, init=False)
    _failures: int = attrs.field(default=0, init=False)
    # The kinds of problems that were announced since a request was last accepted.
    _announced: set[object] = attrs.field(factory=set, init=False)
    # Whether anything was lost after its kind of problem had been announced.
    _has_silent_losses: bool = attrs.field(default=False, init=False)
    _idle: list[Deferred[None]] = attrs.field(factory=list, init=False)

    def offer(self, body: bytes, encoding_ns: int = 0) -> None:
        """Add a request to the queue, and send it when it is its turn."""
        self._queue.append(Request(body))
        self._count(encoding_ns=self.state.encoding_ns + encoding_ns)
        self._drop_oldest()
        if self._sending is None and self._retry is None:
            self._send()

    def finish(self, timeout_s: float) -> Deferred[None]:
        """Send what is queued, drop what is left after some time, and announce what was lost."""
        done: Deferred[None] = Deferred()
        if self._retry is not None and self._may_hurry:
            self._retry.cancel()
            self._send()
        if self._queue:
            self._idle.append(done)
            done.addTimeout(timeout_s, self.clock).addErrback(self._give_up)
        else:
            done.callback(None)
        return done.addCallback(self._announce_losses)

    def _send(self) -> None:
        self._retry = None
        # Before there are callbacks: the answer may be there already.
        self._sending = self.post(self._queue[0].body)
        self._sending.addCallbacks(self._answered, self._failed)

    def _answered(self, answer: Answer) -> None:
        self._sending = None
        if answer.outcome is Outcome.RETRY:
            self._announce_once(Outcome.RETRY, f"{answer.message}; retrying")
            self._wait(answer.retry_after_s)
            return
        self._queue.popleft()
        self._failures = 0
        if answer.outcome is Outcome.REJECTED:
            self._announce_loss(Outcome.REJECTED, f"a request was rejected: {answer.message}")
            self._count(rejected=self.state.rejected + 1)
        else:
            self._accepted(answer)
        if self._queue:
            self._send()
        else:
            self._fire_idle()

    def _accepted(self, answer: Answer) -> None:
        if answer.rejected_items:
            why = f": {answer.message}" if answer.message else ""
            self._announce_loss("partial", f"{_items(answer.rejected_items)} rejected{why}")
        else:
            self._announced.clear()
        self._count(
            accepted=self.state.accepted + 1,
            rejected_items=self.state.rejected_items + answer.rejected_items,
        )

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError):
            return
        # An error of this program: the request would fail again.
        self._answered(Answer(Outcome.REJECTED, failure.getErrorMessage()))

    def _wait(self, asked_s: float | None) -> None:
        """Send again after a while, but not before the time that the collector asked for."""
        backoff_s = min(FIRST_WAIT_S * _GROWTH**self._failures, LONGEST_BACKOFF_S)
        backoff_s *= 1 + _JITTER * (2 * self.random() - 1)
        # The exponent has a limit, as the wait has.
        self._failures = min(self._failures + 1, 10)
        self._may_hurry = asked_s is None
        self._count(retries=self.state.retries + 1)
        self._retry = self.clock.callLater(max(backoff_s, asked_s or 0), self._send)

    def _drop_oldest(self) -> None:
        dropped = 0
        while len(self._queue) > MOST_REQUESTS or (
            len(self._queue) > 1 and sum(len(each.body) for each in self._queue) > MOST_BYTES
        ):
            # The first one may be on its way.
            del self._queue[1 if self._sending is not None else 0]
            dropped += 1
        if dropped:
            self._announce_once(
                "full", "the queue is full; the oldest requests are dropped until it answers"
            )
            self._has_silent_losses = True
            self._count(dropped=self.state.dropped + dropped)

    def _give_up(self, _: Failure) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None
        left = len(self._queue)
        self._queue.clear()
        self._count(dropped=self.state.dropped + left)
        if self.state.lost > left:
            # The sum follows, which includes them.
            self._has_silent_losses = True
        else:
            self.announce(f"{_requests(left)} not delivered in time")

    def _fire_idle(self) -> None:
        idle, self._idle = self._idle, []
        for deferred in idle:
            deferred.callback(None)

    def _announce_losses(self, _: None) -> None:
        """Announce in the end what was lost, unless each loss was announced."""
        if not self._has_silent_losses:
            return
        state, losses = self.state, []
        if state.lost:
            losses.append(f"{_requests(state.lost)} not delivered")
        if state.rejected_items:
            losses.append(f"{_items(state.rejected_items)} rejected")
        self.announce(f"in total, {' and '.join(losses)}")

    def _announce_loss(self, kind: object, message: str) -> None:
        self._has_silent_losses |= kind in self._announced
        self._announce_once(kind, message)

    def _announce_once(self, kind: object, message: str) -> None:
        if kind not in self._announced:
            self._announced.add(kind)
            self.announce(message)

    def _count(self, **changed: Any) -> None:
        self.state = attrs.evolve(self.state, **changed, queued=len(self._queue))


def _requests(number: int) -> str:
    return "1 request was" if number == 1 else f"{number} requests were"


def _items(number: int) -> str:
    return "1 item was" if number == 1 else f"{number} items were"
