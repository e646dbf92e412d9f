"""
Reads a large log on several CPUs, with the same result as on one.

The log is cut into ranges of whole lines, which this process and its workers parse in turn.  A
range is one part, or several if it holds so many processes or calls that a single part would take
too much memory.  The parts come back in the order of the log, so that whatever spans two of them
(an unfinished call, midnight) is joined as if the log had been read in one go.
"""

import multiprocessing
import re
from collections.abc import Generator, Iterable
from contextlib import ExitStack
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess

from syswatch.tracer.collector import Collector
from syswatch.tracer.stracelog.lines import LineBuffer
from syswatch.tracer.stracelog.log_parser import LogParser
from syswatch.tracer.stracelog.log_part import LogPart

from .input_file import BLOCK, InputError, InputFile
from .part_sender import PartSender

# The largest range: what is counted of it must fit into memory.
RANGE_BYTES = 16 * 1024 * 1024
_SAMPLE_BYTES = 64 * 1024
# Of a block, each call that is slower than all in the blocks before may be one of the slowest, so
# the first blocks are small.
_FIRST_BLOCK, _GROWTH = 32 * 1024, 4
# The share of the lines of a sample, of processes that are known from an earlier one.
_MOST_LASTING = 0.1
_PIDS = re.compile(rb"^(?:\[pid +)?(\d{1,8})\]? ", re.MULTILINE)
# A worker that has sent all its results only has to exit.
_JOIN_TIMEOUT_S = 5
Range = tuple[int, int]


def ranges_of(source: InputFile, workers: int) -> list[Range]:
    """
    Return the beginning and the end of each range; every range ends with a line.

    All workers get as many ranges, which are about as long.  If they get several, the last ones are
    half as long: what is left to be done with their results, such as recording them, takes less.
    """
    size = source.size or 0
    most = RANGE_BYTES * workers
    rounds = 1 if size <= most else -(-(2 * size + most) // (2 * most))
    short = max(-(-size // ((2 * rounds - 1) * workers or 1)), 1)
    ranges: list[Range] = []
    begin = 0
    while begin < size:
        is_short = rounds == 1 or len(ranges) >= (rounds - 1) * workers
        end = _line_end(source, begin + (short if is_short else 2 * short), size)
        ranges.append((begin, end))
        begin = end
    return ranges


def has_short_processes(source: InputFile, workers: int) -> bool:
    """
    Return whether few lines in the middle of each range are of processes that are at its beginning.

    In a range after the first one it is not known what these processes have opened before.
    """
    for begin, end in ranges_of(source, workers)[1:]:
        first, later = (_pids_at(source, at) for at in (begin, (begin + end) // 2))
        lasting = sum(map(set(first).__contains__, later))
        if lasting >= len(later) * _MOST_LASTING:
            return False
    return True


def _pids_at(source: InputFile, position: int) -> list[bytes]:
    """Return the PIDs of the lines after a position."""
    return _PIDS.findall(_block(source, position, _SAMPLE_BYTES))


def read_parts(
    source: InputFile, workers: int, template: LogParser
) -> Generator[tuple[LogPart, int], None, None]:
    """Yield the parts of a log in order, each with its size."""
    ranges = ranges_of(source, workers)
    forking = multiprocessing.get_context("fork")
    with ExitStack() as stack:
        processes: list[ForkProcess] = []
        results: list[Connection] = []
        for turn in range(1, workers):
            receiver, sender = forking.Pipe(duplex=False)
            # If this process is killed, nothing else may keep the pipes open: the workers must end.
            inherited = (*results, receiver)
            process = forking.Process(
                target=_work,
                args=(sender, source, ranges[turn::workers], template, inherited),
                daemon=True,
            )
            process.start()
            sender.close()
            stack.callback(process.join)
            # Workers inherit how this process handles all other signals.
            stack.callback(process.kill)
            processes.append(process)
            results.append(receiver)
        for index, (begin, end) in enumerate(ranges):
            turn = index % workers
            if turn:
                yield from _receive(results[turn - 1], source, end - begin)
            else:
                yield from read_range(source, begin, end, template)
        for process in processes:
            process.join(_JOIN_TIMEOUT_S)


def _receive(
    results: Connection, source: InputFile, length: int
) -> Generator[tuple[LogPart, int], None, None]:
    """Yield the parts of a range of this length, as a worker sends them."""
    while length:
        try:
            result = results.recv()
        except EOFError as error:
            raise InputError(f"{source.name}: a worker process that read it ended early") from error
        if not isinstance(result, tuple):
            raise InputError(str(result))
        yield result
        length -= result[1]


def _work(
    out: Connection,
    source: InputFile,
    ranges: list[Range],
    template: LogParser,
    inherited: Iterable[Connection],
) -> None:
    """Run in a worker process: send the parts of each range, or the text of an error."""
    for each in inherited:
        each.close()
    sender = PartSender(out)
    try:
        try:
            for begin, end in ranges:
                for result in read_range(source, begin, end, template):
                    sender.send(result)
        except InputError as error:
            sender.send(str(error))
    except BrokenPipeError:
        return  # The reading has been stopped.
    sender.close()


def read_range(
    source: InputFile, begin: int, end: int, template: LogParser
) -> Generator[tuple[LogPart, int], None, None]:
    """Yield the parts of a range, each with the number of bytes that it covers."""
    parser, buffer, length = _condenser(template), LineBuffer(), 0
    most = min(_FIRST_BLOCK, BLOCK)
    while begin < end:
        if parser.is_crowded:
            yield parser.part(), length
            parser, length = _condenser(template), 0
        block = _block(source, begin, min(most, end - begin))
        most = min(_GROWTH * most, BLOCK)
        begin += len(block)
        length += len(block)
        for piece in buffer.receive_data(block):
            parser.feed_piece(piece)
    for piece in buffer.close():
        parser.feed_last(piece)
    yield parser.part(), length


def _condenser(template: LogParser) -> LogParser:
    return LogParser(
        Collector(per_process=template.collector.per_process),
        filter=template.filter,
        fallback_pid=template.fallback_pid,
        line_format=template.line_format,
        records=template.records,
        is_long=template.is_long,
        deferred=[],
    )


def _block(source: InputFile, begin: int, length: int) -> bytes:
    block = source.read_at(begin, length)
    if not block:
        raise InputError(f"{source.name}: the file became shorter while it was read")
    return block


def _line_end(source: InputFile, position: int, size: int) -> int:
    """Return where the line at a position ends."""
    while position < size:
        block = source.read_at(position, BLOCK)
        newline = block.find(b"\n")
        if newline >= 0:
            return position + newline + 1
        position += len(block) or size
    return size
