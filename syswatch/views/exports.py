"""The summary for a program: JSON, JSON lines, CSV."""

import csv
import io
from collections.abc import Callable, Mapping

import msgspec

from syswatch.model.snapshot import Snapshot

from . import shapes
from .records import encode


def as_json(snapshot: Snapshot) -> str:
    """Return one JSON object with everything that a summary holds."""
    shape = {
        "Status": shapes.status(snapshot),
        "Stats": shapes.stats(snapshot),
        "Categories": shapes.by_category(snapshot),
        "Files": shapes.files(snapshot),
        "Processes": shapes.processes(snapshot),
        "Fidelity": shapes.fidelity(snapshot),
    }
    return encode(shape).decode() + "\n"


def as_json_lines(snapshot: Snapshot) -> str:
    """Return a line of JSON for each system call."""
    return "".join(encode(row).decode() + "\n" for row in shapes.stats(snapshot))


def as_csv(snapshot: Snapshot) -> str:
    """Return a row for each system call, with a row of titles above; times in nanoseconds."""
    rows = shapes.stats(snapshot)
    out = io.StringIO()
    writer = csv.DictWriter(out, _CSV_COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for call, row in zip(snapshot.calls, rows, strict=True):
        extra = {"AvgTime": call.tally.average_ns, "TopErrno": call.tally.top_errno}
        writer.writerow(msgspec.to_builtins(row) | extra)
    return out.getvalue()


_CSV_COLUMNS = (
    "Name",
    "Category",
    "Count",
    "Errors",
    "TotalTime",
    "AvgTime",
    "MinTime",
    "MaxTime",
    "P95",
    "P99",
    "ErrRate60s",
    "TopErrno",
)
EXPORTS: Mapping[str, Callable[[Snapshot], str]] = {
    "json": as_json,
    "ndjson": as_json_lines,
    "csv": as_csv,
}
