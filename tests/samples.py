"""Sample logs, and strace's own tables of them."""

import re
from collections.abc import Mapping
from pathlib import Path

import attrs

LOGS = Path(__file__).resolve().parent / "logs"
_ROW = re.compile(
    rb"^ *[\d.]+ +(?P<seconds>[\d.]+) +\d+ +(?P<calls>\d+) +(?:(?P<errors>\d+) +)?(?P<name>\w+)$",
    re.MULTILINE,
)


@attrs.frozen
class TableRow:
    """A row of strace's table: one system call."""

    calls: int
    errors: int
    seconds: float


def log_names() -> list[str]:
    """Return the names of all sample logs."""
    return sorted(path.name for path in LOGS.glob("*.log"))


def table(log: bytes) -> Mapping[str, TableRow]:
    """Return the table that -C appends to a log, without its last line."""
    _, title, rows = log.partition(b"% time")
    found = {
        row["name"].decode(): TableRow(
            int(row["calls"]), int(row["errors"] or 0), float(row["seconds"])
        )
        for row in _ROW.finditer(rows)
    }
    found.pop("total", None)
    return found if title else {}
