"""Print the summary, with colours and a width that fit where it is printed."""

import os
from typing import TextIO

from syswatch.base.streams import write_text
from syswatch.model.snapshot import Snapshot
from syswatch.views.formats import FORMATS, Presentation
from syswatch.views.forms import CallSort
from syswatch.views.text_table import coloured, plain


def print_summary(
    snapshot: Snapshot,
    out: TextIO,
    summary_format: str,
    *,
    odd_lines: bool,
    sort: CallSort = CallSort.TIME,
) -> None:
    """Write the summary in a format; only text on a terminal gets colours."""
    use_colour = out.isatty() and not os.environ.get("NO_COLOR")
    how = Presentation(
        coloured if use_colour else plain, _width(out), odd_lines=odd_lines, sort=sort
    )
    # What programs read does not depend on the locale.
    encoding = "" if summary_format == "text" else "utf-8"
    write_text(out, FORMATS[summary_format].write(snapshot, how), encoding)


def _width(out: TextIO) -> int | None:
    """Return the width of a terminal, or None where there is no limit."""
    try:
        return os.get_terminal_size(out.fileno()).columns or None
    except OSError:
        return None
