"""Tables as the bytes of Parquet files."""

from typing import Any

from syswatch.recording.extra import load

# Times grow, so their differences are small; everything else repeats.
_DIFFERENCES = "DELTA_BINARY_PACKED"
# How many rows are compressed together, and so the fewest that a reader has to hold.
_LARGEST_GROUP = 1 << 18


def encoded(table: Any, *growing: str) -> memoryview:
    """Return the file of a table, of which some columns hold growing numbers."""
    parquet, arrow = load("pyarrow.parquet"), load("pyarrow")
    sink = arrow.BufferOutputStream()
    parquet.write_table(
        table,
        sink,
        compression="zstd",
        use_dictionary=[name for name in table.column_names if name not in growing],
        column_encoding=dict.fromkeys(growing, _DIFFERENCES) or None,
        row_group_size=_LARGEST_GROUP,
        # Otherwise many changed bits would go unnoticed.  DuckDB does not check it.
        write_page_checksum=True,
    )
    return memoryview(sink.getvalue())
