"""Cuts what is read into chunks of whole lines, with a bound on what one line may hold."""

from collections.abc import Iterator

import attrs

# strace -s with a huge limit writes long lines; nothing it writes is longer than this.
LONGEST_LINE = 4 * 1024 * 1024
_BEGINNING = 1024


@attrs.frozen
class Chunk:
    """Whole lines, without the newline at the end of the last one."""

    lines: bytes


@attrs.frozen
class Overlong:
    """The beginning of a line that is too long to be held."""

    beginning: bytes


@attrs.define
class LineBuffer:
    """Holds the line that has no end yet."""

    _rest: bytes = attrs.field(default=b"", init=False)
    _overlong: bool = attrs.field(default=False, init=False)

    def receive_data(self, data: bytes) -> Iterator[Chunk | Overlong]:
        """Take bytes as they are read; yield what is complete."""
        if self._overlong:
            _, newline, data = data.partition(b"\n")
            if not newline:
                return
            yield self._end_overlong()
        end = data.rfind(b"\n")
        if end >= 0:
            yield Chunk(_unix_ends(self._rest + data[:end]))
            self._rest = b""
        self._rest += data[end + 1 :]
        if len(self._rest) > LONGEST_LINE:
            self._rest = self._rest[:_BEGINNING]
            self._overlong = True

    def close(self) -> Iterator[Chunk | Overlong]:
        """Yield the last line, which may have been cut off."""
        if self._overlong:
            yield self._end_overlong()
        elif self._rest:
            yield Chunk(_unix_ends(self._rest))

    def _end_overlong(self) -> Overlong:
        overlong, self._rest, self._overlong = Overlong(self._rest), b"", False
        return overlong


def _unix_ends(lines: bytes) -> bytes:
    """Undo what an editor or a mail made of the ends of lines."""
    if b"\r" not in lines:
        return lines
    return lines.replace(b"\r\n", b"\n").removesuffix(b"\r")
