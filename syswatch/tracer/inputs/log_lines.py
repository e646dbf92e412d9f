"""Splits a log that is read in its order into pieces, of which each line tells whose it is."""

from collections.abc import Iterator

import attrs

from syswatch.base.classes import define
from syswatch.tracer.stracelog.lines import Chunk, LineBuffer, Overlong
from syswatch.tracer.stracelog.sole_thread import SoleThread


@define
class LogLines:
    """The lines of a log; without `sole`, all of them have a PID, or are those of one thread."""

    _sole: SoleThread | None
    _buffer: LineBuffer = attrs.field(factory=LineBuffer, init=False)

    def receive_data(self, data: bytes) -> Iterator[Chunk | Overlong]:
        """Append bytes as they are read, none if there are none yet; yield complete lines."""
        for piece in self._buffer.receive_data(data):
            yield from (piece,) if self._sole is None else self._sole.receive(piece)
        if not data:
            yield from self.settle()

    def settle(self) -> Iterator[Chunk | Overlong]:
        """Yield the complete lines that were held back, as nothing more is known yet."""
        if self._sole is not None:
            yield from self._sole.settle()

    def close(self) -> Iterator[Chunk | Overlong]:
        """Yield the last line, which may have no newline; it is yielded once."""
        for piece in self._buffer.close():
            if self._sole is not None:
                yield from self._sole.receive(piece)
                yield from self._sole.settle()
            else:
                yield piece
