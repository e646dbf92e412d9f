"""
The timeline of a log: an estimate of what each thread did in each interval.

The time of a line is when its call began, and its duration tells when it ended.  Short calls are
counted in the interval in which they begin; longer ones are spread.  A call that waited is taken to
have worked last.  What is left between the first and the last call of a thread is its own code.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import attrs

from syswatch.base.classes import define
from syswatch.model.threads import ThreadTimes, Wait
from syswatch.model.timeline import COARSE_MS, FINE_MS, FINE_S, Interval, Timeline
from syswatch.model.times import SECOND_NS
from syswatch.model.window import HISTORY_S

from .line_format import Row
from .python_intervals import Cell
from .row_loops import running

_NS_IN_MS = 1_000_000
_MOST_CELLS = 20_000
# A call that is not longer has not waited, and is short for every interval.  Texts are compared: it
# does not matter which is taken for longer if they have different numbers of digits.
_BRIEF = b"0.000050"


def is_brief(duration: bytes) -> bool:
    """Return whether a call is so short that all like it are added at once."""
    return b"" < duration <= _BRIEF


@define
class LogTimeline:
    """
    Adds up the times of calls by interval and thread.

    Intervals are fine until the times extend over `FINE_S`.  `origin_s` is that of times of day.
    """

    origin_s: int = 0
    # Whether it is known that the times extend over `FINE_S`.
    is_long: bool = False
    intervals: running.Intervals = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Start with nothing."""
        self.intervals = running.Intervals(
            fine_ns=(COARSE_MS if self.is_long else FINE_MS) * _NS_IN_MS,
            coarse_ns=COARSE_MS * _NS_IN_MS,
            most_fine=FINE_S * COARSE_MS // FINE_MS,
            history_ns=HISTORY_S * SECOND_NS,
            brief=_BRIEF,
        )

    @property
    def is_crowded(self) -> bool:
        """Return whether there is so much that it should be taken early."""
        return len(self.intervals) > _MOST_CELLS

    def add_brief(self, rows: Sequence[Row], fallback_pid: int) -> None:
        """Add those of some calls that are brief."""
        self.intervals.add_brief(rows, self.origin_s, fallback_pid)

    def add_passed(self, pid: int, begin_ns: int, end_ns: int) -> None:
        """Add time that has passed for a thread."""
        self.intervals.add_passed(pid, begin_ns, end_ns)

    def add_short(self, pid: int, begin_ns: int, spent_ns: int) -> None:
        """Add time in which a thread worked, to the interval in which that began."""
        self.intervals.add_short(pid, begin_ns, spent_ns)

    def take(self) -> Timeline:
        """Return everything since the last time."""
        cells, length_ns = self.intervals.take()
        return Timeline(_bins(cells), length_ns // _NS_IN_MS)


def _bins(cells: Iterable[Cell]) -> Mapping[int, Interval]:
    bins: dict[int, dict[int, ThreadTimes]] = defaultdict(dict)
    for at, pid, passed_ns, working_ns, waiting in cells:
        in_calls_ns = working_ns + sum(waiting.values())
        bins[at][pid] = ThreadTimes(
            user_ns=max(passed_ns - in_calls_ns, 0),
            working_ns=working_ns,
            waiting={Wait(*each): ns for each, ns in waiting.items()},
        )
    return dict(bins)
