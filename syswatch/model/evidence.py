"""
Evidence: what rules for calls, such as those of a seccomp filter, are made of.

A row counts the calls with the same name, the same arguments where rules can depend on them, the
same architecture and the same program.  Calls that an existing filter refused have rows of their
own.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import attrs

from syswatch.base.classes import frozen

from .merging import merge
from .table import Table

TRACKED_EVIDENCE = 20_000
# The architecture of a call from a log that does not name it: that of the machine.
NATIVE = ""
# The program of a call if it is not known, and of the rows that several programs share.
ANY_PROGRAM = ""


class EvidenceKey(NamedTuple):
    """
    Some calls that a rule can tell from others.

    `call` is the kernel's name of the call on `architecture`, without a mark as in `write@i386`.
    `values` are the arguments that `syswatch.model.ruled_arguments` lists for the call, in that
    order and masked.  They are empty if there are none, or if they are not known.
    """

    call: str
    values: tuple[int, ...] = ()
    architecture: str = NATIVE
    program: str = ANY_PROGRAM
    refused: bool = False


@frozen
class EvidenceTally:
    """How often such a call was made, and when first: None if no call has a timestamp."""

    count: int = 0
    first_ns: int | None = None

    def __add__(self, other: "EvidenceTally") -> "EvidenceTally":
        """Add two tallies."""
        return EvidenceTally(self.count + other.count, _earlier(self.first_ns, other.first_ns))


Evidence = Mapping[EvidenceKey, EvidenceTally]


def _coarser(key: EvidenceKey) -> EvidenceKey:
    """Return the row for all programs, or else for all values of the arguments."""
    if key.program != ANY_PROGRAM:
        return key._replace(program=ANY_PROGRAM)
    return key._replace(values=())


# Without its values, a row permits no rule for the arguments: so a rule never excludes what was
# seen, however much of it was cut.
EVIDENCE: Table[EvidenceKey, EvidenceTally] = Table(
    TRACKED_EVIDENCE, EvidenceTally.__add__, _coarser, lambda tally: tally.count
)


def add_evidence(
    left: Evidence, right: Evidence, table: Table[EvidenceKey, EvidenceTally] = EVIDENCE
) -> tuple[Evidence, int]:
    """Add evidence; also return how many rows were added to coarser ones because of the limit."""
    rows = merge(left, right, table.add)
    if len(rows) <= table.limit:
        return rows, 0
    kept = table.cut(rows)
    return kept, len(rows) - len(kept)


def redated_evidence(evidence: Evidence, date: Callable[[int], int]) -> Evidence:
    """Move each timestamp by a function of nanoseconds."""
    return {
        key: tally if tally.first_ns is None else attrs.evolve(tally, first_ns=date(tally.first_ns))
        for key, tally in evidence.items()
    }


def _earlier(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return right if left is None else left
    return min(left, right)
