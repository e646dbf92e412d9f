"""
The forms in which results and whole recordings are written, and defaults that help shows.

They are apart from what writes them, so that parsing a command line does not import that.
"""

from typing import Final

RESULTS: Final = {
    "table": "a table for people",
    "csv": "CSV with a header",
    "json": "an array of objects, one in each line",
    "parquet": "a Parquet file",
}
EXPORTS: Final = {
    "perfetto": "a trace for https://ui.perfetto.dev",
    "chrome": "Chrome's trace events in JSON",
    "strace": "the text of strace -f -ttt -T",
    "csv": "a table of all calls with their objects",
    "parquet": "the same as one Parquet file",
    "folded": "folded stacks for flame graphs, in microseconds",
}
# These are not text.
BINARY: Final = frozenset({"parquet", "perfetto"})
# What is always a reason to save what a flight recorder keeps, and how many saves it keeps.
ALWAYS_SAVED: Final = "exit status not 0, death by signal"
DEFAULT_SAVES: Final = 10
