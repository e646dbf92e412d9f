"""The output formats: to add one, write its function and list it in `FORMATS`."""

import csv
import io
from collections.abc import Callable, Mapping

import attrs

from syswatch.model.snapshot import Snapshot

from . import object_builders, record_builders, time_builders, time_records
from .budget.calls import CallSort
from .column import Totals
from .columns import COLUMNS, CSV
from .records import encode
from .summary import summary
from .text_table import Paint, plain


@attrs.frozen
class Presentation:
    """How text for people is written: with which colours, how wide, and how detailed."""

    paint: Paint = plain
    width: int | None = None
    odd_lines: bool = False
    sort: CallSort = CallSort.TIME


@attrs.frozen
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
    record = time_records.Summary(
        status=record_builders.status(snapshot),
        stats=record_builders.stats(snapshot),
        categories=record_builders.by_category(snapshot),
        files=record_builders.files(snapshot),
        processes=record_builders.processes(snapshot),
        fidelity=record_builders.fidelity(snapshot),
        time=time_builders.time(snapshot),
        objects=object_builders.object_rows(snapshot),
        threads=time_builders.thread_rows(snapshot),
        slowest=time_builders.slow_calls(snapshot),
    )
    return encode(record).decode() + "\n"


def as_json_lines(snapshot: Snapshot, _how: Presentation) -> str:
    """Return a line of JSON for each system call."""
    return "".join(encode(row).decode() + "\n" for row in record_builders.stats(snapshot))


def as_csv(snapshot: Snapshot, _how: Presentation) -> str:
    """Return a row for each system call, below a row of titles; times are in nanoseconds."""
    columns = [COLUMNS[key] for key in CSV]
    totals = Totals.of(snapshot.calls)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.field for column in columns)
    for call in snapshot.calls:
        values = [(column.value(call, totals), column) for column in columns]
        writer.writerow(value or (0 if column.is_number else "") for value, column in values)
    return out.getvalue()


_FORMATS = (
    Format("text", "a table for people, with units", as_text),
    Format("json", "one object with the answers of the HTTP API", as_json),
    Format("ndjson", "one line of JSON for each system call", as_json_lines),
    Format("csv", "one row for each system call", as_csv),
)
FORMATS: Mapping[str, Format] = {each.name: each for each in _FORMATS}
