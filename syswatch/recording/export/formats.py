"""The registry of export formats."""

from collections.abc import Callable, Mapping
from typing import BinaryIO, Final

from . import chrome, perfetto, strace, tables
from .selection import Selection

WRITERS: Final[Mapping[str, Callable[[Selection, BinaryIO], None]]] = {
    "perfetto": perfetto.write,
    "chrome": chrome.write,
    "strace": strace.write,
    "csv": tables.write_csv,
    "parquet": tables.write_parquet,
    "folded": tables.write_folded,
}
