"""
What the recorder writes to: the protocol of outputs, and the thread that each of them has.

An output may wait for a disk.  The process continues to read, so the tracer loses nothing, until
too much is queued: then events are dropped and counted.
"""

import os
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Protocol, runtime_checkable

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import Life, Loss, Text
from syswatch.codec.log_calls import LogCalls
from syswatch.model.messages import Ended, Failed
from syswatch.model.recording import RecordingState
from syswatch.recording.extra import MissingPackageError
from syswatch.tracer.event_pipe import losses_of

# Four seconds at 500 000 calls a second.
_MOST_QUEUED = 256 << 20
# The calls of a log wait until there is room, so this is only about memory.
_MOST_OF_LOG = 32 << 20
_MOST_DROPPED = 10_000
# What a text takes in memory, roughly.
_TEXT_BYTES = 400
_TICK_S = 0.1

Ending = Ended | Failed | None


class Output(Protocol):
    """
    Something that recorded calls are written to.

    All methods except `state` are called in one thread.  An exception ends this output alone: then
    `stop` is called, and nothing else.
    """

    def begin(self) -> None:
        """Load what is needed, and create what is written to."""

    def receive_events(self, data: bytes) -> None:
        """Add whole events."""

    def receive_texts(self, texts: list[Text]) -> None:
        """Add texts, of which the events follow."""

    def receive_losses(self, losses: list[Loss]) -> None:
        """Add calls that are missing."""

    def receive_lives(self, lives: list[Life]) -> None:
        """Add what is known of processes."""

    def receive_frame(self, frame: bytes) -> None:
        """Add a frame of the tracer."""

    def tick(self) -> None:
        """Write what has waited long enough; called several times a second."""

    def finish(self, ending: Ending) -> None:
        """Write the rest; `ending` is None if the service has not said how the trace ended."""

    def stop(self, trouble: str) -> None:
        """Close what is written to after an error, if that is possible."""

    def state(self) -> RecordingState:
        """Return how much has been written; may be called in any thread."""


@runtime_checkable
class LogOutput(Protocol):
    """An output that the calls of logs can be written to as well."""

    def receive_log_calls(self, calls: LogCalls) -> None:
        """Add the calls of consecutive lines."""


@define(eq=False)
class OutputThread:
    """Passes to an output what it is to write, in a thread of its own."""

    output: Output
    most_queued: int = _MOST_QUEUED
    # Closed when the output has begun, or will not.
    ready_fd: int = -1
    takes_frames: bool = True
    # Called when nothing follows what has been added, while the output may wait.
    before_end: Callable[[], None] = attrs.field(default=lambda: None)
    # Why the output has stopped, as a clause.
    trouble: str = attrs.field(default="", init=False)
    _queue: "SimpleQueue[Callable[[], None] | None]" = attrs.field(factory=SimpleQueue, init=False)
    # How many bytes were put into the queue, and how many of them have been taken from it.
    _put: int = attrs.field(default=0, init=False)
    _taken: int = attrs.field(default=0, init=False)
    # What was dropped since the queue was full, by thread and second.
    _dropped: dict[tuple[int, int], int] = attrs.field(factory=dict, init=False)
    _ending: Ending = attrs.field(default=None, init=False)
    # Whether the output needs nothing more, because its reader has read enough.
    _is_over: bool = attrs.field(default=False, init=False)
    _thread: Thread = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Create the thread, which does not keep the process alive: its disk may not answer."""
        self._thread = Thread(target=self._run, name="output", daemon=True)

    def start(self) -> None:
        """Start writing."""
        self._thread.start()

    @property
    def is_working(self) -> bool:
        """Return whether there is more to write."""
        return self._thread.is_alive() and not self.trouble

    @property
    def state(self) -> RecordingState:
        """Return how much has been written."""
        is_complete = not (self._thread.is_alive() or self.trouble)
        return attrs.evolve(self.output.state(), trouble=self.trouble, is_complete=is_complete)

    def receive_events(self, data: bytes) -> None:
        """Add whole events, unless too much is waiting."""
        if self._is_full:
            self._drop(losses_of(data))
        else:
            self._mark_dropped()
            self._add(lambda: self.output.receive_events(data), len(data))

    def receive_log_calls(self, calls: LogCalls) -> None:
        """Add the calls of a log as soon as there is room: reading a log can wait."""
        while self._put - self._taken > _MOST_OF_LOG and self.is_working:
            self._thread.join(_TICK_S / 10)
        output = self.output
        if isinstance(output, LogOutput):
            self._add(lambda: output.receive_log_calls(calls), calls.size)

    def receive_texts(self, texts: list[Text]) -> None:
        """Add texts, unless too much is waiting."""
        if not self._is_full:
            self._add(lambda: self.output.receive_texts(texts), len(texts) * _TEXT_BYTES)

    def receive_losses(self, losses: list[Loss]) -> None:
        """Add calls that are missing."""
        self._drop(losses)
        if not self._is_full:
            self._mark_dropped()

    def receive_lives(self, lives: list[Life]) -> None:
        """Add what is known of processes."""
        self._add(lambda: self.output.receive_lives(lives))

    def receive_frame(self, frame: bytes) -> None:
        """Add a frame of the tracer; frames cannot be dropped, so that too many end the output."""
        if not self.takes_frames:
            return
        if self._put - self._taken > 2 * self.most_queued:
            self.trouble = self.trouble or "nothing could be written for too long"
        self._add(lambda: self.output.receive_frame(frame), len(frame))

    def finish(self, ending: Ending) -> None:
        """Write everything that was added, and end."""
        self._ending = ending
        self._mark_dropped()
        self._queue.put(None)
        self.before_end()

    @property
    def _is_full(self) -> bool:
        return self._put - self._taken > self.most_queued

    def _drop(self, losses: list[Loss]) -> None:
        for tid, second, calls in losses:
            # A reader may be stopped for hours, while threads come and go.
            key = (tid if len(self._dropped) < _MOST_DROPPED else 0), second
            self._dropped[key] = self._dropped.get(key, 0) + calls

    def _mark_dropped(self) -> None:
        if self._dropped:
            losses = [Loss(tid, second, calls) for (tid, second), calls in self._dropped.items()]
            self._dropped = {}
            self._add(lambda: self.output.receive_losses(losses))

    def _add(self, write: Callable[[], None], size: int = 0) -> None:
        if not (self.trouble or self._is_over):
            self._put += size
            self._queue.put(lambda: self._write(write, size))

    def _write(self, write: Callable[[], None], size: int) -> None:
        write()
        self._taken += size

    def _run(self) -> None:
        try:
            self.output.begin()
            self._close_ready()
            self._write_queued()
            self.output.finish(self._ending)
        except BrokenPipeError:
            self._is_over = True
            self._queue = SimpleQueue()
            self.output.stop("")
        except OSError as error:
            self._stop(error.strerror or str(error))
        except MissingPackageError as error:
            self._stop(str(error))
        except Exception as error:  # noqa: BLE001  the service gets a clause for any error
            self._stop(f"internal error: {type(error).__name__}: {error}")

    def _write_queued(self) -> None:
        next_tick_s = time.monotonic()
        while True:
            try:
                write = self._queue.get(timeout=max(0, next_tick_s - time.monotonic()))
            except Empty:
                write = _nothing
            if write is None:
                return
            write()
            if time.monotonic() >= next_tick_s:
                self.output.tick()
                next_tick_s = time.monotonic() + _TICK_S

    def _close_ready(self) -> None:
        if self.ready_fd >= 0:
            os.close(self.ready_fd)
        self.ready_fd = -1

    def _stop(self, trouble: str) -> None:
        self._close_ready()
        self.output.stop(trouble)
        # Only now: the process may end as soon as no output is working.
        self.trouble = trouble
        self._queue = SimpleQueue()


def _nothing() -> None:
    """Do nothing: it is time for a tick."""
