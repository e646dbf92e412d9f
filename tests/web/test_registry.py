"""Tests that the scripts of the pages agree with the registries."""

import re

from twisted.trial.unittest import SynchronousTestCase

from syswatch.views.columns import COLUMNS, WEB
from syswatch.web.registry import SCRIPT, script


class RegistryScriptTests(SynchronousTestCase):
    """What the scripts know of columns and categories."""

    def test_current(self) -> None:
        """The script is what the registries make of it."""
        self.assertEqual(
            script(), SCRIPT.read_text("utf-8"), "run: python -m syswatch.web.registry"
        )

    def test_drawn(self) -> None:
        """The page knows how to draw each column, and no other."""
        text = SCRIPT.with_name("columns.js").read_text("utf-8")
        drawn = re.findall(r"^  (\w+): ", text.partition("const DRAWN = {")[2], re.MULTILINE)

        self.assertEqual([COLUMNS[key].field for key in WEB], drawn)

    def test_no_copies(self) -> None:
        """No script repeats the threshold from which calls are shown as failing."""
        for file in SCRIPT.parent.glob("*.js"):
            self.assertNotRegex(file.read_text("utf-8"), r"(failed|errorShare\(\w+\)) >=? ?0", file)
