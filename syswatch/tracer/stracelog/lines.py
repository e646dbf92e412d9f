"""Splits blocks into chunks of complete lines, with a limit on the length of a line."""

from collections.abc import Iterator

import attrs

from syswatch.base.classes import define, frozen

# The longest lines are those of `strace -s` with a huge limit.
LONGEST_LINE = 4 * 1024 * 1024
_BEGINNING = 1024
# Editors of other systems begin a text with it.
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@frozen
class Chunk:
    """Complete lines, without the last newline."""

    lines: bytes


@frozen
class Overlong:
    """The beginning of a line that exceeds the limit."""

    beginning: bytes


@define
class LineBuffer:
    """Buffers the line whose end has not been read yet."""

    _rest: bytes = attrs.field(default=b"", init=False)
    _overlong: bool = attrs.field(default=False, init=False)
    _has_begun: bool = attrs.field(default=False, init=False)

    def receive_data(self, data: bytes) -> Iterator[Chunk | Overlong]:
        """Append bytes as they are read; yield complete lines."""
        if not self._has_begun and data:
            self._has_begun = True
            data = data.removeprefix(_BYTE_ORDER_MARK)
        if self._overlong:
            _, newline, data = data.partition(b"\n")
            if not newline:
                return
            yield self._end_overlong()
        end = data.rfind(b"\n")
        if end >= 0:
            yield Chunk(_with_unix_line_ends(self._rest + data[:end]))
            self._rest = b""
        self._rest += data[end + 1 :]
        if len(self._rest) > LONGEST_LINE:
            self._rest = self._rest[:_BEGINNING]
            self._overlong = True

    def close(self) -> Iterator[Chunk | Overlong]:
        """Yield the last line, which may have no newline; it is yielded once."""
        if self._overlong:
            yield self._end_overlong()
        elif self._rest:
            rest, self._rest = self._rest, b""
            yield Chunk(_with_unix_line_ends(rest))

    def _end_overlong(self) -> Overlong:
        overlong, self._rest, self._overlong = Overlong(self._rest), b"", False
        return overlong


def _with_unix_line_ends(lines: bytes) -> bytes:
    """Replace line ends that an editor or a mail program has changed."""
    if b"\r" not in lines:
        return lines
    return lines.replace(b"\r\n", b"\n").removesuffix(b"\r")
