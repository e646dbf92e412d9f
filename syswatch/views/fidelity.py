"""How exact the numbers are, in words: the same in every view."""

from collections.abc import Mapping

import attrs

from syswatch.model.ledger import ENTRIES, Ledger, Weight
from syswatch.model.snapshot import Snapshot


def verdict(snapshot: Snapshot) -> str:
    """Return one sentence on all numbers."""
    ledger = snapshot.sums.ledger
    if snapshot.is_exact:
        if ledger.only(Weight.NOTED).clean:
            return "✓ Every number is exact."
        return "✓ No data was lost; what some numbers do not cover is noted below."
    if not snapshot.trouble:
        return "▲ Data was lost: not every number is exact."
    if ledger.is_lossless:
        return "▲ The trace was cut short: the numbers end there."
    return "▲ Data was lost, and the trace was cut short: the numbers end there."


def exactness(*, exact: bool, trouble: str) -> str:
    """Return a word or two on all numbers."""
    if exact:
        return "exact"
    return "cut short" if trouble else "not exact"


def notes(ledger: Ledger) -> Mapping[str, str]:
    """Return a sentence for each entry that is not zero, by the name of the entry."""
    return {
        name: _sentence(number, name) for name, number in attrs.asdict(ledger).items() if number
    }


def notes_of(ledger: Ledger, *weights: Weight) -> list[str]:
    """Return the sentences for the entries of some weights."""
    return [each for weight in weights for each in notes(ledger.only(weight)).values()]


def _sentence(number: int, name: str) -> str:
    entry = ENTRIES[name]
    return f"{number:,} {entry.one if number == 1 else entry.several}"
