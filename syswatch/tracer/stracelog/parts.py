"""
Reads a large log on several CPUs, with the same result as on one.

The log is cut at line ends.  This process and its helpers take the parts in turn; the results
come back in the order of the log, so what spans two parts (the halves of a call, midnight) is
put together as if the log had been read in one go.
"""

import multiprocessing
import os
from collections.abc import Generator
from contextlib import ExitStack
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess

from syswatch.tracer.collector import Collector

from .condenser import Condenser
from .lines import LineBuffer
from .part import Part
from .source import BLOCK, Source, UnreadableError

# Each line of a part may be of another process, and is a row of sums then until the part is read.
PART_BYTES = 4 * 1024 * 1024
WORTH_CUTTING = 32 * 1024 * 1024
# A helper that has sent all its results has nothing left to do but to end.
_PATIENCE_S = 5
# "strace: Process 42 attached", which may stand in the middle of a call.
_LAST_WORD = b"attached"
Range = tuple[int, int]


def cut(source: Source) -> list[Range]:
    """Return where the parts begin and end; each ends with a line."""
    ranges = []
    begin = 0
    while begin < (source.size or 0):
        end = _line_end(source.fileno(), begin + PART_BYTES, source.size or 0)
        ranges.append((begin, end))
        begin = end
    return ranges


def read_parts(
    source: Source, workers: int, template: Condenser
) -> Generator[tuple[Part, int], None, None]:
    """Yield the parts of a log in order, each with its size."""
    ranges = cut(source)
    forking = multiprocessing.get_context("fork")
    with ExitStack() as stack:
        helpers: list[ForkProcess] = []
        results: list[Connection] = []
        for turn in range(1, workers):
            ours, theirs = forking.Pipe(duplex=False)
            helper = forking.Process(
                target=_help, args=(theirs, source, ranges[turn::workers], template), daemon=True
            )
            helper.start()
            theirs.close()
            stack.callback(helper.join)
            # Whatever a helper makes of other signals is inherited from this process.
            stack.callback(helper.kill)
            helpers.append(helper)
            results.append(ours)
        for index, (begin, end) in enumerate(ranges):
            turn = index % workers
            part = (
                _receive(results[turn - 1], source) if turn else _read(source, begin, end, template)
            )
            yield part, end - begin
        for helper in helpers:
            helper.join(_PATIENCE_S)


def _receive(results: Connection, source: Source) -> Part:
    try:
        part = results.recv()
    except EOFError as error:
        raise UnreadableError(
            f"{source.name}: a helper process that read it ended early"
        ) from error
    if isinstance(part, Part):
        return part
    raise UnreadableError(str(part))


def _help(out: Connection, source: Source, ranges: list[Range], template: Condenser) -> None:
    """Run in a helper process; a part, or the text of an error, goes out for each range."""
    try:
        for begin, end in ranges:
            out.send(_read(source, begin, end, template))
    except UnreadableError as error:
        out.send(str(error))
    except BrokenPipeError:
        return  # Nobody waits any more.


def _read(source: Source, begin: int, end: int, template: Condenser) -> Part:
    condenser = Condenser(
        Collector(per_process=template.collector.per_process),
        filter=template.filter,
        fallback_pid=template.fallback_pid,
        dialect=template.dialect,
        carried=[],
    )
    buffer = LineBuffer()
    while begin < end:
        block = _block(source, begin, min(BLOCK, end - begin))
        begin += len(block)
        for piece in buffer.receive_data(block):
            condenser.feed_piece(piece)
    for piece in buffer.close():
        condenser.feed_piece(piece)
    return condenser.part()


def _block(source: Source, begin: int, length: int) -> bytes:
    try:
        block = os.pread(source.fileno(), length, begin)
    except OSError as error:
        raise UnreadableError(f"{source.name}: {error.strerror}") from error
    if not block:
        raise UnreadableError(f"{source.name}: the file became shorter while it was read")
    return block


def _line_end(fd: int, position: int, size: int) -> int:
    """Return where the line at a position ends; strace's own words do not end a line."""
    while position < size:
        # The position may lie within the last word of a line.
        before = min(len(_LAST_WORD), position)
        block = os.pread(fd, BLOCK, position - before)
        newline = block.find(b"\n", before)
        if newline >= 0 and not block[:newline].endswith(_LAST_WORD):
            return position - before + newline + 1
        position += (newline + 1 if newline >= 0 else len(block) or size) - before
    return size
