"""`syswatch diff`: reads both sides, compares them, and writes what changed."""

import gc
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from syswatch.app.interruption import end_on_signals
from syswatch.app.output_file import Output
from syswatch.base.streams import print_message
from syswatch.base.version import VERSION
from syswatch.comparison.changes import Comparison, Options, changes
from syswatch.comparison.formats import Presentation, written
from syswatch.comparison.parts import PARTS
from syswatch.comparison.sources import SourceError, check, read_all
from syswatch.options.config import Diff
from syswatch.views.text_table import coloured, plain

_CHANGED: Final = 1
_FAILED: Final = 2
_OBJECTS_BEFORE_COLLECTION: Final = 1_000_000


def run(diff: Diff) -> int:
    """Compare; return the exit status, which is that of diff: 0, 1 if something changed, or 2."""
    end_on_signals()
    # Tables of many thousand rows without cycles are made: looking for cycles would take half as
    # long again.
    gc.freeze()
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)
    try:
        comparison = _compared(diff)
        _write(comparison, diff)
    except SourceError as error:
        print_message(str(error))
    except OSError as error:
        print_message(f"{error.filename or diff.output}: {error.strerror}")
    else:
        return _CHANGED if comparison.has_changed else 0
    return _FAILED


def _write(comparison: Comparison, diff: Diff) -> None:
    # A reader that has seen enough changes nothing.
    with suppress(BrokenPipeError), Output(diff.output) as out:
        out.write(written(comparison, diff.format, _presentation(diff)).encode())


def _compared(diff: Diff) -> Comparison:
    sources = (*diff.before, *diff.after)
    for source in sources:
        # Before any of them is read, which may take long.
        check(source)
    runs = read_all(sources, diff.token, diff.scheduler)
    split = len(diff.before)
    only = tuple(PARTS[name] for name in diff.only) or None
    return changes(runs[:split], runs[split:], Options(only, diff.threshold))


def _presentation(diff: Diff) -> Presentation:
    """Return how text is written: on a terminal with its width, and with colours."""
    if diff.format == "html":
        return Presentation(origin=_origin())
    if diff.output != "-" or not sys.stdout.isatty():
        return Presentation(has_all=diff.all)
    paint = plain if os.environ.get("NO_COLOR") else coloured
    try:
        width = os.get_terminal_size(sys.stdout.fileno()).columns or None
    except OSError:
        width = None
    return Presentation(paint, width, has_all=diff.all)


def _origin() -> str:
    return f"syswatch {VERSION} · {datetime.now(UTC).astimezone():%Y-%m-%d %H:%M:%S %z}"
