"""What is known of all runs together, as far as it tells how much their numbers vary."""

from collections.abc import Sequence

from syswatch.base.classes import frozen

from .bands import NO_RUNS, Band
from .cut_off import KILLED
from .run import Figure, Kind, Run

# So many runs that agree are no coincidence.
_ENOUGH_RUNS = 3


@frozen
class Setting:
    """What is known of all runs together, as far as tolerances depend on it."""

    # Whether any run had several threads in a process.
    is_threaded: bool = False
    # By how much the numbers of threads differ.
    threads_apart: int = 0
    has_children: bool = False
    # How many processes of each run a signal has ended.
    killed_before: Band = NO_RUNS
    killed_after: Band = NO_RUNS
    # The files that are executed.
    programs: frozenset[str] = frozenset()
    # Whether a number may be another because these were killed earlier or later.
    is_cut_off: bool = True
    # Whether it is of a file that is executed.
    is_program: bool = False

    @property
    def killed(self) -> int:
        """The most processes of one run that a signal has ended."""
        return max(self.killed_before.most, self.killed_after.most)

    def shows_no_effect_of_kills(self, before: Band, after: Band) -> bool:
        """
        Return whether kills have not changed a number of a side.

        It must be the same in several runs, in which as many processes were killed as on the other
        side.
        """
        kills = self.killed_before, self.killed_after
        return any(
            values.is_one_value and values.runs >= _ENOUGH_RUNS and own.includes(other)
            for values, own, other in ((before, *kills), (after, *kills[::-1]))
        )


def setting_of(before: Sequence[Run], after: Sequence[Run]) -> Setting:
    """Return what tolerances depend on; most of it is that of all runs, whatever their side."""
    runs = (*before, *after)
    threads = [run.threads for run in runs]
    return Setting(
        is_threaded=any(run.threads > run.processes for run in runs),
        threads_apart=max(threads) - min(threads),
        has_children=any(run.processes > 1 for run in runs),
        killed_before=Band.of(list(map(_killed, before))),
        killed_after=Band.of(list(map(_killed, after))),
        programs=frozenset(
            subject.name for run in runs for subject in run.figures if subject.kind is Kind.PROGRAM
        ),
    )


def _killed(run: Run) -> int:
    """Return how many processes of a run a signal has ended."""
    return sum(
        row.get(Figure.COUNT, 0)
        for subject, row in run.figures.items()
        if subject.kind is Kind.ENDING and KILLED in subject.name
    )
