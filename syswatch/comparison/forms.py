"""
The forms of a comparison, and what can be compared alone, by the names of options.

They are apart from what compares and writes, so that parsing a command line does not import that.
"""

from typing import Final

FORMATS: Final = {
    "text": "sentences and a table for people",
    "json": "one object",
    "markdown": "for a comment on a change",
    "junit": "JUnit XML for continuous integration",
    "html": "one page with both sides and their histograms",
}
# With the values of `run.Kind`.
KINDS: Final = {
    "calls": "call",
    "errors": "error",
    "paths": "path",
    "files": "file",
    "peers": "peer",
    "objects": "object",
    "programs": "program",
    "endings": "ending",
    "total": "total",
}
# The words of --only; `parts` has what each of them selects.
ONLY: Final = {
    "calls": "the system calls: number, bytes, times and percentiles",
    "errors": "the failures of each call by errno",
    "bytes": "the bytes that were read, written, received and sent",
    "times": "all times: working, waiting, percentiles and the wall time",
    "working": "the time working",
    "waiting": "the time waiting",
    "percentiles": "the percentiles of the durations of calls",
    "paths": "the paths that were opened, and those that could not be",
    "files": "what each call did with files, directories and devices",
    "peers": "the other sides of connections",
    "objects": "pipes, locks, timers and all other objects",
    "processes": "the processes by name, and how they ended",
    "programs": "the programs that were executed",
    "exit-status": "how the command ended",
    "endings": "how the command and its processes ended",
    "total": "the wall time",
}
