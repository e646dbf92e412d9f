"""Reading logs without a tracer process: as it does, or with the parser alone."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from syswatch.codec.frames import Decoder, Message
from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta
from syswatch.model.messages import FilterOptions, ReadLogs
from syswatch.model.objects import NO_OBJECT
from syswatch.model.slowest import Slowest
from syswatch.model.timeline import Timeline
from syswatch.tracer.collector import Collector
from syswatch.tracer.inputs.input_reader import InputReader
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.stracelog.line_format import LineFormat
from syswatch.tracer.stracelog.log_parser import LogParser


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
    scheduler: str | None = None,
    **options: Any,
) -> list[Message]:
    """Read logs and return the messages; the pipe is a file, which is never full."""
    job = ReadLogs(tuple(map(str, files)), workers, FilterOptions(**options), scheduler)
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


def condense(
    *chunks: bytes,
    exactly: bool = False,
    per_process: bool = False,
    continues: bool = False,
    **options: Any,
) -> Delta:
    """Return the delta of some chunks of a log; `exactly` parses every line."""
    parser = LogParser(Collector(per_process=per_process), **options)
    if exactly:
        parser.line_format = LineFormat(None)
    for chunk in chunks:
        parser.feed(chunk)
    if not continues:
        parser.end_in_progress()
    parser.close()
    return parser.take()


def without_objects(delta: Delta) -> Delta:
    """Leave out the objects: in a part of a log, it is not known what was opened before."""
    return attrs.evolve(
        delta,
        activity=by_call(delta),
        objects={},
        object_waits={},
        threads={},
        timeline=Timeline(),
        slowest=Slowest(),
        log=tuple(attrs.evolve(entry, object=NO_OBJECT) for entry in delta.log),
    )


def without_user_time(delta: Delta) -> Delta:
    """
    Leave out the time between calls, and the timeline.

    Times in any order tell neither how much passed between calls, nor which intervals are old.
    """
    threads = {
        tid: attrs.evolve(tally, times=attrs.evolve(tally.times, user_ns=0))
        for tid, tally in delta.threads.items()
        if tally.calls
    }
    return attrs.evolve(delta, threads=threads, timeline=Timeline())


def without_named(delta: Delta) -> Delta:
    """Return a delta without the rows of what calls name besides their objects."""
    made = {key: row for key, row in delta.activity.items() if row.count}
    return attrs.evolve(delta, activity=made)


def by_call(delta: Delta) -> dict[ActivityKey, Sums]:
    """Add up the rows of each call in each process."""
    sums: dict[ActivityKey, Sums] = {}
    for key, row in delta.activity.items():
        whole = key._replace(object=NO_OBJECT)
        sums[whole] = sums.get(whole, Sums()) + row
    return sums


def lines_accounted_for(delta: Delta) -> int:
    """Return the number of lines that are counted in any way."""
    reading = delta.reading
    return reading.records + reading.halves + reading.notes + delta.ledger.unparsed_lines
