"""Sends the calls of logs to the recorder."""

from collections.abc import Iterable
from typing import Protocol

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import Kind, Life, Loss, encode
from syswatch.codec.log_calls import LogCalls
from syswatch.model.times import SECOND_NS
from syswatch.tracer.stracelog.log_lives import LogLives

_MOST_BYTES = 8 * 1024 * 1024
_MOST_LIVES = 10_000


class Receiver(Protocol):
    """Whatever takes the calls: the pipe to the recorder, or the recorder itself."""

    def add_life(self, life: Life, /) -> None:
        """Take what is known of a process."""

    def add_losses(self, losses: Iterable[Loss], /) -> None:
        """Take how many calls are missing."""

    def send_at_once(self, frame: bytes, /) -> None:
        """Take a frame, before this returns."""

    def finish(self) -> None:
        """Take note that nothing follows."""


@define
class LogRecording:
    """The recording of all logs of a job."""

    pipe: Receiver
    _lives: LogLives = attrs.field(factory=LogLives, init=False)

    def send(self, file: str, calls: LogCalls) -> None:
        """Send the calls of the next lines; wait for the recorder, so that nothing is lost."""
        for life in self._lives.add(calls):
            self.pipe.add_life(life)
        self.pipe.add_losses(
            Loss(each.pid, each.at_ns // SECOND_NS, each.calls) for each in calls.losses
        )
        for piece in attrs.evolve(calls, file=file).pieces(_MOST_BYTES):
            self.pipe.send_at_once(encode(Kind.LOG_CALLS, piece))

    def finish(self) -> None:
        """Send what is known of the processes that have not ended, and close the pipe."""
        rest = self._lives.rest()
        for begin in range(0, max(len(rest), 1), _MOST_LIVES):
            lives = rest[begin : begin + _MOST_LIVES]
            self.pipe.send_at_once(encode(Kind.LIVES, lives))
        self.pipe.finish()
