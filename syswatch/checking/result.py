"""The result of a check: a finding for each entry of the budget."""

import enum
from collections.abc import Sequence

from syswatch.base.classes import frozen

from .budget import Budget, Entry


class Verdict(enum.Enum):
    """Whether a run is within an entry of a budget, in the order in which findings are shown."""

    EXCEEDED = "exceeded"
    # Within, as far as is known, but what is missing could have exceeded it.
    UNDECIDED = "undecided"
    WITHIN = "within"


@frozen
class Share:
    """How much of a figure belongs to one call, object or process."""

    name: str
    amount: str


@frozen
class Offenders:
    """What has the largest shares of a figure, under a title such as `processes`."""

    title: str
    shares: tuple[Share, ...]
    # How many more there are.
    more: int = 0


@frozen
class Finding:
    """What was found about one entry."""

    entry: Entry
    verdict: Verdict
    sentence: str
    # As texts: what was used, and what is allowed.
    used: str = ""
    allowed: str = ""
    # As numbers, where there are any.
    value: int | None = None
    limit: int | None = None
    offenders: tuple[Offenders, ...] = ()

    @property
    def load(self) -> float:
        """The share of the limit that was used."""
        if self.value is None or self.limit is None:
            return float(self.verdict is Verdict.EXCEEDED)
        if not self.limit:
            # Whatever is used is too much.
            return float(self.value) * 1e9
        return self.value / self.limit


@frozen
class Command:
    """How a command ended that was started for the check."""

    line: str
    exit_code: int | None = None
    # Empty if it was not killed.
    signal: str = ""

    @property
    def failure(self) -> str:
        """How it failed, in words; empty if it succeeded."""
        if self.signal:
            return f"it was killed by {self.signal}"
        return f"it exited with {self.exit_code}" if self.exit_code else ""


WITHIN_STATUS = 0
EXCEEDED_STATUS = 1
FAILED_STATUS = 3


@frozen
class Result:
    """All findings about a run, the most important first."""

    budget: Budget
    run: str
    findings: Sequence[Finding]
    notes: Sequence[str] = ()
    command: Command | None = None

    @property
    def exceeded(self) -> list[Finding]:
        """The findings on entries that were exceeded."""
        return [each for each in self.findings if each.verdict is Verdict.EXCEEDED]

    @property
    def undecided(self) -> list[Finding]:
        """The findings on entries that may have been exceeded."""
        return [each for each in self.findings if each.verdict is Verdict.UNDECIDED]

    @property
    def failures(self) -> list[Finding]:
        """The findings that make the check fail."""
        return self.exceeded + (self.undecided if self.budget.inexact_fails else [])

    @property
    def command_failure(self) -> str:
        """How the command failed, in words, or an empty text."""
        return self.command.failure if self.command else ""

    @property
    def status(self) -> int:
        """The exit status."""
        if self.failures:
            return EXCEEDED_STATUS
        return FAILED_STATUS if self.command_failure else WITHIN_STATUS


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Sort findings: by verdict, then by how near the limit is, then by name."""
    places = {verdict: place for place, verdict in enumerate(Verdict)}
    return tuple(
        sorted(findings, key=lambda each: (places[each.verdict], -each.load, each.entry.place.text))
    )
