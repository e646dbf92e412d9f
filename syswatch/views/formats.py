"""The output formats: to add one, list its name in `forms`, and its function here."""

import csv
import io
from collections.abc import Callable, Mapping

from syswatch.base.classes import frozen
from syswatch.model.snapshot import Snapshot

from .budget.calls import with_costs
from .column import Totals
from .columns import COLUMNS, CSV
from .forms import FORMATS as CONTENTS
from .forms import CallSort
from .summary import summary
from .text_table import Paint, plain


@frozen
class Presentation:
    """How text for people is written: with which colours, how wide, and how detailed."""

    paint: Paint = plain
    width: int | None = None
    odd_lines: bool = False
    sort: CallSort = CallSort.TIME


@frozen
class Format:
    """An output format: its name after `--format`, what it consists of, and its function."""

    name: str
    content: str
    write: Callable[[Snapshot, Presentation], str]


def as_text(snapshot: Snapshot, how: Presentation) -> str:
    """Return a summary for people."""
    return summary(snapshot, how.paint, odd_lines=how.odd_lines, width=how.width, sort=how.sort)


def as_json(snapshot: Snapshot, _how: Presentation) -> str:
    """Return one JSON object with everything that a summary holds."""
    # Not at the top: the records of the API take longer to import than all other formats.
    from .json_summary import json_object

    return json_object(snapshot)


def as_json_lines(snapshot: Snapshot, _how: Presentation) -> str:
    """Return a line of JSON for each system call."""
    from .json_summary import json_lines

    return json_lines(snapshot)


def as_csv(snapshot: Snapshot, _how: Presentation) -> str:
    """Return a row for each system call, below a row of titles; times are in nanoseconds."""
    columns = [COLUMNS[key] for key in CSV]
    calls = with_costs(snapshot, snapshot.calls)
    totals = Totals.of(calls)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.field for column in columns)
    for call in calls:
        values = [(column.value(call, totals), column) for column in columns]
        writer.writerow(value or (0 if column.is_number else "") for value, column in values)
    return out.getvalue()


_WRITERS = {"text": as_text, "json": as_json, "ndjson": as_json_lines, "csv": as_csv}
FORMATS: Mapping[str, Format] = {
    name: Format(name, content, _WRITERS[name]) for name, content in CONTENTS.items()
}
