"""
The forms in which results and whole recordings are written.

They are apart from what writes them, so that parsing a command line does not import that.
"""

from typing import Final

RESULTS: Final = {
    "table": "a table for people",
    "csv": "CSV with a header",
    "json": "an array of objects, one in each line",
    "parquet": "a Parquet file",
}
# These are not text.
BINARY: Final = frozenset({"parquet", "perfetto"})
