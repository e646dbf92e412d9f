"""
Reads what is compared: recordings, logs of strace, JSON summaries and servers.

`read` makes one run of a source, `read_all` the runs of several, on all CPUs if they are large;
`read_evidence` what profiles are made of.
"""

from .errors import SourceError, TokenNeededError
from .evidence import read_evidence
from .several import read_all, read_apart
from .source import check, read

__all__ = [
    "SourceError",
    "TokenNeededError",
    "check",
    "read",
    "read_all",
    "read_apart",
    "read_evidence",
]
