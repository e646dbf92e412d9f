"""The child process that records, as a Twisted process protocol."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import attrs
from twisted.internet.defer import Deferred, fail
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
from syswatch.codec.frames import WireError, encode
from syswatch.codec.recorder_reports import Report, ReportDecoder
from syswatch.machine.environment import given_environment
from syswatch.model.messages import SaveRecording
from syswatch.model.recording import LINES, RecordingState, Save
from syswatch.views.recording import changed_saves, stopped

from .adopted_process import AdoptedProcess
from .announcing import announce
from .early_recorder import EarlyRecorder
from .inherited import standard_streams, termination_signals_blocked
from .systemd import PRIVATE_VARIABLES

# At the end, the recorder may take so long without writing anything: its disk may not answer.
PATIENCE_S = 10.0
_OVERDUE = f"nothing was written for {PATIENCE_S:g} s"
_ABANDONED = "its reader has not read all"
_EVENTS_FD, _READY_FD = 3, 4
# The first descriptor of the child that an output may have.
FREE_FD = 5
_STDIN, _STDOUT, _STDERR = range(3)

Listener = Callable[[Report], None]


class NotSavedError(Exception):
    """A recording could not be saved; the message is a clause."""


class SaveFailedError(NotSavedError):
    """The same, and that was announced, as it is for whatever reason saves are made."""


@define(slots=False, eq=False)
class RecorderProcess(ProcessProtocol):
    """
    Passes what the tracer sends to the recorder, and follows how much that has written.

    The events do not pass through here: `events_fd` and `ready_fd` are for the tracer.
    """

    clock: IReactorTime
    # What to write, as the recorder's command line has it.
    outputs: Sequence[str]
    states: Report
    listener: Listener = attrs.field(default=lambda _: None)
    # Further descriptors of the child, and which of this process they are.
    descriptors: Mapping[int, int] = attrs.field(factory=dict)
    transport: IProcessTransport = attrs.field(init=False)
    # The end of the pipe that the tracer writes to; -1 when it has been given away.
    events_fd: int = attrs.field(default=-1, init=False)
    # The end of a pipe that the child closes when it is ready; -1 when it has been given away.
    ready_fd: int = attrs.field(default=-1, init=False)
    _decoder: ReportDecoder = attrs.field(factory=ReportDecoder, init=False)
    _is_writing: bool = attrs.field(default=False, init=False)
    _is_finishing: bool = attrs.field(default=False, init=False)
    _deadline: IDelayedCall | None = attrs.field(default=None, init=False)
    _waiting: list[Deferred[None]] = attrs.field(factory=list, init=False)
    # Those that requested a save, by the number of the request.
    _requests: dict[int, Deferred[Save]] = attrs.field(factory=dict, init=False)
    _request_count: int = attrs.field(default=0, init=False)
    _log = Logger()

    @property
    def is_writing(self) -> bool:
        """Return whether the child has not finished yet."""
        return self._is_writing

    @property
    def has_failed(self) -> bool:
        """Return whether anything could not be written."""
        return any(each.trouble for each in self.states)

    def spawn(self, reactor: IReactorProcess, reading_fd: int = -1) -> None:
        """Start the child, which reads calls from a descriptor if the tracer has a pipe already."""
        if reading_fd < 0:
            reading_fd, self.events_fd = os.pipe()
        self.ready_fd, signalling_fd = os.pipe()
        try:
            with termination_signals_blocked():
                self._spawn(reactor, {_EVENTS_FD: reading_fd, _READY_FD: signalling_fd})
        finally:
            os.close(reading_fd)
            os.close(signalling_fd)

    def adopt(self, early: EarlyRecorder, reactor: IReactorProcess) -> None:
        """Take over a child that was started before there was a reactor."""
        early.adopt()
        AdoptedProcess(
            reactor,
            self,
            early.pid,
            reading={_STDOUT: early.reports_fd},
            writing={_STDIN: early.frames_fd},
        )

    def connectionMade(self) -> None:
        """Note that frames can be sent."""
        self._is_writing = True

    def close_pipes(self) -> None:
        """Close the ends of the pipes that are for the tracer, which has its own."""
        for number in (self.events_fd, self.ready_fd):
            if number >= 0:
                os.close(number)
        self.events_fd = self.ready_fd = -1

    def send(self, frame: bytes) -> None:
        """Pass on a frame of the tracer."""
        if self._is_writing and not self._is_finishing:
            # A recorder that has stopped has closed its end.
            with suppress(KeyError):
                self.transport.writeToChild(_STDIN, frame)

    def save(self, reason: str) -> Deferred[Save]:
        """Request that a flight recorder is saved; a NotSavedError if that is not possible."""
        if not self._is_writing or self._is_finishing or self._is_recording_stopped:
            return fail(NotSavedError(self._why_not_saved))
        saved: Deferred[Save] = Deferred()
        self._request_count += 1
        self._requests[self._request_count] = saved
        self.send(encode(SaveRecording(reason, request=self._request_count)))
        return saved

    def save_on(self, trigger: str, reason: str) -> None:
        """Have a flight recorder saved, unless that was done a short time ago."""
        self.send(encode(SaveRecording(reason, trigger)))

    def finish(self) -> Deferred[None]:
        """Let the child write the rest; return a Deferred that fires when that is done."""
        finished: Deferred[None] = Deferred()
        self._waiting.append(finished)
        if not self._is_writing:
            self._fire()
        elif not self._is_finishing:
            self._is_finishing = True
            with suppress(KeyError):
                self.transport.closeChildFD(_STDIN)
            self._deadline = self.clock.callLater(PATIENCE_S, self._wait_longer)
        return finished

    def outReceived(self, data: bytes) -> None:
        """Follow how much has been written."""
        try:
            reports = self._decoder.receive_data(data)
        except WireError as error:
            self._log.error("{error}", error=error)
            self._kill()
            return
        for report in reports:
            self._update(report)

    def processEnded(self, reason: Failure) -> None:
        """Note if the child has ended before it had written everything."""
        how = _describe_end(reason)
        self._update(
            tuple(
                each if each.is_complete or each.trouble else attrs.evolve(each, trouble=how)
                for each in self.states
            )
        )
        self._done()

    def _spawn(self, reactor: IReactorProcess, pipes: Mapping[int, int]) -> None:
        streams = standard_streams()
        reactor.spawnProcess(
            self,
            sys.executable,
            [
                *(sys.executable, "-m", "syswatch.recording.write"),
                f"--events={_EVENTS_FD}",
                f"--ready={_READY_FD}",
                *map(os.fsencode, self.outputs),
            ],
            env={
                name: text
                for name, text in given_environment().items()
                if name not in PRIVATE_VARIABLES
            },
            childFDs={
                _STDIN: "w",
                _STDOUT: "r",
                **({_STDERR: _STDERR} if _STDERR in streams else {}),
                **pipes,
                **self.descriptors,
            },
        )

    def _update(self, report: Report) -> None:
        if len(report) != len(self.states) or report == self.states:
            return
        former, self.states = self.states, report
        for before, after in zip(former, report, strict=True):
            if after.trouble and not before.trouble:
                announce(stopped(after))
            for sentence in changed_saves(before, after):
                announce(sentence)
        if self._deadline is not None and self._deadline.active():
            self._deadline.reset(PATIENCE_S)
        self.listener(report)
        for state in report:
            self._answer_requests(state.saves)
        if self._is_recording_stopped:
            self._refuse_requests()
        if all(each.trouble or each.is_complete for each in report):
            self._done()

    def _answer_requests(self, saves: Sequence[Save]) -> None:
        for number, saved in list(self._requests.items()):
            save = next((each for each in saves if each.request >= number), None)
            if save is not None:
                del self._requests[number]
                if save.trouble:
                    saved.errback(SaveFailedError(save.trouble))
                else:
                    saved.callback(save)

    def _refuse_requests(self) -> None:
        requests, self._requests = self._requests, {}
        for saved in requests.values():
            saved.errback(NotSavedError(self._why_not_saved))

    @property
    def _is_recording_stopped(self) -> bool:
        """Return whether the recording has stopped; the list of calls may be continued."""
        return any(each.trouble for each in self.states if each.what != LINES)

    @property
    def _why_not_saved(self) -> str:
        return next((each.trouble for each in self.states if each.trouble), "the trace has ended")

    def abandon(self) -> None:
        """Stop waiting for a process that does not read what is written for it."""
        if self._awaits_reader:
            self._give_up(_ABANDONED)

    @property
    def _awaits_reader(self) -> bool:
        return any(
            each.awaits_reader and not (each.is_complete or each.trouble) for each in self.states
        )

    def _wait_longer(self) -> None:
        """Wait for a reader such as a pager; give up if a disk does not answer."""
        if self._awaits_reader:
            self._deadline = self.clock.callLater(PATIENCE_S, self._wait_longer)
        else:
            self._give_up(_OVERDUE)

    def _give_up(self, why: str) -> None:
        self._update(tuple(_stopped(each, why) for each in self.states))
        self._kill()
        self._done()

    def _kill(self) -> None:
        # It may have ended, or have kept privileges that this process dropped.
        with suppress(ProcessExitedAlready, PermissionError):
            self.transport.signalProcess("KILL")

    def _done(self) -> None:
        self._is_writing = False
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._refuse_requests()
        self._fire()

    def _fire(self) -> None:
        waiting, self._waiting = self._waiting, []
        for deferred in waiting:
            deferred.callback(None)


def _stopped(state: RecordingState, why: str) -> RecordingState:
    return state if state.is_complete else attrs.evolve(state, trouble=state.trouble or why)


def _describe_end(reason: Failure) -> str:
    if reason.check(ProcessDone):
        return "the recorder exited unexpectedly"
    if signal := getattr(reason.value, "signal", None):
        return f"the recorder was killed by signal {signal}"
    return f"the recorder ended with status {getattr(reason.value, 'exitCode', None)}"
