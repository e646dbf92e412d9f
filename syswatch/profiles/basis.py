"""What profiles are made of, and checked with."""

import os

import attrs

from syswatch.base.classes import frozen
from syswatch.model.delta import Delta
from syswatch.model.evidence import Evidence, add_evidence
from syswatch.model.ledger import Weight
from syswatch.views.status import notes, notes_of

from .files import loaded_files, written_paths
from .occurrences import Occurrences


@frozen
class Basis:
    """The calls of a program, and the files that its profile depends on."""

    evidence: Evidence = attrs.field(factory=dict)
    # Executed programs and loaded libraries.
    loaded: frozenset[str] = frozenset()
    # What must be writable; None if that is not known.
    written: frozenset[str] | None = frozenset()
    occurrences: Occurrences = attrs.field(factory=Occurrences)
    # Sentences on which calls may be missing.
    notes: tuple[str, ...] = ()
    # What was excluded from the trace, as the options that did so.
    only: str = ""

    @classmethod
    def of(cls, sums: Delta) -> "Basis":
        """Return what sums tell; files that were written are looked up on this machine."""
        unseen = notes(sums.ledger).get("unseen_starts")
        return cls(
            sums.evidence,
            loaded_files(sums),
            written_paths(sums, os.path.lexists),
            Occurrences.of(sums),
            (*notes_of(sums.ledger, Weight.LOST), *((unseen,) if unseen else ())),
        )

    def __add__(self, other: "Basis") -> "Basis":
        """Add what was found in two sources."""
        evidence, _ = add_evidence(self.evidence, other.evidence)
        is_known = self.written is not None and other.written is not None
        return Basis(
            evidence,
            self.loaded | other.loaded,
            (self.written or frozenset()) | (other.written or frozenset()) if is_known else None,
            self.occurrences + other.occurrences,
            (*self.notes, *other.notes),
            self.only or other.only,
        )
