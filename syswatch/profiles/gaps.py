"""What the evidence of a trace lacks, so that a profile made of it may be too strict or too lax."""

from collections.abc import Iterator

import attrs

from syswatch.model.evidence import Evidence
from syswatch.model.ledger import Ledger, Weight
from syswatch.model.ruled_arguments import ruled_arguments
from syswatch.model.snapshot import Snapshot
from syswatch.views.formatting import plural
from syswatch.views.status import notes_of

from .untraced import WITHOUT_START, begins_with_start, left_out

_MOST_NAMED = 5


def gaps(snapshot: Snapshot) -> tuple[str, ...]:
    """Return a sentence for each reason not to rely on the profile."""
    evidence = snapshot.sums.evidence
    return (
        *_missing(snapshot),
        *_without_values(evidence),
        *_refused(evidence),
        *_cut(snapshot.sums.ledger),
    )


def _missing(snapshot: Snapshot) -> Iterator[str]:
    if snapshot.source.only:
        yield left_out(snapshot.source.only)
    elif snapshot.sums.evidence and not begins_with_start(snapshot.sums.evidence):
        yield WITHOUT_START
    if snapshot.trouble:
        yield f"The trace stopped early ({snapshot.trouble}): later calls are missing."
    for note in notes_of(snapshot.sums.ledger, Weight.LOST):
        yield f"Calls may be missing: {note}."


def _without_values(evidence: Evidence) -> Iterator[str]:
    lacking = {
        key.call: tally.count
        for key, tally in evidence.items()
        if not key.refused and not key.values and ruled_arguments(key.call, key.architecture)
    }
    if lacking:
        yield (
            f"Of {plural(sum(lacking.values()), 'call')}, such as those that were in progress when"
            " tracing began, the arguments are not known, so any are permitted for"
            f" {_listed(sorted(lacking))}."
        )


def _refused(evidence: Evidence) -> Iterator[str]:
    refused = {key.call for key in evidence if key.refused}
    if refused:
        number = sum(tally.count for key, tally in evidence.items() if key.refused)
        yield (
            f"A filter that is in force refused {plural(number, 'call')}, which this profile does"
            f" not permit: {_listed(sorted(refused))}."
        )


def _cut(ledger: Ledger) -> Iterator[str]:
    only = attrs.evolve(Ledger(), untracked_evidence=ledger.untracked_evidence)
    for note in notes_of(only, Weight.NOTED):
        yield f"The profile permits more than was seen: {note}."


def _listed(names: list[str]) -> str:
    rest = len(names) - _MOST_NAMED
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown} and {rest} more" if rest > 0 else shown
