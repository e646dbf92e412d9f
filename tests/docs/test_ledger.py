"""Tests of the page about the ledger."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.ledger import Ledger
from tests.docs.pages import page


class LedgerTests(SynchronousTestCase):
    """The entries of the ledger that docs/stats.rst describes."""

    def test_entries(self) -> None:
        """The page explains every entry."""
        names = ["".join(map(str.capitalize, each.split("_"))) for each in attrs.asdict(Ledger())]

        self.assertEqual([], [name for name in names if f"* - `{name}`" not in page("stats")])
