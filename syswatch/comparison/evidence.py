"""What explanations are proved with: all figures of both sides, also those that did not change."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from syswatch.base.classes import frozen
from syswatch.model.catalog import model_of, openers

from .bands import Band
from .parts import OF_COMMAND
from .run import Figure, Figures, Kind, Subject

if TYPE_CHECKING:
    from .change import Change

_NOTHING: Figures = {}
Table = Mapping[Subject, Figures]


@frozen(slots=False)
class Evidence:
    """The figures of both sides, with aligned names, and what changed."""

    before: Sequence[Table] = ({},)
    after: Sequence[Table] = ({},)
    changes: "Sequence[Change]" = ()

    def sides(self, subject: Subject, figure: Figure = Figure.COUNT) -> tuple[int, int]:
        """Return a figure before and after: those of the runs in the middle."""
        before, after = (
            Band.of([table.get(subject, _NOTHING).get(figure, 0) for table in tables]).middle
            for tables in (self.before, self.after)
        )
        return before, after

    @cached_property
    def processes(self) -> Fraction:
        """The proportion of the numbers of processes; 1 if a side has none."""
        before, after = (
            Band.of([_ended(table) for table in tables]).middle
            for tables in (self.before, self.after)
        )
        return Fraction(before, after) if before and after else Fraction(1)

    @cached_property
    def _errnos(self) -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
        """The errnos of each call that changed, and all."""
        changed = _errnos_of(each.subject for each in self.changes)
        return changed, _errnos_of(
            subject for table in (*self.before, *self.after) for subject in table
        )

    def errno(self, call: str) -> str:
        """Return the errno with which additional calls fail; empty if there are several."""
        changed, known = self._errnos
        errnos = changed.get(call) or known.get(call, frozenset())
        return next(iter(errnos)) if len(errnos) == 1 else ""

    @cached_property
    def _successes(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        before, after = (_found(tables) for tables in (self.before, self.after))
        return before, after

    def found(self, name: str, *, after: bool) -> Sequence[str]:
        """Return the paths that end with a name and were opened or executed in all runs."""
        return self._successes[after].get(name, ())


def _ended(table: Table) -> int:
    """Return how many processes there were; those of the command have no name."""
    return sum(
        row.get(Figure.COUNT, 0)
        for subject, row in table.items()
        if subject.kind is Kind.ENDING and not subject.name.startswith(OF_COMMAND)
    )


def _errnos_of(subjects: Iterable[Subject]) -> Mapping[str, frozenset[str]]:
    errnos: dict[str, set[str]] = {}
    for kind, name, call in subjects:
        if kind is Kind.ERROR:
            errnos.setdefault(call, set()).add(name)
    return {call: frozenset(names) for call, names in errnos.items()}


def _found(tables: Sequence[Table]) -> Mapping[str, Sequence[str]]:
    first, *others = tables
    # Paths of openings may be relative; those of files are not, but a source may not have them.
    has_files = any(subject.kind is Kind.FILE for subject in first)
    found: dict[str, set[str]] = {}
    for subject, row in first.items():
        if _is_found(subject, row, has_files=has_files) and all(
            subject in table for table in others
        ):
            found.setdefault(subject.name.rpartition("/")[2], set()).add(subject.name)
    return {name: sorted(paths) for name, paths in found.items()}


def _is_found(subject: Subject, row: Figures, *, has_files: bool) -> bool:
    kind, _, call = subject
    if row.get(Figure.COUNT, 0) <= row.get(Figure.ERRORS, 0):
        return False
    if kind is Kind.PATH:
        return not has_files
    return (kind is Kind.PROGRAM) or (kind is Kind.FILE and model_of(call) in openers())
