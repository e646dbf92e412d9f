"""
Comparisons with a run that has not ended, or with a part of one.

Whatever such a run has less of may still come, or is outside of the part.
"""

import attrs

from .change import Change, Comparison
from .importance import findings
from .run import Figure, Kind
from .tabulate import STILL_RUNNING

_PERCENTILES = (Figure.P50, Figure.P95, Figure.P99)


def without_missing(comparison: Comparison, note: str) -> Comparison:
    """Return a comparison without what the runs after lack; a note says so."""
    changes = tuple(filter(_is_certain, comparison.changes))
    evidence = attrs.evolve(comparison.evidence, changes=changes)
    return attrs.evolve(
        comparison,
        changes=changes,
        findings=findings(changes, comparison.examples, evidence),
        notes=(note, *comparison.notes),
    )


def _is_certain(change: Change) -> bool:
    """Return whether the rest of the run cannot undo a change."""
    if change.subject.kind is Kind.ENDING and change.subject.name.endswith(STILL_RUNNING):
        return False
    # Calls that became slower or faster are compared by their typical duration, not by a sum.
    return change.figure in _PERCENTILES or change.difference > 0
