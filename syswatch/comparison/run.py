"""
A run, as it is compared and limited: a flat table of figures.

Everything that has figures is a subject: a call, an errno of a call, a path, a peer, a program.
"""

import enum
from collections.abc import Mapping
from typing import NamedTuple

import attrs

from syswatch.base.classes import frozen
from syswatch.model.delta import Delta
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import CLEAN, Ledger

from .facts import Facts, Programs


class Kind(enum.Enum):
    """A kind of subject."""

    # Enum hashes names in Python; tables have 100 000 keys.
    __hash__ = object.__hash__

    # The run as a whole; its name is empty.
    TOTAL = "total"
    # A system call.
    CALL = "call"
    # The failures of a call with one errno: the name is the errno.
    ERROR = "error"
    # A path that was opened, or that could not be opened.
    PATH = "path"
    # A file, directory or device that calls acted on.
    FILE = "file"
    # The other side of a connection.
    PEER = "peer"
    # A pipe, lock, timer, child and so on.
    OBJECT = "object"
    # A program that was executed.
    PROGRAM = "program"
    # How processes ended: the name says how.
    ENDING = "ending"


class Figure(enum.Enum):
    """What is counted or measured of a subject; times are in nanoseconds."""

    __hash__ = object.__hash__

    COUNT = "count"
    ERRORS = "errors"
    BYTES_IN = "bytes in"
    BYTES_OUT = "bytes out"
    WORKING = "working"
    WAITING = "waiting"
    P50 = "p50"
    P95 = "p95"
    P99 = "p99"
    WALL = "wall time"


class Subject(NamedTuple):
    """What figures belong to; the name is aligned: what differs by run is replaced."""

    kind: Kind
    name: str = ""
    # The call, where the figures are those of one call only.
    call: str = ""


Figures = Mapping[Figure, int]


@frozen
class Run:
    """One run; a subject or a figure that is missing was 0, unless it is unknown."""

    name: str
    figures: Mapping[Subject, Figures]
    # What this source cannot know, such as the durations of a log without them.
    unknown: frozenset[tuple[Kind, Figure]] = frozenset()
    # A real name of each subject whose aligned name is another.
    examples: Mapping[Subject, str] = attrs.field(factory=dict)
    # The distributions of the durations, where known.
    histograms: Mapping[str, Histogram] = attrs.field(factory=dict)
    # Sentences on what is lost, cut or estimated.
    notes: tuple[str, ...] = ()
    is_estimated: bool = False
    # What traced it; empty if that is not known.
    backend: str = ""
    threads: int = 0
    processes: int = 0
    # What was excluded from the trace, as the options that did so.
    only: str = ""
    # What is lost, as numbers: limits need to know by how much figures may be too low.
    ledger: Ledger = CLEAN
    # Whether the trace ended before the program did, so that any number of calls is missing.
    is_cut_short: bool = False
    # The programs whose processes account for a subject, and the programs that those of each have
    # started: where known, which excludes a summary in JSON.
    programs: Mapping[Subject, Programs] = attrs.field(factory=dict, eq=False, repr=False)
    children: Mapping[str, Programs] = attrs.field(factory=dict, eq=False, repr=False)
    # What the figures were made from, with all names as they were; the sums of the trace tell
    # which process did what, but a summary in JSON does not have them.
    facts: Facts = attrs.field(factory=Facts, eq=False, repr=False)
    delta: Delta | None = attrs.field(default=None, eq=False, repr=False)

    def without_origin(self) -> "Run":
        """Return the run without what it was made from, which is large."""
        return attrs.evolve(self, facts=Facts(), delta=None)
