"""What a comparison consists of: changes, and findings, which put some of them into words."""

import enum
from collections.abc import Mapping

import attrs

from syswatch.base.classes import frozen

from .bands import Band
from .evidence import Evidence
from .parts import Part
from .run import Figure, Run, Subject


@frozen
class Options:
    """What is compared, and from when on a difference counts."""

    # None for everything.
    only: tuple[Part, ...] | None = None
    # The least change in percent of the smaller number that is not 0.
    threshold: float = 0.0

    def includes(self, subject: Subject, figure: Figure) -> bool:
        """Return whether a figure is compared."""
        return self.only is None or any(part.includes(subject, figure) for part in self.only)


@frozen
class Change:
    """A figure that differs by more than it varies by itself."""

    subject: Subject
    figure: Figure
    before: Band
    after: Band

    @property
    def difference(self) -> int:
        """How much more the middle of the runs is after than before."""
        return self.after.middle - self.before.middle

    @property
    def share(self) -> float:
        """The size of the difference in relation to the smaller number; infinite from 0."""
        least = min(self.before.middle, self.after.middle)
        return abs(self.difference) / least if least else float("inf")

    @property
    def is_new(self) -> bool:
        """Return whether no run had it before."""
        return self.before.most == 0

    @property
    def is_gone(self) -> bool:
        """Return whether no run has it any more."""
        return self.after.most == 0

    @property
    def mirrored(self) -> "Change":
        """The change in the other direction."""
        return Change(self.subject, self.figure, self.after, self.before)


class Rank(enum.IntEnum):
    """The kinds of findings, the most important first."""

    ENDING = 1
    FAILURE = 2
    PEER = 3
    PROGRAM = 4
    NEW_CALL = 5
    COUNT = 6
    BYTES = 7
    TIME = 8
    REST = 9


@frozen
class Finding:
    """One or several changes that are one event, in words."""

    text: str
    rank: Rank
    # What the sentence says, and what follows from it.
    changes: tuple[Change, ...]
    consequences: tuple[Change, ...] = ()
    # What changed, without numbers and reason.
    title: str = ""
    # Why, if the figures prove it; the text has it too.
    explanation: str = ""


@frozen
class Comparison:
    """What changed between two sides; the most important first."""

    before: tuple[Run, ...]
    after: tuple[Run, ...]
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]
    # What was not compared because a source does not know it.
    not_compared: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    options: Options = attrs.field(factory=Options)
    # Real names of subjects whose names are aligned.
    examples: Mapping[Subject, str] = attrs.field(factory=dict)
    # What reasons are proved with.
    evidence: Evidence = attrs.field(factory=Evidence, eq=False, repr=False)

    @property
    def has_changed(self) -> bool:
        """Return whether anything changed."""
        return bool(self.changes)
