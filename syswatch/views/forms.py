"""
The forms of a summary and the orders of its calls, by the names of options.

They are apart from what computes and writes, so that parsing a command line does not import that.
"""

import enum
from typing import Final

FORMATS: Final = {
    "text": "a table for people, with units",
    "json": "one object with the answers of the HTTP API",
    "ndjson": "one line of JSON for each system call",
    "csv": "one row for each system call",
}


class CallSort(enum.Enum):
    """An order of the table of system calls."""

    TIME = "time"
    CALLS = "calls"
    ERRORS = "errors"
    WAITING = "waiting"
    BYTES = "bytes"
    NAME = "name"
