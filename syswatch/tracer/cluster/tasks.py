"""
The tasks, which run on the workers.

Each is a function of its arguments and of the inputs: the scheduler may run it again, on another
worker.  An input that cannot be read is a result, and no failure of the task.
"""

import gc
import pickle
from typing import NamedTuple

import attrs

from syswatch.base.version import VERSION
from syswatch.model.messages import Ended, ReadLogs
from syswatch.tracer.inputs.input_file import InputError, InputFile
from syswatch.tracer.inputs.log_source import ALL_LOGS, LogSource
from syswatch.tracer.inputs.parallel import Range, ranges_of, read_range
from syswatch.tracer.inputs.sources import source_of
from syswatch.tracer.stracelog.log_filter import LogFilter
from syswatch.tracer.stracelog.log_parser import LogParser
from syswatch.tracer.stracelog.log_part import LogPart

from .piece import Gathering, Piece, added

# As in the tracer: rows of a log hold no cycles.
_ROWS_BEFORE_COLLECTION = 50_000


class Plan(NamedTuple):
    """How an input is read: in ranges, or as a whole."""

    size: int | None
    is_log: bool = False
    ranges: tuple[Range, ...] = ()


class Joined(NamedTuple):
    """What some ranges of a log hold, and the state of the parser after them."""

    piece: Piece
    state: bytes

    def parser(self) -> LogParser:
        """Return the parser in this state; a task may be run again, so it has one of its own."""
        found: LogParser = pickle.loads(self.state)  # noqa: S301  made by `join`
        return found


# The state after a part that cannot be read.
_ENDED = b""
Parts = list[tuple[LogPart, int]]


def about_worker() -> str:
    """Return the version of syswatch that is installed here."""
    return VERSION


def plan(job: ReadLogs, name: str) -> Plan | InputError:
    """Return how to read an input, which need not be readable."""
    try:
        with InputFile.open(name) as file:
            if file.is_recording:
                return Plan(file.size)
            source = LogSource(file, job, LogFilter(job.options))
            if not source.is_read_in_parts():
                return Plan(file.size, is_log=True)
            return Plan(file.size, is_log=True, ranges=tuple(ranges_of(file, job.workers)))
    except InputError as error:
        return error


def read_whole(job: ReadLogs, name: str) -> Piece:
    """Return what an input holds."""
    gc.set_threshold(_ROWS_BEFORE_COLLECTION)
    gathering = Gathering()
    try:
        with InputFile.open(name) as file:
            # It is not worth dividing, or it was divided already.
            alone = attrs.evolve(job, files=(name,), workers=1)
            source_of(file, alone, LogFilter(job.options)).read_into(gathering.sink)
    except InputError as error:
        return gathering.piece(error)
    return gathering.piece()


def read_parts(job: ReadLogs, name: str, begin: int, end: int) -> Parts | InputError:
    """Return the parts of a range of a log."""
    gc.set_threshold(_ROWS_BEFORE_COLLECTION)
    try:
        with InputFile.open(name) as file:
            source = LogSource(file, job, LogFilter(job.options))
            return list(read_range(file, begin, end, source.parser()))
    except InputError as error:
        return error


def join(job: ReadLogs, name: str, before: Joined | None, *ranges: Parts | InputError) -> Joined:
    """Join the next ranges of a log with those before; nothing follows what cannot be read."""
    if before is not None and before.state == _ENDED:
        return Joined(Piece(), _ENDED)
    gathering = Gathering()
    try:
        parser = _begun(job, name, gathering) if before is None else before.parser()
    except InputError as error:
        return Joined(gathering.piece(error), _ENDED)
    trouble = None
    for parts in ranges:
        if isinstance(parts, InputError):
            trouble = parts
            break
        for part, length in parts:
            gathering.sink.add(parser.absorb(part))
            parser.advance(length)
            if parser.is_crowded:
                gathering.sink.add(parser.take())
    gathering.sink.add(parser.take())
    if trouble is not None:
        return Joined(gathering.piece(trouble), _ENDED)
    return Joined(gathering.piece(), pickle.dumps(parser))


def _begun(job: ReadLogs, name: str, gathering: Gathering) -> LogParser:
    """Report the start of a log; return the parser of the whole log."""
    with InputFile.open(name) as file:
        source = LogSource(file, job, LogFilter(job.options))
        gathering.sink.start(ALL_LOGS, source.start())
        gathering.sink.end(ALL_LOGS, Ended())
        return source.parser()


def piece_of(joined: Joined) -> Piece:
    """Return what ranges of a log hold, without the state of the parser."""
    return joined.piece


def rest_of(joined: Joined) -> Piece:
    """Return what is only known at the end of a log, after its last ranges."""
    gathering = Gathering()
    if joined.state != _ENDED:
        parser = joined.parser()
        parser.end_in_progress()
        parser.close()
        gathering.sink.add(parser.take())
    return gathering.piece()


def add(*pieces: Piece) -> Piece:
    """Return the sum of pieces, which are in the order of their inputs."""
    return added(pieces)
