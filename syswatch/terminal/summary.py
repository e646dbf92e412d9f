"""Print the summary, with colours and a width that fit where it is printed."""

import os
from typing import TextIO

from syswatch.base.streams import show
from syswatch.model.snapshot import Snapshot
from syswatch.views.colors import coloured, plain
from syswatch.views.exports import EXPORTS
from syswatch.views.summary import summary


def print_summary(snapshot: Snapshot, out: TextIO, summary_format: str, *, odd_lines: bool) -> None:
    """Write the summary in a format; only text on a terminal gets colours."""
    if summary_format in EXPORTS:
        show(out, EXPORTS[summary_format](snapshot))
    else:
        use_colour = out.isatty() and not os.environ.get("NO_COLOR")
        paint = coloured if use_colour else plain
        show(out, summary(snapshot, paint, odd_lines=odd_lines, width=_width(out)))


def _width(out: TextIO) -> int | None:
    """Return the width of a terminal, or None where there is no limit."""
    try:
        return os.get_terminal_size(out.fileno()).columns or None
    except OSError:
        return None
