"""The ledger: everything that makes a number less than exact, counted."""

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
        """Say whether nothing at all is inexact."""
        return not any(attrs.astuple(self))

    @property
    def what_is_inexact(self) -> "Ledger":
        """Return it without what makes no number inexact: which calls the log shows."""
        return attrs.evolve(self, sampled_entries=0)

    @property
    def numbers_are_exact(self) -> bool:
        """Say whether every number is."""
        return self.what_is_inexact.clean


CLEAN = Ledger()
# What one of each is, and what several are.
EXPLANATIONS = {
    "lost_events": (
        "system call that was seen but could not be counted",
        "system calls that were seen but could not be counted",
    ),
    "unparsed_lines": (
        "log line that is no record strace is known to write",
        "log lines that are no record strace is known to write",
    ),
    "sampled_entries": (
        "call that is counted but left out of the log view",
        "calls that are counted but left out of the log view",
    ),
    "untracked_paths": (
        "opened path that did not fit the table of paths",
        "opened paths that did not fit the table of paths",
    ),
    "untracked_processes": (
        "process whose calls are counted but that did not fit the table of processes",
        "processes whose calls are counted but that did not fit the table of processes",
    ),
    "unfollowed_processes": (
        "process that could not be followed",
        "processes that could not be followed",
    ),
    "untimed_calls": ("call counted without a duration", "calls counted without a duration"),
    "undated_calls": (
        "call counted without a time of day, so in no window or rate",
        "calls counted without a time of day, so in no window or rate",
    ),
}
