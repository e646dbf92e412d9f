"""Tests of the queue and of retries."""

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.pushes import PushState
from syswatch.otlp.answers import Answer, Outcome
from syswatch.otlp.sender import LONGEST_BACKOFF_S, MOST_BYTES, MOST_REQUESTS, Sender

_ACCEPTED = Answer(Outcome.ACCEPTED)
_BUSY = Answer(Outcome.RETRY, "503 Service Unavailable")


class SenderTests(SynchronousTestCase):
    """One signal, with a collector that answers when the test says so."""

    def setUp(self) -> None:
        """Create a sender without jitter."""
        self.clock = Clock()
        self.posted: list[bytes] = []
        self.answers: list[Deferred[Answer]] = []
        self.said: list[str] = []
        self.jitter = 0.5
        self.sender = Sender(
            PushState("metrics"), self._post, self.clock, self.said.append, lambda: self.jitter
        )

    def _post(self, body: bytes) -> Deferred[Answer]:
        self.posted.append(body)
        self.answers.append(Deferred())
        return self.answers[-1]

    def _answer(self, answer: Answer) -> None:
        self.answers[-1].callback(answer)

    def test_in_order(self) -> None:
        """One request is sent at a time, in order."""
        for body in (b"1", b"2", b"3"):
            self.sender.offer(body)
        self.assertEqual([b"1"], self.posted)
        self.assertEqual(3, self.sender.state.queued)
        self._answer(_ACCEPTED)
        self.assertEqual([b"1", b"2"], self.posted)
        self._answer(_ACCEPTED)
        self._answer(_ACCEPTED)
        self.assertEqual(PushState("metrics", accepted=3), self.sender.state)
        self.assertEqual([], self.said)

    def test_backoff(self) -> None:
        """Waits grow up to a limit; the same request is sent again, which is said once."""
        self.sender.offer(b"1")
        waits = []
        for _ in range(8):
            self._answer(_BUSY)
            begin = self.clock.seconds()
            (call,) = self.clock.getDelayedCalls()
            waits.append(call.getTime() - begin)
            self.clock.advance(waits[-1])
        self.assertEqual([1, 2, 4, 8, 16, LONGEST_BACKOFF_S, 30, 30], waits)
        self.assertEqual([b"1"] * 9, self.posted)
        self._answer(_ACCEPTED)
        self.assertEqual(PushState("metrics", accepted=1, retries=8), self.sender.state)
        self.assertEqual(["503 Service Unavailable; retrying"], self.said)
        self.assertEqual([], self.clock.getDelayedCalls())

    def test_said_again(self) -> None:
        """After a success, the next outage is announced, and begins with a short wait."""
        for _ in range(2):
            self.sender.offer(b"1")
            self._answer(_BUSY)
            self.clock.advance(1)
            self._answer(_ACCEPTED)
        self.assertEqual(2, len(self.said))

    def test_jitter(self) -> None:
        """Senders that fail at the same moment don't retry at the same moment."""
        waits = []
        for self.jitter in (0.0, 1.0):
            self.sender.offer(b"1")
            self._answer(_BUSY)
            (call,) = self.clock.getDelayedCalls()
            waits.append(call.getTime() - self.clock.seconds())
            self.clock.advance(2)
            self._answer(_ACCEPTED)
        self.assertEqual([0.8, 1.2], [round(each, 9) for each in waits])

    def test_retry_after(self) -> None:
        """What the collector asks for is waited, even when the run ends."""
        self.sender.offer(b"1")
        self._answer(Answer(Outcome.RETRY, "429", retry_after_s=7))
        self.clock.advance(6.9)
        done = self.sender.finish(3)
        self.assertEqual(1, len(self.posted))
        self.clock.advance(0.2)
        self.assertEqual(2, len(self.posted))
        self._answer(_ACCEPTED)
        self.successResultOf(done)

    def test_rejected(self) -> None:
        """A request that is refused for good is counted, and the next one is sent."""
        self.sender.offer(b"1")
        self.sender.offer(b"2")
        self._answer(Answer(Outcome.REJECTED, "400 Bad Request"))
        self._answer(_ACCEPTED)
        self.assertEqual(PushState("metrics", accepted=1, rejected=1), self.sender.state)
        self.assertEqual(["a request was rejected: 400 Bad Request"], self.said)

    def test_partial(self) -> None:
        """What a collector did not take of a request is counted; it is not sent again."""
        for _ in range(2):
            self.sender.offer(b"1")
            self._answer(Answer(Outcome.ACCEPTED, "too old", rejected_items=5))
        self.assertEqual(PushState("metrics", accepted=2, rejected_items=10), self.sender.state)
        self.assertEqual(["5 items were rejected: too old"], self.said)

    def test_full(self) -> None:
        """A full queue drops the oldest requests, but not the one on its way, and says so once."""
        for number in range(MOST_REQUESTS + 3):
            self.sender.offer(str(number).encode())
        self.assertEqual(PushState("metrics", dropped=3, queued=MOST_REQUESTS), self.sender.state)
        while self.sender.state.queued:
            self._answer(_ACCEPTED)
        self.assertEqual(
            [b"0", *(str(n).encode() for n in range(4, MOST_REQUESTS + 3))], self.posted
        )
        self.assertEqual(1, len(self.said))

    def test_full_of_bytes(self) -> None:
        """The queue has a limit of bytes, too; one request may be larger."""
        self.sender.offer(bytes(MOST_BYTES + 1))
        self._answer(_BUSY)
        self.assertEqual(1, self.sender.state.queued)
        self.sender.offer(b"2")
        self.assertEqual((1, 1), (self.sender.state.dropped, self.sender.state.queued))
        self.clock.advance(1)
        self.assertEqual(b"2", self.posted[-1])

    def test_finish(self) -> None:
        """At the end, a request that waits for its retry is sent at once."""
        self.sender.offer(b"1")
        self._answer(_BUSY)
        done = self.sender.finish(3)
        self.assertEqual([b"1", b"1"], self.posted)
        self.assertNoResult(done)
        self._answer(_ACCEPTED)
        self.successResultOf(done)
        self.assertEqual([], self.clock.getDelayedCalls())

    def test_give_up(self) -> None:
        """The end of a run waits for a limited time; what is left is counted."""
        self.sender.offer(b"1")
        self.sender.offer(b"2")
        done = self.sender.finish(3)
        self.clock.advance(2.9)
        self.assertNoResult(done)
        self.clock.advance(0.1)
        self.successResultOf(done)
        self.assertEqual(PushState("metrics", dropped=2), self.sender.state)
        self.assertEqual(["2 requests were not delivered in time"], self.said)
        self.assertEqual([], self.clock.getDelayedCalls())

    def test_losses_in_total(self) -> None:
        """The end announces how much was lost if that was announced only for the first loss."""
        for body in (b"1", b"2", b"3", b"4", b"5"):
            self.sender.offer(body)
        self._answer(Answer(Outcome.REJECTED, "400 Bad Request"))
        self._answer(Answer(Outcome.REJECTED, "400 Bad Request"))
        self._answer(Answer(Outcome.ACCEPTED, rejected_items=5))
        self._answer(Answer(Outcome.ACCEPTED, rejected_items=6))
        done = self.sender.finish(3)
        self.clock.advance(3)
        self.successResultOf(done)
        self.assertEqual(
            [
                "a request was rejected: 400 Bad Request",
                "5 items were rejected",
                "in total, 3 requests were not delivered and 11 items were rejected",
            ],
            self.said,
        )
        self.assertTrue(self.sender.state.has_losses)

    def test_one_loss(self) -> None:
        """A loss that was announced is not announced again."""
        self.sender.offer(b"1")
        self._answer(Answer(Outcome.REJECTED, "400 Bad Request"))
        self.successResultOf(self.sender.finish(3))
        self.sender.offer(b"2")
        self._answer(_ACCEPTED)
        self.assertEqual(["a request was rejected: 400 Bad Request"], self.said)

    def test_dropped(self) -> None:
        """What was dropped from a full queue is counted in the end."""
        for number in range(MOST_REQUESTS + 3):
            self.sender.offer(str(number).encode())
        while self.sender.state.queued:
            self._answer(_ACCEPTED)
        self.successResultOf(self.sender.finish(3))
        self.assertEqual("in total, 3 requests were not delivered", self.said[-1])

    def test_give_up_between_attempts(self) -> None:
        """A retry that is due later than the end is not made."""
        self.sender.offer(b"1")
        self._answer(Answer(Outcome.RETRY, "429", retry_after_s=60))
        done = self.sender.finish(3)
        self.clock.advance(3)
        self.successResultOf(done)
        self.assertEqual([], self.clock.getDelayedCalls())
        self.assertEqual(1, len(self.posted))

    def test_internal_error(self) -> None:
        """An error of this program does not stop the queue."""
        self.sender.offer(b"1")
        self.sender.offer(b"2")
        self.answers[-1].errback(ValueError("broken"))
        self._answer(_ACCEPTED)
        self.assertEqual((1, 1), (self.sender.state.rejected, self.sender.state.accepted))
