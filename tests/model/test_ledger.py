"""Tests of the ledger."""

import attrs
from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.ledger import CLEAN, EXPLANATIONS, Ledger
from tests.strategies import ledgers


class LedgerTests(SynchronousTestCase):
    """What makes a number less than exact."""

    @given(ledgers, ledgers)
    def test_sums(self, one: Ledger, other: Ledger) -> None:
        """Every entry is summed, and nothing else."""
        total = attrs.asdict(one + other)

        for name, number in total.items():
            self.assertEqual(getattr(one, name) + getattr(other, name), number, name)

    def test_clean(self) -> None:
        """A ledger is clean if all is zero, and only then."""
        self.assertTrue(CLEAN.clean)
        for field in attrs.fields(Ledger):
            self.assertFalse(Ledger(**{field.name: 1}).clean, field.name)

    def test_every_entry_is_explained(self) -> None:
        """Each entry has words for people."""
        self.assertEqual([field.name for field in attrs.fields(Ledger)], list(EXPLANATIONS))
