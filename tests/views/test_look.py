"""Tests of the shared style sheet."""

import re

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.catalog import Category
from syswatch.views.alerts import Severity
from syswatch.views.look import look


class LookTests(SynchronousTestCase):
    """The style sheet that pages and report share."""

    def test_categories(self) -> None:
        """Every category has a rule with its colours."""
        rules = dict(re.findall(r"^\.(\w+) \{ --c: (light-dark\(.+\)); \}$", look(), re.MULTILINE))

        self.assertEqual([category.css_class for category in Category], list(rules))
        self.assertEqual("light-dark(#0072b2, #3d8fd1)", rules["proc"])

    def test_severities(self) -> None:
        """Every severity has a rule, and the style sheet defines its colour."""
        for severity in Severity:
            self.assertIn(
                f".{severity.label} :is(.sign, .word) {{ color: var(--{severity.style}); }}", look()
            )
            self.assertIn(f"--{severity.style}: light-dark(", look())
