"""Which programs a signal may have ended before they made all of their calls."""

from collections.abc import Mapping, Sequence

from syswatch.base.classes import frozen

from .alignment.together import Tables
from .facts import NOT_KNOWN, Programs
from .run import Figures, Kind, Run, Subject
from .tabulate import NAMELESS

KILLED = " killed by "


@frozen
class CutOff:
    """The programs of processes that a signal has ended, and of their children, in some runs."""

    programs: Programs
    # Each run with its figures, as they are compared.
    _runs: Sequence[tuple[Run, Mapping[Subject, Figures]]]

    @classmethod
    def of(cls, runs: Sequence[Run], tables: Tables) -> "CutOff":
        """Return those of runs whose tables have names that can be compared."""
        killed = {
            subject.name.partition(KILLED)[0]
            for run in runs
            for subject in run.figures
            if subject.kind is Kind.ENDING and KILLED in subject.name
        }
        # What is killed starts no more children.
        found: set[str] = set()
        while killed:
            found |= killed
            killed = {
                child
                for run in runs
                for name in killed
                for child in run.children.get(name, NOT_KNOWN)
            } - found
        return cls(frozenset(found), list(zip(runs, tables, strict=True)))

    def concerns(self, subject: Subject) -> bool:
        """Return whether such a program accounts for a subject in any run, as far as is known."""
        if NAMELESS in self.programs:
            return True
        if subject.kind is Kind.ENDING:
            return any(subject.name.startswith(f"{name} ") for name in self.programs)
        # All objects that vary by themselves, together.
        if not subject.name:
            subject = Subject(Kind.CALL, subject.call)
        return any(self._is_in(run, table, subject) for run, table in self._runs)

    def _is_in(self, run: Run, table: Mapping[Subject, Figures], subject: Subject) -> bool:
        known = run.programs.get(subject)
        if known is None:
            return subject in table
        return "" in known or not self.programs.isdisjoint(known)
