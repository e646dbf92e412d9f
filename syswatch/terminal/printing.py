"""Prints the summary where the user wants it."""

import os
from typing import TextIO

from syswatch.base.streams import show
from syswatch.model.snapshot import Snapshot
from syswatch.views.colors import coloured, plain
from syswatch.views.exports import EXPORTS
from syswatch.views.summary import summary


def print_summary(snapshot: Snapshot, out: TextIO, summary_format: str, *, odd_lines: bool) -> None:
    """Write the summary in the format asked for; colours go to terminals only."""
    if summary_format in EXPORTS:
        show(out, EXPORTS[summary_format](snapshot))
    else:
        wants_colour = out.isatty() and not os.environ.get("NO_COLOR")
        paint = coloured if wants_colour else plain
        show(out, summary(snapshot, paint, odd_lines=odd_lines, width=_width(out)))


def _width(out: TextIO) -> int | None:
    """Return how wide a terminal is; a file has room for everything."""
    try:
        return os.get_terminal_size(out.fileno()).columns or None
    except OSError:
        return None
