"""Tests of the ledger."""

import attrs
from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.ledger import CLEAN, ENTRIES, Ledger, Weight
from tests.strategies import ledgers


class LedgerTests(SynchronousTestCase):
    """Events that make numbers inexact."""

    @given(ledgers, ledgers)
    def test_sums(self, one: Ledger, other: Ledger) -> None:
        """Every entry is summed, and nothing else."""
        total = attrs.asdict(one + other)

        for name, number in total.items():
            self.assertEqual(getattr(one, name) + getattr(other, name), number, name)

    def test_clean(self) -> None:
        """A ledger is clean if and only if all entries are zero."""
        self.assertTrue(CLEAN.clean)
        for field in attrs.fields(Ledger):
            self.assertFalse(Ledger(**{field.name: 1}).clean, field.name)

    def test_only_losses(self) -> None:
        """Numbers are not exact if and only if something was lost."""
        for name, entry in ENTRIES.items():
            ledger = Ledger(**{name: 3})
            self.assertEqual(entry.weight is not Weight.LOST, ledger.is_lossless, name)
            self.assertEqual(ledger, ledger.only(entry.weight), name)
            others = [ledger.only(weight) for weight in Weight if weight is not entry.weight]
            self.assertEqual([CLEAN, CLEAN], others, name)

    def test_every_entry_is_explained(self) -> None:
        """Each entry has all texts."""
        self.assertEqual([field.name for field in attrs.fields(Ledger)], list(ENTRIES))
