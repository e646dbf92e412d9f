# Compiled, and optional.
from collections.abc import Callable

from .line_format import Row

class PlainRows:
    def __init__(
        self,
        *,
        time: int,
        pid_first: bool,
        has_relative: bool,
        has_number: bool,
        has_pointer: bool,
        has_arguments: bool,
        line_row: Callable[[bytes], Row],
        joined_row: Callable[[bytes], Row],
    ) -> None: ...
    def rows(self, chunk: bytes, /) -> list[Row]: ...
    def joined(self, line: bytes, /) -> Row: ...
    def join(
        self,
        rows: list[Row],
        lines: list[bytes],
        index: int,
        texts: dict[bytes, bytes],
        usable: set[bytes],
        begun: list[int],
        joined: list[int],
        /,
    ) -> int: ...
