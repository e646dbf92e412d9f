"""Which calls are counted, by their result."""

from collections.abc import Sequence

from .line_format import ERRNO, Row

ALL, FAILED, SUCCEEDED = range(3)


def chosen(rows: Sequence[Row], only: int) -> Sequence[Row]:
    """Return the calls that are counted."""
    if only == ALL:
        return rows
    return [row for row in rows if bool(row[ERRNO]) == (only == FAILED)]
