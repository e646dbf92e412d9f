"""Tests of the page of `syswatch diff`, opened from a file."""

from pathlib import Path

from syswatch.comparison.formats import Presentation, written
from tests.comparison.formats.made import COMPARISON

from .case import BrowserTestCase

_WIDER = "return document.documentElement.scrollWidth > document.documentElement.clientWidth"


class DiffPageTests(BrowserTestCase):
    """The page with both sides."""

    def setUp(self) -> None:
        """Write a page and open it."""
        super().setUp()
        page = Path(self.mktemp()).absolute()
        page = page.with_suffix(".html")
        page.write_text(written(COMPARISON, "html", Presentation()), "utf-8")
        self.open(page.as_uri())
        self.origin = page.as_uri()

    def test_complete(self) -> None:
        """The answer comes first, and both sides are drawn, in both themes."""
        self.assertIn("+412 read of /srv/", self.browser.text("h1"))
        self.assertEqual(1, len(self.browser.all("path.before")))
        self.assertEqual(1, len(self.browser.all("path.after")))
        dark = self.browser.background_colour()
        self.browser.emulate_media(color_scheme="light")
        self.assertNotEqual(dark, self.browser.background_colour())

    def test_sorting(self) -> None:
        """The tables are in the order of importance, and sort by exact values."""
        names = ".sides tbody td:first-child"
        self.assertEqual(["read", "write"], self.browser.texts(names))
        self.browser.click_titled(".sides th button", "Count")
        self.browser.click_titled(".sides th button", "Count")
        self.assertEqual(["write", "read"], self.browser.texts(names))

    def test_phone(self) -> None:
        """On a phone, only the tables scroll sideways."""
        self.browser.resize(390, 844)
        self.assertFalse(self.browser.run(_WIDER))
