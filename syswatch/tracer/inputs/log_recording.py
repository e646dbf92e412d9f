"""Sends the calls of logs to the recorder."""

import attrs

from syswatch.codec.events import Kind, Loss, encode
from syswatch.codec.log_calls import LogCalls
from syswatch.model.times import SECOND_NS
from syswatch.tracer.event_pipe import EventPipe
from syswatch.tracer.stracelog.log_lives import LogLives

_MOST_BYTES = 8 * 1024 * 1024
_MOST_LIVES = 10_000


@attrs.define
class LogRecording:
    """The recording of all logs of a job."""

    pipe: EventPipe
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
