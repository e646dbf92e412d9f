"""The ledger: counts of everything that makes numbers less than exact."""

import enum
from collections.abc import Mapping

import attrs

from syswatch.base.classes import frozen

from .merging import add_counters


@frozen
class Ledger:
    """How much was lost, cut, sampled or not understood."""

    lost_events: int = 0
    unparsed_lines: int = 0
    sampled_entries: int = 0
    untracked_paths: int = 0
    untracked_processes: int = 0
    unfollowed_processes: int = 0
    untimed_calls: int = 0
    undated_calls: int = 0
    untracked_objects: int = 0
    estimated_waits: int = 0
    untracked_evidence: int = 0
    unseen_starts: int = 0
    ungrouped_calls: int = 0
    averaged_seconds: int = 0

    def __add__(self, other: "Ledger") -> "Ledger":
        """Add two ledgers."""
        return add_counters(self, other)

    @property
    def clean(self) -> bool:
        """Return whether all entries are 0."""
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

    # It is missing from some numbers that should include it.
    LOST = enum.auto()
    # It was counted, but lacks a value that some numbers need.
    NOTED = enum.auto()
    # It concerns which calls the log shows; no number depends on that.
    SAMPLED = enum.auto()


@frozen
class Explanation:
    """What an entry means, in singular and plural."""

    weight: Weight
    one: str
    several: str


ENTRIES: Mapping[str, Explanation] = {
    "lost_events": Explanation(
        Weight.LOST,
        "system call that could not be counted",
        "system calls that could not be counted",
    ),
    "unparsed_lines": Explanation(
        Weight.LOST,
        "log line that is not a known strace record",
        "log lines that are not known strace records",
    ),
    "sampled_entries": Explanation(
        Weight.SAMPLED,
        "call counted but not kept in the log",
        "calls counted but not kept in the log",
    ),
    "untracked_paths": Explanation(
        Weight.LOST,
        "opened path not kept in the table of paths",
        "opened paths not kept in the table of paths",
    ),
    "untracked_processes": Explanation(
        Weight.LOST,
        "process counted but not kept in the table of processes",
        "processes counted but not kept in the table of processes",
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
        "call without a timestamp, which counts in no history or rate",
        "calls without a timestamp, which count in no history or rate",
    ),
    "untracked_objects": Explanation(
        Weight.NOTED,
        "time that an object was counted together with others of its kind",
        "times that an object was counted together with others of its kind",
    ),
    "estimated_waits": Explanation(
        Weight.NOTED,
        "call whose waiting time is an estimate",
        "calls whose waiting times are estimates",
    ),
    "untracked_evidence": Explanation(
        Weight.NOTED,
        "time that a row of the profile was added to one without its program or its arguments",
        "times that a row of the profile was added to one without its program or its arguments",
    ),
    "unseen_starts": Explanation(
        Weight.NOTED,
        "process that was running before it was traced, so the profile lacks its start",
        "processes that were running before they were traced, so the profile lacks their start",
    ),
    "ungrouped_calls": Explanation(
        Weight.NOTED,
        "call of a group beyond the limit, which is counted among other groups",
        "calls of groups beyond the limit, which are counted among other groups",
    ),
    "averaged_seconds": Explanation(
        Weight.NOTED,
        "second whose times of threads are known only as an average over several",
        "seconds whose times of threads are known only as averages over several",
    ),
}


@frozen
class Reading:
    """
    How much of a log has been read, and the lines by kind.

    Every line is one of: a whole record, a half of one (unfinished or resumed), a note (signal,
    exit, stack, table, strace's own messages), or unparsed, which is in the ledger.
    """

    bytes: int = 0
    lines: int = 0
    records: int = 0
    halves: int = 0
    notes: int = 0

    def __add__(self, other: "Reading") -> "Reading":
        """Add two readings."""
        return add_counters(self, other)
