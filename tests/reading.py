"""Reading logs as the tracer child does, without a child process."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from syswatch.codec.frames import Decoder, Message
from syswatch.model.delta import Delta
from syswatch.model.messages import FilterOptions, ReadLogs
from syswatch.tracer.inputs.input_reader import InputReader
from syswatch.tracer.outbox import Outbox


@attrs.define
class SlowClock:
    """A clock that advances by a second whenever it is read."""

    at: float = 0.0

    def __call__(self) -> float:
        """Return the time."""
        self.at += 1.0
        return self.at


def read_logs(
    files: Sequence[str | Path],
    *,
    must_stop: Callable[[], bool] = lambda: False,
    workers: int = 1,
    **options: Any,
) -> list[Message]:
    """Read logs and return the messages; the pipe is a file, which is never full."""
    job = ReadLogs(tuple(map(str, files)), workers, FilterOptions(**options))
    with tempfile.TemporaryFile() as pipe:
        InputReader(job, Outbox(pipe.fileno()), must_stop, SlowClock()).run()
        pipe.seek(0)
        decoder = Decoder()
        decoder.receive_data(pipe.read())
    messages = list(decoder.events())
    if decoder.pending:
        raise AssertionError("the last message is incomplete")
    return messages


def total(messages: Sequence[Message]) -> Delta:
    """Return the sum of all deltas."""
    deltas = [message for message in messages if isinstance(message, Delta)]
    return sum(deltas, start=Delta())
