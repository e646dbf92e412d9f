"""What is known of a run before names are aligned: the common form of deltas and summaries."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import attrs

from syswatch.base.classes import frozen
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import CLEAN, Ledger
from syswatch.model.objects import ObjectKind

# The names of processes; that of one whose name is not known is empty.
Programs = frozenset[str]
NOT_KNOWN: Programs = frozenset()


@frozen
class CallFacts:
    """The totals of one system call."""

    name: str
    count: int
    errors: int = 0
    errnos: Mapping[str, int] = attrs.field(factory=dict)
    working_ns: int = 0
    waiting_ns: int = 0
    min_ns: int = 0
    max_ns: int = 0
    histogram: Histogram = attrs.field(factory=Histogram)
    # The programs of the processes that made the call, and of those in which it failed; empty if
    # that is not known.
    programs: Programs = NOT_KNOWN
    failed_in: Programs = NOT_KNOWN


class Counts(NamedTuple):
    """What the calls of one name did with an object."""

    made: int
    errors: int = 0
    bytes_in: int = 0
    bytes_out: int = 0


class ObjectFacts(NamedTuple):
    """One object, and what each call did with it."""

    kind: ObjectKind
    name: str
    host: str
    working_ns: int
    waiting_ns: int
    calls: Mapping[str, Counts]
    # The programs of the processes that made each call, if known.
    programs: Mapping[str, Programs] = MappingProxyType({})


class PathFacts(NamedTuple):
    """How many calls tried to open a path, and how many of them failed."""

    path: str
    opens: int
    failed: int


class ProcessFacts(NamedTuple):
    """A process; the ending is empty if it was still running."""

    comm: str
    ending: str
    lives: int = 1


@frozen
class Facts:
    """Everything of a run that is compared."""

    calls: Sequence[CallFacts] = ()
    # None if the source has no objects, or does not tell what each call did with them.
    objects: Sequence[ObjectFacts] | None = ()
    paths: Sequence[PathFacts] = ()
    processes: Sequence[ProcessFacts] = ()
    # The programs that the processes of each program have started.
    children: Mapping[str, Programs] = attrs.field(factory=dict)
    threads: int = 0
    # How the command ended; empty if it is running, or was not started for the trace.
    ending: str = ""
    elapsed_ns: int = 0
    # What was excluded from the trace, as the options that did so.
    only: str = ""
    notes: Sequence[str] = ()
    is_estimated: bool = False
    # What traced it; empty if that is not known.
    backend: str = ""
    ledger: Ledger = CLEAN
    is_cut_short: bool = False
