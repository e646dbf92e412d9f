"""How exact the numbers are, in words: the same in every view."""

from collections.abc import Mapping

import attrs

from syswatch.model.ledger import ENTRIES, Ledger, Weight
from syswatch.model.snapshot import Snapshot


def verdict(snapshot: Snapshot) -> str:
    """Return one sentence on all numbers."""
    ledger = snapshot.sums.ledger
    if not ledger.numbers_are_exact:
        words = "▲ Data was lost: not every number is exact"
    elif not ledger.only(Weight.NOTED).clean:
        words = "✓ No data was lost; what some numbers do not cover is noted below"
    else:
        words = "✓ Every number is exact"
    limit = ", and they all end where the trace was cut short" if snapshot.trouble else ""
    return f"{words}{limit}."


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
