"""The ledger: everything that makes a number less than exact, counted."""

import enum
from collections.abc import Mapping

import attrs


@attrs.frozen
class Ledger:
    """What was lost, cut, sampled or not understood."""

    lost_events: int = 0
    unparsed_lines: int = 0
    sampled_entries: int = 0
    untracked_paths: int = 0
    untracked_processes: int = 0
    unfollowed_processes: int = 0
    untimed_calls: int = 0
    undated_calls: int = 0

    def __add__(self, other: "Ledger") -> "Ledger":
        """Sum two ledgers."""
        return Ledger(
            *(
                mine + theirs
                for mine, theirs in zip(attrs.astuple(self), attrs.astuple(other), strict=True)
            )
        )

    @property
    def clean(self) -> bool:
        """Return whether nothing is noted at all."""
        return not any(attrs.astuple(self))

    @property
    def is_lossless(self) -> bool:
        """Return whether nothing was lost."""
        return self.only(Weight.LOST).clean

    def only(self, weight: "Weight") -> "Ledger":
        """Return the entries of one weight; the others are 0."""
        return attrs.evolve(
            self, **{name: 0 for name, entry in ENTRIES.items() if entry.weight is not weight}
        )


CLEAN = Ledger()


class Weight(enum.Enum):
    """What an entry means for the numbers."""

    # Something happened that is in no number, or not in the number where it belongs.
    LOST = enum.auto()
    # All of it was counted, and some numbers were not to be had of it.
    NOTED = enum.auto()
    # Which calls the log shows, on which no number depends.
    SAMPLED = enum.auto()


@attrs.frozen
class Explanation:
    """What an entry means, and the words for one of it and for several."""

    weight: Weight
    one: str
    several: str


ENTRIES: Mapping[str, Explanation] = {
    "lost_events": Explanation(
        Weight.LOST,
        "system call that was seen but could not be counted",
        "system calls that were seen but could not be counted",
    ),
    "unparsed_lines": Explanation(
        Weight.LOST,
        "log line that is no record strace is known to write",
        "log lines that are no record strace is known to write",
    ),
    "sampled_entries": Explanation(
        Weight.SAMPLED,
        "call that is counted but left out of the log view",
        "calls that are counted but left out of the log view",
    ),
    "untracked_paths": Explanation(
        Weight.LOST,
        "opened path that did not fit the table of paths",
        "opened paths that did not fit the table of paths",
    ),
    "untracked_processes": Explanation(
        Weight.LOST,
        "process whose calls are counted but that did not fit the table of processes",
        "processes whose calls are counted but that did not fit the table of processes",
    ),
    "unfollowed_processes": Explanation(
        Weight.LOST,
        "process that could not be followed",
        "processes that could not be followed",
    ),
    "untimed_calls": Explanation(
        Weight.NOTED, "call counted without a duration", "calls counted without a duration"
    ),
    "undated_calls": Explanation(
        Weight.NOTED,
        "call counted without a time of day, so in no window or rate",
        "calls counted without a time of day, so in no window or rate",
    ),
}


@attrs.frozen
class Reading:
    """
    What became of the lines read so far.

    Every line is one of: a whole record, a half of one (unfinished or resumed), a note
    (signal, exit, stack, table, strace's own words), or a line for the ledger.
    """

    bytes: int = 0
    lines: int = 0
    records: int = 0
    halves: int = 0
    notes: int = 0

    def __add__(self, other: "Reading") -> "Reading":
        """Sum two readings."""
        return Reading(
            self.bytes + other.bytes,
            self.lines + other.lines,
            self.records + other.records,
            self.halves + other.halves,
            self.notes + other.notes,
        )
