"""Reads what tracer and service send, and passes it to the outputs, which have threads."""

import os
import select
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import EventDecoder, Life, Loss, Records, Text
from syswatch.codec.frames import Decoder, WireError, decoded, kind_of
from syswatch.codec.log_calls import LogCalls
from syswatch.codec.recorder_reports import encode
from syswatch.model.messages import Ended, Failed

from .output import Ending, OutputThread

_READ_BYTES = 1 << 20
# How often the service learns how much has been written, and how soon a failed output is noticed.
REPORT_S = 0.5


@define(eq=False)
class Feeder:
    """
    Feeds outputs from two pipes until both have been closed, or all outputs have stopped.

    Events come from the tracer; the frames are those that the service has received from it.
    """

    outputs: Sequence[OutputThread]
    events_fd: int
    frames_fd: int
    reports_fd: int
    _events: EventDecoder = attrs.field(factory=EventDecoder, init=False)
    _frames: Decoder = attrs.field(factory=Decoder, init=False)
    _ending: Ending = attrs.field(default=None, init=False)
    _next_report_s: float = attrs.field(default=0.0, init=False)
    # The rest of a report for which the pipe had no room.
    _unsent: bytes = attrs.field(default=b"", init=False)

    def run(self) -> None:
        """Write everything that arrives."""
        for output in self.outputs:
            output.start()
        self._feed()
        for output in self.outputs:
            output.finish(self._ending)
        while any(each.is_working for each in self.outputs):
            select.select([], [], [], REPORT_S / 10)
            self._report_in_time()
        if self._unsent:
            self._report()
        self._report()

    def _feed(self) -> None:
        readers = {self.events_fd: self._receive_events, self.frames_fd: self._receive_frames}
        while readers and any(each.is_working for each in self.outputs):
            for fd in select.select(list(readers), [], [], REPORT_S)[0]:
                data = os.read(fd, _READ_BYTES)
                try:
                    readers[fd](data)
                except WireError as error:
                    self._ending = Failed(str(error))
                    return
                if not data:
                    del readers[fd]
            self._report_in_time()

    def _receive_events(self, data: bytes) -> None:
        self._events.receive_data(data)
        for each in self._events.frames():
            for output in self.outputs:
                _pass_on(each, output)

    def _receive_frames(self, data: bytes) -> None:
        self._frames.receive_data(data)
        for frame in self._frames.undecoded():
            if kind_of(frame) in (Ended, Failed):
                self._ending = cast("Ended | Failed", decoded(frame))
            for output in self.outputs:
                output.receive_frame(frame)

    def _report_in_time(self) -> None:
        if time.monotonic() >= self._next_report_s:
            self._report()
            self._next_report_s = time.monotonic() + REPORT_S

    def _report(self) -> None:
        # The service may have ended, or be stopped so that the pipe is full: recording continues.
        report = self._unsent or encode(tuple(each.state for each in self.outputs))
        with suppress(BrokenPipeError, BlockingIOError):
            self._unsent = report[os.write(self.reports_fd, report) :]


def _pass_on(item: bytes | Records, output: OutputThread) -> None:
    match item:
        case bytes():
            output.receive_events(item)
        case LogCalls():
            output.receive_log_calls(item)
        case [Text(), *_]:
            output.receive_texts(cast("list[Text]", item))
        case [Loss(), *_]:
            output.receive_losses(cast("list[Loss]", item))
        case [Life(), *_]:
            output.receive_lives(cast("list[Life]", item))
