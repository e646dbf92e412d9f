"""
A tracer that observes one process while at least one block is open.

The tracer is a process that is forked, because its modules are loaded by then: a new interpreter
would need most of a second.  It is the same program that `syswatch attach --record` starts, and is
ended in the same way: it detaches when it is told to, and when its control pipe is closed because
the watcher has died.
"""

import math
import os
import select
from collections.abc import Callable, Iterable
from contextlib import suppress

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import EventDecoder, Loss
from syswatch.codec.frames import Decoder, Message, encode
from syswatch.machine.forking import fork_to
from syswatch.model.delta import Delta
from syswatch.model.ledger import CLEAN, Ledger
from syswatch.model.messages import (
    Attach,
    Detach,
    Ended,
    Failed,
    Report,
    Reported,
    Started,
    TraceOptions,
)
from syswatch.model.objects import ObjectInfo
from syswatch.model.process import ProcessTally
from syswatch.tracer.__main__ import main as trace

from .stream import Stream
from .sums import described

_PART = 1 << 20


@define
class Tracing:
    """A running tracer, and what it has sent."""

    pid: int
    stream: Stream = attrs.field(factory=Stream, init=False)
    objects: dict[int, ObjectInfo] = attrs.field(factory=dict, init=False)
    processes: dict[int, ProcessTally] = attrs.field(factory=dict, init=False)
    # What is missing from the calls.
    lost: Ledger = attrs.field(default=CLEAN, init=False)
    started: Started | None = attrs.field(default=None, init=False)
    ended: Ended | Failed | None = attrs.field(default=None, init=False)
    _frames_fd: int
    _control_fd: int
    _events_fd: int
    _open: set[int] = attrs.field(init=False)
    _recorded_bytes: int = attrs.field(default=0, init=False)
    _reported: int | None = attrs.field(default=None, init=False)
    _frames: Decoder = attrs.field(factory=Decoder, init=False)
    _events: EventDecoder = attrs.field(factory=EventDecoder, init=False)

    def __attrs_post_init__(self) -> None:
        """Read from both pipes."""
        self._open = {self._frames_fd, self._events_fd}

    @classmethod
    def start(cls, pid: int, backend: str, close: Iterable[int]) -> "Tracing":
        """Fork a tracer of a process; it closes these descriptors of the watcher."""
        frames, control, events = os.pipe(), os.pipe(), os.pipe()

        def run() -> int:
            for number in (frames[0], control[1], events[0], *close):
                os.close(number)
            return trace([str(frames[1]), str(control[0]), f"--events={events[1]}"])

        tracer = fork_to(run)
        for number in (frames[1], control[0], events[1]):
            os.close(number)
        options = TraceOptions(backend=backend, log_rate=0)
        os.write(control[1], encode(Attach((pid,), options)))
        return cls(tracer, frames[0], control[1], events[0])

    @property
    def pipes(self) -> frozenset[int]:
        """The pipes to read from, those that the tracer has not closed."""
        return frozenset(self._open)

    @property
    def is_running(self) -> bool:
        """Whether the tracer observes the process."""
        return self.started is not None and self.ended is None and self._frames_fd in self._open

    def receive(self, descriptor: int) -> None:
        """Read from a pipe that is readable."""
        data = os.read(descriptor, _PART)
        if not data:
            self._open.discard(descriptor)
        elif descriptor == self._frames_fd:
            self._frames.receive_data(data)
            for message in self._frames.events():
                self._handle(message)
        else:
            self._recorded_bytes += len(data)
            self._events.receive_data(data)
            for frame in self._events.frames():
                self._record(frame)

    def await_start(self) -> None:
        """Wait until the tracer has attached or failed."""
        self._receive_until(lambda: bool(self.started or self.ended))

    def await_report(self) -> None:
        """Receive everything that happened until now."""
        self._reported = None
        with suppress(BrokenPipeError):  # It has ended.
            os.write(self._control_fd, encode(Report()))
        self._receive_until(
            lambda: self._reported is not None and self._recorded_bytes >= self._reported
        )

    def stop(self) -> None:
        """Detach, and read everything that the tracer still sends."""
        with suppress(BrokenPipeError):  # It has ended.
            os.write(self._control_fd, encode(Detach()))
        os.close(self._control_fd)
        self._receive_until(lambda: False)
        os.close(self._frames_fd)
        os.close(self._events_fd)
        os.waitpid(self.pid, 0)

    def _receive_until(self, is_done: Callable[[], bool]) -> None:
        while self._open and not is_done():
            for descriptor in readable(self._open):
                self.receive(descriptor)

    def _handle(self, message: Message) -> None:
        match message:
            case Started():
                self.started = self.started or message
            case Reported():
                self._reported = message.recorded_bytes
            case Ended() | Failed():
                self.ended = message
            case Delta():
                self.lost += _losses(message.ledger)
                described(self.objects, message.objects)
                for pid, tally in message.processes.items():
                    known = self.processes.get(pid)
                    self.processes[pid] = tally if known is None else known + tally

    def _record(self, frame: object) -> None:
        match frame:
            case bytes():
                self.stream.receive(frame)
            case list():
                calls = sum(each.calls for each in frame if isinstance(each, Loss))
                self.lost += Ledger(lost_events=calls)


def readable(descriptors: Iterable[int], timeout_s: float | None = None) -> list[int]:
    """
    Wait until some of the descriptors can be read, or are closed at the other end.

    `select` refuses numbers from 1024 on, and that of the connection is the watched program's.
    """
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    timeout_ms = None if timeout_s is None else math.ceil(timeout_s * 1000)
    return [descriptor for descriptor, _ in poll.poll(timeout_ms)]


def difference(later: Ledger, earlier: Ledger) -> Ledger:
    """Return what went missing between two times."""
    return Ledger(
        lost_events=later.lost_events - earlier.lost_events,
        unfollowed_processes=later.unfollowed_processes - earlier.unfollowed_processes,
    )


def _losses(ledger: Ledger) -> Ledger:
    """Return what concerns calls; the other entries are about tables that are not used here."""
    return Ledger(lost_events=ledger.lost_events, unfollowed_processes=ledger.unfollowed_processes)
