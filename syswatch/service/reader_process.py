"""The child process that reads a recording, as a Twisted process protocol."""

import sys
from contextlib import suppress
from typing import Any, TypeVar

import attrs
import msgspec
from twisted.internet.defer import Deferred, DeferredList, fail
from twisted.internet.error import ProcessDone, ProcessExitedAlready
from twisted.internet.interfaces import (
    IDelayedCall,
    IProcessTransport,
    IReactorProcess,
    IReactorTime,
)
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from syswatch.base.classes import define
from syswatch.codec.frames import WireError
from syswatch.machine.environment import given_environment
from syswatch.recording.questions import Kind
from syswatch.recording.read.wire import Answered, Asked, Receiver, encode

from .inherited import termination_signals_blocked
from .reactor import Reactor
from .systemd import PRIVATE_VARIABLES

# The slowest answer that anyone waits for.
ANSWER_S = 60.0
_ENDED = "the process that reads the recording {}"

Q = TypeVar("Q")
A = TypeVar("A")


class ReaderError(Exception):
    """A question cannot be answered; the message is one sentence for the user."""


class QuestionError(ReaderError):
    """A question cannot be answered because of a mistake in it."""


@define(eq=False)
class Recording:
    """
    A recording that a child process reads.

    The child is started with the first question, and again with the next one if it has ended: a
    question that takes too much memory does not cost the others.  Questions that may take seconds
    have a child of their own, so that others do not wait for them.
    """

    folder: str
    reactor: Reactor
    # By whether their questions may take long.
    _processes: "dict[bool, _ReaderProcess]" = attrs.field(factory=dict, init=False)

    def ask(self, kind: Kind[Q, A], question: Q) -> Deferred[A]:
        """Return the answer to a question; a ReaderError if there is none."""
        process = self._processes.get(kind.takes_long)
        if process is None or process.has_ended:
            process = _ReaderProcess(self.reactor)
            try:
                process.spawn(self.reactor, self.folder)
            except OSError as error:
                return fail(ReaderError(_ENDED.format(f"cannot be started: {error.strerror}")))
            self._processes[kind.takes_long] = process
        return process.ask(kind, question)

    def close(self) -> Deferred[None]:
        """End the children, and return a Deferred that fires then; what was asked fails."""
        for process in self._processes.values():
            process.kill("was ended")
        gone = [process.when_gone for process in self._processes.values()]
        return DeferredList(gone).addCallback(lambda _: None)


@define(slots=False, eq=False)
class _ReaderProcess(ProcessProtocol):
    """Sends questions to the child, and passes its answers on."""

    clock: IReactorTime
    transport: IProcessTransport = attrs.field(init=False)
    has_ended: bool = attrs.field(default=False, init=False)
    when_gone: Deferred[None] = attrs.field(factory=Deferred, init=False)
    # By number: the answer that is expected, and the type of it.
    _waiting: dict[int, tuple[Deferred[Any], type[Any]]] = attrs.field(factory=dict, init=False)
    _asked: int = attrs.field(default=0, init=False)
    _receiver: Receiver = attrs.field(factory=Receiver, init=False)
    _deadline: IDelayedCall | None = attrs.field(default=None, init=False)

    def spawn(self, reactor: IReactorProcess, folder: str) -> None:
        """Start the child, which Ctrl+C does not end before its questions do."""
        with termination_signals_blocked():
            reactor.spawnProcess(
                self,
                sys.executable,
                [sys.executable, "-m", "syswatch.recording.read", folder],
                env={
                    name: text
                    for name, text in given_environment().items()
                    if name not in PRIVATE_VARIABLES
                },
                childFDs={0: "w", 1: "r", 2: 2},
            )

    def ask(self, kind: Kind[Q, A], question: Q) -> Deferred[A]:
        """Send a question."""
        self._asked += 1
        answer: Deferred[A] = Deferred()
        asked = Asked(self._asked, kind.name, msgspec.msgpack.encode(question))
        self._waiting[self._asked] = answer, kind.answer
        self.transport.writeToChild(0, encode(asked))
        if self._deadline is None:
            self._deadline = self.clock.callLater(ANSWER_S, self._expire)
        return answer

    def childDataReceived(self, childFD: int, data: bytes) -> None:  # noqa: ARG002  only one is read
        """Decode answers."""
        try:
            for body in self._receiver.receive_data(data):
                self._answered(msgspec.msgpack.decode(body, type=Answered))
        except (WireError, msgspec.MsgspecError) as error:
            self.kill(f"sent an invalid answer ({error})")

    def processEnded(self, reason: Failure) -> None:
        """Fail what has not been answered."""
        self._fail(_describe_end(reason))
        if not self.when_gone.called:
            self.when_gone.callback(None)

    def kill(self, why: str) -> None:
        """End the child, and fail what has not been answered."""
        self._fail(why)
        with suppress(ProcessExitedAlready):
            self.transport.signalProcess("KILL")

    def _answered(self, message: Answered) -> None:
        if message.number not in self._waiting:
            return  # A child that was killed had sent it before.
        answer, kind = self._waiting.pop(message.number)
        self._stop_waiting()
        if self._waiting:
            self._deadline = self.clock.callLater(ANSWER_S, self._expire)
        if message.error:
            refused = QuestionError if message.is_mistake else ReaderError
            answer.errback(refused(message.error))
            return
        try:
            decoded = msgspec.msgpack.decode(message.answer, type=kind)
        except (msgspec.MsgspecError, TypeError, ValueError) as error:
            answer.errback(ReaderError(_ENDED.format(f"sent an invalid answer ({error})")))
        else:
            answer.callback(decoded)

    def _expire(self) -> None:
        self._deadline = None
        self.kill(f"did not answer within {ANSWER_S:g} s and was ended")

    def _stop_waiting(self) -> None:
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._deadline = None

    def _fail(self, why: str) -> None:
        self.has_ended = True
        self._stop_waiting()
        waiting, self._waiting = self._waiting, {}
        for answer, _ in waiting.values():
            answer.errback(ReaderError(_ENDED.format(why)))


def _describe_end(reason: Failure) -> str:
    if reason.check(ProcessDone):
        return "exited unexpectedly"
    if signal := getattr(reason.value, "signal", None):
        return f"was killed by signal {signal}"
    return f"ended with status {getattr(reason.value, 'exitCode', None)}"
