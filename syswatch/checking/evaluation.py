"""Whether a run is within a budget, entry by entry."""

from collections.abc import Iterator, Sequence

from syswatch.base.text import escape_text
from syswatch.comparison.run import Run
from syswatch.model.ledger import Weight
from syswatch.views.status import notes

from .bans import check_ban
from .budget import Ban, Budget, Entry, Maximum, Measure
from .maxima import check_maximum
from .missing import Missing
from .novelties import check_nothing_new
from .observed import Observed
from .result import Command, Finding, Result, in_order


def evaluate(
    budget: Budget,
    observed: Observed,
    baselines: Sequence[Run] = (),
    command: Command | None = None,
) -> Result:
    """Return what was found; `baselines` are those of the budget, in its order."""
    findings = [_check(entry, observed, baselines) for entry in budget.entries]
    run = observed.run
    kept = tuple(_notes(budget, run))
    return Result(budget, escape_text(run.name), in_order(findings), kept, command)


def _notes(budget: Budget, run: Run) -> Iterator[str]:
    """Yield the notes on the run that matter for the budget."""
    limits_time = any(
        isinstance(entry, Maximum) and entry.measure is Measure.WAITING for entry in budget.entries
    )
    # No limit depends on which calls are logged, and few on times.
    ledger = run.ledger
    sampled = notes(ledger.only(Weight.SAMPLED)).values()
    noted = () if limits_time else notes(ledger.only(Weight.NOTED)).values()
    yield from (each for each in run.notes if each not in {*sampled, *noted})


def _check(entry: Entry, observed: Observed, baselines: Sequence[Run]) -> Finding:
    missing = Missing(observed.run)
    if isinstance(entry, Maximum):
        return check_maximum(entry, observed, missing)
    if isinstance(entry, Ban):
        return check_ban(entry, observed, missing)
    return check_nothing_new(entry, observed, missing, baselines)
