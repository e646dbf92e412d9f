"""The tracer child, as the reactor sees it."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from signal import SIGINT, SIGXCPU
from typing import BinaryIO

import attrs
from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ProcessDone, ProcessExitedAlready
from twisted.internet.interfaces import (
    IDelayedCall,
    IProcessTransport,
    IReactorProcess,
    IReactorTime,
)
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from syswatch.codec.frames import Decoder, Job, WireError, encode
from syswatch.codec.recording import write
from syswatch.machine.environment import given_environment
from syswatch.model.messages import Deliver, Detach, Failed
from syswatch.service.announcing import announce

from .inheritance import Inheritance, interrupts_held_back, standard_streams
from .session import Session

# A tracer that was asked to detach needs milliseconds; one that hangs must not hold us up: the
# whole stop may take two seconds, and clients are yet to be told.
DETACH_S = 1.2
# What a service manager tells us is not for the tracer, nor for the program that it starts.
_NOT_FOR_CHILDREN = frozenset(
    ("LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC")
)


@attrs.define(slots=False, eq=False)
class TracerProcess(ProcessProtocol):
    """Gives the child its job, and what the child says to the session."""

    job: Job
    session: Session
    clock: IReactorTime
    recording: BinaryIO | None = None
    recording_failed: bool = attrs.field(default=False, init=False)
    # What the child, and so the command, gets as its input and outputs: ours, if nobody objects.
    streams: Mapping[int, int] = attrs.field(factory=standard_streams)
    inheritance: Inheritance = attrs.field(factory=Inheritance.ours)
    # Whether the child, and so the command, is to stay away from our terminal.
    without_terminal: bool = False
    transport: IProcessTransport = attrs.field(init=False)
    _frames_fd: int = attrs.field(init=False)
    _control_fd: int = attrs.field(init=False)
    _decoder: Decoder = attrs.field(factory=Decoder, init=False)
    _ended: list[Deferred[None]] = attrs.field(factory=list, init=False)
    _alive: bool = attrs.field(default=False, init=False)
    _speaks_nonsense: bool = attrs.field(default=False, init=False)
    _deadline: IDelayedCall | None = attrs.field(default=None, init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Choose where the child's ends of the pipes are."""
        self._frames_fd, self._control_fd = self.inheritance.free_descriptors()

    def spawn(self, reactor: IReactorProcess) -> None:
        """Start the child; descriptors 0 to 2 are the user's own, or stand for them."""
        numbers = (self._frames_fd, self._control_fd, *self.inheritance.ignored)
        with interrupts_held_back() as held_back:
            reactor.spawnProcess(
                self,
                sys.executable,
                [
                    *(sys.executable, "-m", "syswatch.tracer", *map(str, numbers)),
                    *(["--without-terminal"] if self.without_terminal else []),
                    *(f"--held-back={number}" for number in held_back),
                ],
                env={
                    name: text
                    for name, text in given_environment().items()
                    if name not in _NOT_FOR_CHILDREN
                },
                childFDs={
                    **{number: number for number in self.inheritance.descriptors},
                    **self.streams,
                    self._frames_fd: "r",
                    self._control_fd: "w",
                },
            )

    def connectionMade(self) -> None:
        """Send the job."""
        self._alive = True
        self.transport.writeToChild(self._control_fd, encode(self.job))

    def childDataReceived(self, childFD: int, data: bytes) -> None:  # noqa: ARG002  there is one
        """Take frames, however they are cut."""
        if self._speaks_nonsense:
            return
        self._decoder.receive_data(data)
        try:
            for message, frame in self._decoder.frames():
                self._record(frame)
                self.session.receive(message)
        except WireError as error:
            self._speaks_nonsense = True
            self._log.error("the tracer is not understood: {error}", error=error)
            self._lose(f"the tracer is not understood: {error}")
            self.transport.signalProcess("KILL")

    def childConnectionLost(self, childFD: int) -> None:
        """
        Wait no longer for a child that has said good-bye.

        A command that has a filter on its calls goes on with its tracer, which must not be killed.
        """
        super().childConnectionLost(childFD)
        if childFD == self._frames_fd and self.session.outcome is not None:
            self._is_gone()

    def processEnded(self, reason: Failure) -> None:
        """Tell the session, unless the child had said good-bye."""
        self._alive = False
        self._lose(f"the tracer process {_manner(reason)}; numbers end here")
        self._is_gone()

    def deliver(self, signal: int) -> None:
        """Pass a signal on to the command; Ctrl+C to its whole group, as a terminal does."""
        if not (self.without_terminal and signal == SIGINT and self._interrupt_group()):
            self._say(Deliver(signal))

    def detach(self) -> Deferred[None]:
        """Make the child let everything go on untraced; fire when it is gone."""
        if not self._alive:
            return succeed(None)
        if self._deadline is None:
            self._say(Detach())
            self.transport.closeChildFD(self._control_fd)
            self._deadline = self.clock.callLater(DETACH_S, self._kill)
        gone: Deferred[None] = Deferred()
        self._ended.append(gone)
        return gone

    def _interrupt_group(self) -> bool:
        """Send SIGINT to the group that the child leads, which does not mind it itself."""
        if not (self._alive and self._deadline is None and self.transport.pid):
            return False
        try:
            os.killpg(self.transport.pid, SIGINT)
        except ProcessLookupError:
            return False  # It has only just been started, and leads nobody yet.
        return True

    def _say(self, message: Deliver | Detach) -> None:
        if self._alive and self._deadline is None:
            # A child that is ending has closed its side already.
            with suppress(KeyError):
                self.transport.writeToChild(self._control_fd, encode(message))

    def _kill(self) -> None:
        try:
            self.transport.signalProcess("KILL")
        except ProcessExitedAlready:
            return  # Its end will be told.
        except PermissionError:
            # It has rights that we gave up.  Its pipes are closed, and we are not held up.
            self._log.warn("the tracer does not end, and cannot be killed without its rights")
            self._tell_end()

    def _is_gone(self) -> None:
        self._alive = False
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._tell_end()

    def _tell_end(self) -> None:
        ended, self._ended = self._ended, []
        for deferred in ended:
            deferred.callback(None)

    def _lose(self, why: str) -> None:
        """Tell the session, and the recording, that the child is gone without a word."""
        if self.session.outcome is None:
            self._record(encode(Failed(why)))
            self.session.lose(why)

    def _record(self, frame: bytes) -> None:
        if self.recording is None:
            return
        try:
            write(self.recording, frame)
        except OSError as error:
            announce(f"the recording ends here: {error.strerror}")
            self.recording, self.recording_failed = None, True


def _manner(reason: Failure) -> str:
    if reason.check(ProcessDone):
        return "ended early"
    if signal := getattr(reason.value, "signal", None):
        # The limit is the command's, but the tracer has inherited it, and works for that command.
        why = " (it reached the limit on CPU time, ulimit -t)" if signal == SIGXCPU else ""
        return f"was killed by signal {signal}{why}"
    return f"ended with status {getattr(reason.value, 'exitCode', None)}"
