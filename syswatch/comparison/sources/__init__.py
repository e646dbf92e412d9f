"""
Reads what is compared: recordings, logs of strace, JSON summaries and servers.

`read` makes one run of a source, `read_all` the runs of several, on all CPUs if they are large;
`read_all_evidence` what profiles are made of.  The workers of a Dask cluster may read instead.
"""

from .errors import SourceError, TokenNeededError
from .evidence import FoundEvidence, read_all_evidence, read_evidence, sum_of
from .several import read_all, read_apart
from .source import check, is_url, read

__all__ = [
    "FoundEvidence",
    "SourceError",
    "TokenNeededError",
    "check",
    "is_url",
    "read",
    "read_all",
    "read_all_evidence",
    "read_apart",
    "read_evidence",
    "sum_of",
]
