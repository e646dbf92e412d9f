"""The child process that traces, as a Twisted process protocol."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from signal import SIGINT, SIGXCPU

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

from syswatch.base.classes import define
from syswatch.codec.frames import Decoder, Job, Order, WireError, encode
from syswatch.machine.environment import given_environment
from syswatch.machine.proc import read_stat
from syswatch.model.messages import Deliver, Detach, Ended, Failed

from .adopted_process import AdoptedProcess
from .early_start import EarlyTracer
from .inherited import Inherited, standard_streams, termination_signals_blocked
from .recorder_process import RecorderProcess
from .session import Session
from .systemd import PRIVATE_VARIABLES

# Detaching takes milliseconds; a tracer that hangs must not delay the stop, which may take two
# seconds in all, with closing the connections of clients still to come.
DETACH_S = 1.2
# On a busy machine there is much to read and to send.  A tracer that uses CPU time is given this
# long, with which the stop takes less than the ten seconds after which container runtimes kill.
LONGEST_DETACH_S = 7 * DETACH_S


@define(slots=False, eq=False)
class TracerProcess(ProcessProtocol):
    """Sends the child its job and passes the child's messages to the session."""

    job: Job
    session: Session
    clock: IReactorTime
    # What records the calls, if that was asked for; it is started first.
    recorder: RecorderProcess | None = None
    # The standard streams of the child, and so of the command.
    streams: Mapping[int, int] = attrs.field(factory=standard_streams)
    inherited: Inherited = attrs.field(factory=Inherited.by_this_process)
    # Keeps the child, and so the command, from using the terminal.
    without_terminal: bool = False
    # The child, if it was started before there was a reactor.
    early: EarlyTracer | None = None
    transport: IProcessTransport = attrs.field(init=False)
    _frames_fd: int = attrs.field(init=False)
    _control_fd: int = attrs.field(init=False)
    _recording_fds: tuple[int, int] = attrs.field(init=False)
    _decoder: Decoder = attrs.field(factory=Decoder, init=False)
    _ended: list[Deferred[None]] = attrs.field(factory=list, init=False)
    _alive: bool = attrs.field(default=False, init=False)
    _is_corrupt: bool = attrs.field(default=False, init=False)
    _deadline: IDelayedCall | None = attrs.field(default=None, init=False)
    # When it was told to detach, and how much CPU time it had used at the last look.
    _detaching_since: float = attrs.field(default=0.0, init=False)
    _cpu_ticks: int = attrs.field(default=0, init=False)
    # How it failed to detach, if it was killed for that.
    _overdue: str = attrs.field(default="", init=False)
    _log = Logger()

    def __attrs_post_init__(self) -> None:
        """Choose the child's descriptors for the pipes."""
        numbers = self.inherited.free_descriptors(4)
        self._frames_fd, self._control_fd, *others = numbers
        self._recording_fds = others[0], others[1]
        self.session.attention.send = self._send

    def spawn(self, reactor: IReactorProcess) -> None:
        """Start the child; descriptors 0 to 2 are `streams`."""
        if self.early is not None:
            self._adopt(self.early, reactor)
            self._close_recording()
            return
        recording, pipes = self._recording()
        numbers = (self._frames_fd, self._control_fd, *self.inherited.ignored)
        with termination_signals_blocked() as blocked:
            reactor.spawnProcess(
                self,
                sys.executable,
                [
                    *(sys.executable, "-m", "syswatch.tracer", *map(str, numbers)),
                    *(["--without-terminal"] if self.without_terminal else []),
                    *(f"--held-back={number}" for number in blocked),
                    *recording,
                ],
                env={
                    name: text
                    for name, text in given_environment().items()
                    if name not in PRIVATE_VARIABLES
                },
                childFDs={
                    **{number: number for number in self.inherited.descriptors},
                    **self.streams,
                    self._frames_fd: "r",
                    self._control_fd: "w",
                    **pipes,
                },
            )
        self._close_recording()

    def _adopt(self, early: EarlyTracer, reactor: IReactorProcess) -> None:
        self._frames_fd, self._control_fd = early.frames_fd, early.control_fd
        early.adopt()
        AdoptedProcess(
            reactor,
            self,
            early.pid,
            reading={early.frames_fd: early.frames_fd},
            writing={early.control_fd: early.control_fd},
        )

    def _recording(self) -> tuple[list[str], dict[int, int]]:
        """Return what the command line of the child says about recording, and its descriptors."""
        if self.recorder is None:
            return [], {}
        events_fd, ready_fd = self._recording_fds
        pipes = {events_fd: self.recorder.events_fd, ready_fd: self.recorder.ready_fd}
        return [f"--events={events_fd}", f"--recorder-ready={ready_fd}"], pipes

    def _close_recording(self) -> None:
        if self.recorder is not None:
            self.recorder.close_pipes()

    def connectionMade(self) -> None:
        """Send the job, unless the child has begun it."""
        self._alive = True
        if self.early is not None and not self.early.is_held:
            return
        self.transport.writeToChild(self._control_fd, encode(self.job))

    def childDataReceived(self, childFD: int, data: bytes) -> None:  # noqa: ARG002  only one is read
        """Decode frames and handle their messages."""
        if self._is_corrupt:
            return
        self._decoder.receive_data(data)
        try:
            for message, frame in self._decoder.frames():
                self._record(frame)
                self.session.receive(message)
        except WireError as error:
            self._is_corrupt = True
            self._log.error("invalid message from the tracer: {error}", error=error)
            self._fail(f"invalid message from the tracer: {error}")
            self.transport.signalProcess("KILL")

    def childConnectionLost(self, childFD: int) -> None:
        """
        Treat a child that has sent its final message as ended.

        A command with a seccomp filter keeps its tracer, which must not be killed then.
        """
        super().childConnectionLost(childFD)
        if childFD == self._frames_fd and self.session.outcome is not None:
            self._child_ended()

    def processEnded(self, reason: Failure) -> None:
        """Report the end to the session, unless the child had sent its final message."""
        self._alive = False
        if self._overdue and not self.session.snapshot.has_begun:
            # On a busy machine it may be killed while it still starts: nothing is missing then.
            self._end(Ended())
        else:
            how = self._overdue or _describe_end(reason)
            self._fail(f"the tracer process {how}; the results are incomplete")
        self._child_ended()

    def deliver(self, signal: int) -> None:
        """Pass a signal on to the command; SIGINT to its process group, as a terminal does."""
        if not (self.without_terminal and signal == SIGINT and self._interrupt_group()):
            self._send(Deliver(signal))

    def detach(self) -> Deferred[None]:
        """Detach the child from all tracees; return a Deferred that fires when the child ended."""
        if not self._alive:
            return succeed(None)
        if self._deadline is None:
            self._send(Detach())
            self.transport.closeChildFD(self._control_fd)
            self._detaching_since = self.clock.seconds()
            self._cpu_ticks = _cpu_ticks(self.transport.pid)
            self._deadline = self.clock.callLater(DETACH_S, self._check_progress)
        ended: Deferred[None] = Deferred()
        self._ended.append(ended)
        return ended

    def _interrupt_group(self) -> bool:
        """Send SIGINT to the process group of the child, which ignores it itself."""
        if not (self._alive and self._deadline is None and self.transport.pid):
            return False
        try:
            os.killpg(self.transport.pid, SIGINT)
        except ProcessLookupError:
            return False  # It has just been started and has no group yet.
        return True

    def _send(self, message: Order) -> None:
        if self._alive and self._deadline is None:
            # A child that is ending has closed its end already.
            with suppress(KeyError):
                self.transport.writeToChild(self._control_fd, encode(message))

    def _check_progress(self) -> None:
        taken_s = self.clock.seconds() - self._detaching_since
        has_time = taken_s < LONGEST_DETACH_S and self._has_worked()
        if has_time or self._is_sending_events:
            self._deadline = self.clock.callLater(DETACH_S, self._check_progress)
            return
        self._overdue = f"did not detach within {taken_s:.1f} s and was killed"
        try:
            self.transport.signalProcess("KILL")
        except ProcessExitedAlready:
            return  # processEnded is yet to be called.
        except PermissionError:
            # It kept privileges that this process dropped.
            self._log.warn("the tracer does not end, and there is no permission to kill it")
            self._fire_ended()

    def _has_worked(self) -> bool:
        """Return whether the child has used CPU time since the last look."""
        former, self._cpu_ticks = self._cpu_ticks, _cpu_ticks(self.transport.pid)
        return self._cpu_ticks > former

    @property
    def _is_sending_events(self) -> bool:
        """Return whether the child has detached, and the recorder takes the rest from it."""
        has_detached = self.session.outcome is not None
        return has_detached and self.recorder is not None and self.recorder.is_writing

    def _child_ended(self) -> None:
        self._alive = False
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._fire_ended()

    def _fire_ended(self) -> None:
        ended, self._ended = self._ended, []
        for deferred in ended:
            deferred.callback(None)

    def _fail(self, why: str) -> None:
        self._end(Failed(why))

    def _end(self, message: Ended | Failed) -> None:
        """Give session and recording the final message that the child did not send."""
        if self.session.outcome is None:
            self._record(encode(message))
            self.session.receive(message)

    def _record(self, frame: bytes) -> None:
        if self.recorder is not None:
            self.recorder.send(frame)


def _cpu_ticks(pid: int) -> int:
    """Return the CPU time of a process, or 0 if that is not known."""
    stat = read_stat(pid)
    return 0 if stat is None else stat.cpu_ticks


def _describe_end(reason: Failure) -> str:
    if reason.check(ProcessDone):
        return "exited unexpectedly"
    if signal := getattr(reason.value, "signal", None):
        # The tracer inherits the command's limit and uses CPU time for it.
        why = " (it reached the limit on CPU time, ulimit -t)" if signal == SIGXCPU else ""
        return f"was killed by signal {signal}{why}"
    return f"ended with status {getattr(reason.value, 'exitCode', None)}"
