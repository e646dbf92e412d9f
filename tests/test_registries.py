"""Tests that the documentation names everything that is in a registry."""

from pathlib import Path
from unittest import SkipTest

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.catalog import Category
from syswatch.model.ledger import Ledger
from syswatch.views.alerts import RULES
from syswatch.views.formats import FORMATS

_ROOT = Path(__file__).parents[1]


class DocumentationTests(SynchronousTestCase):
    """Additions to a registry are additions to the documentation."""

    def setUp(self) -> None:
        """Read the documentation, which only a checkout has."""
        pages = [*(_ROOT / "docs").rglob("*.rst"), *(_ROOT / "docs").rglob("*.md")]
        if not pages:
            raise SkipTest("there is no documentation beside the tests")
        self.docs = "\n".join(page.read_text("utf-8") for page in pages)

    def assert_named(self, *names: str) -> None:
        """Check that each name is in the documentation, as literal text."""
        missing = [name for name in names if f"`{name}`" not in self.docs]
        self.assertEqual([], missing, "not in docs/")

    def test_formats(self) -> None:
        """Every output format is documented."""
        for name in FORMATS:
            self.assertRegex(self.docs, rf"--format[^\n]*\b{name}\b")

    def test_alerts(self) -> None:
        """Every kind of alert is documented."""
        self.assert_named(*(rule.kind for rule in RULES))

    def test_categories(self) -> None:
        """Every category is documented."""
        self.assert_named(*Category)

    def test_ledger(self) -> None:
        """Every entry of the ledger is documented."""
        entries = (field.name for field in Ledger.__attrs_attrs__)
        self.assert_named(*("".join(map(str.capitalize, name.split("_"))) for name in entries))
