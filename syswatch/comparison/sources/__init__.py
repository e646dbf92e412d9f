"""
Reads what is compared: recordings, logs of strace, JSON summaries and servers.

`read` makes one run of a source, `read_all` the runs of several, on all CPUs if they are large.
What profiles are made of is read by `evidence`, which imports much more.  The workers of a Dask
cluster may read instead.
"""

from .errors import SourceError, TokenNeededError
from .several import read_all, read_apart
from .source import check, is_url, read

__all__ = [
    "SourceError",
    "TokenNeededError",
    "check",
    "is_url",
    "read",
    "read_all",
    "read_apart",
]
