"""Tests of the report, opened from a file."""

from .case import BrowserTestCase
from .reports import written_report
from .server import session

# The printable width of A4, which is narrower than Letter.
_PAPER_PX = 703
_CUTTING = """
return [...document.querySelectorAll("main :has(thead)")]
  .filter((each) => getComputedStyle(each).overflow !== "visible").map((each) => each.className);
"""
# Chromium does not repeat headings that are boxes of their own.
_BUTTONS = """
return [...document.querySelectorAll("th button")].map((each) => getComputedStyle(each).display);
"""


class ReportPageTests(BrowserTestCase):
    """The report as it is sent to others."""

    def setUp(self) -> None:
        """Write a report and open it."""
        super().setUp()
        page = written_report(self.mktemp(), session(3))
        self.open(page.as_uri())
        self.origin = page.as_uri()

    def test_complete(self) -> None:
        """All sections exist, with charts, in both themes."""
        self.assertTrue(self.browser.all(".timeline path"))
        self.assertIn("/etc/hosts", self.browser.text("main"))
        dark = self.browser.background_colour()
        self.browser.emulate_media(color_scheme="light")
        self.assertNotEqual(dark, self.browser.background_colour())

    def test_sorting(self) -> None:
        """The table sorts by exact values."""
        names = ".sortable tbody td:first-child"
        self.assertEqual("openat", self.browser.texts(names)[0])
        sorted_by = "[aria-sort=descending] button"
        self.assertEqual("Calls", self.browser.texts(sorted_by)[0])
        self.browser.click_titled(".sortable th button", "Total")
        self.assertEqual("epoll_wait", self.browser.texts(names)[0])

    def test_printing(self) -> None:
        """In print, repeated headings and tables are not cut off."""
        self.addCleanup(self.browser.emulate_print, paper=False)
        self.browser.emulate_print()
        self.browser.resize(_PAPER_PX, 1000)

        self.assertEqual([], self.browser.run(_CUTTING))
        self.assertEqual({"contents"}, set(self.browser.run(_BUTTONS)))
        self.assertLessEqual(
            self.browser.run("return document.documentElement.scrollWidth"), _PAPER_PX
        )

    def test_link_to_a_call(self) -> None:
        """A call in the table leads to its details, which open."""
        self.browser.click(".sortable a[href='#call-read']")
        self.browser.until(
            lambda: self.browser.run("return document.querySelector('#call-read').open")
        )
