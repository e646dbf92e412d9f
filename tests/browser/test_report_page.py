"""Tests of the report, opened from a file."""

from tests.views.app_trace import app_trace
from tests.views.snapshots import snapshot_of

from .case import BrowserTestCase
from .reports import report_file, written_report
from .server import session

# The printable width of A4, which is narrower than Letter.
_PAPER_PX = 703
_CUTTING = """
return [...document.querySelectorAll("main :has(thead)")]
  .filter((each) => getComputedStyle(each).overflow !== "visible").map((each) => each.className);
"""
_MOST_SHEETS = 6
_SLOWEST_ON_PAPER = ["The first 15 of 50 calls; the file has more."]
_VISIBLE_NOTES = """
return [...document.querySelectorAll(".on-paper")]
  .filter((each) => each.checkVisibility()).map((each) => each.textContent);
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
        """At first time counts that was not idle; the table sorts by exact values."""
        names = ".sortable tbody td:first-child a"
        self.assertEqual("read", self.browser.texts(names)[0])
        sorted_by = ".sortable:has(td a) [aria-sort] button"
        self.assertEqual([], self.browser.texts(sorted_by))
        self.browser.click_titled(".sortable:has(td a) th button", "Calls")
        self.assertEqual("openat", self.browser.texts(names)[0])
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


class LongReportTests(BrowserTestCase):
    """The report of a program with many objects and slow calls."""

    def setUp(self) -> None:
        """Write a report on 300 calls and open it."""
        super().setUp()
        snapshot = snapshot_of(app_trace(), done=True)
        self.assertEqual(300, snapshot.total)
        page = report_file(self.mktemp(), snapshot)
        self.open(page.as_uri())
        self.origin = page.as_uri()

    def test_few_sheets(self) -> None:
        """It is printed on at most six sheets, and long tables tell what they leave out."""
        self.assertLessEqual(self.browser.printed_pages(), _MOST_SHEETS)
        self.addCleanup(self.browser.emulate_print, paper=False)
        self.browser.emulate_print()

        self.assertEqual(
            ["The first 15 of 64 objects; the file has more.", *_SLOWEST_ON_PAPER],
            self.browser.run(_VISIBLE_NOTES),
        )

    def test_narrow(self) -> None:
        """On a phone, only tables scroll sideways."""
        self.browser.resize(390, 800)
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 390)
        self.assertTrue(self.browser.one(".verdict").is_displayed())

    def test_sorting_bytes(self) -> None:
        """Objects can be sorted by the bytes read."""
        names = "section:nth-of-type(3) tbody td:first-child"
        self.assertIn("10.0.0.5:5432", self.browser.texts(names)[0])
        self.browser.click_titled("section:nth-of-type(3) th button", "Read")
        self.assertIn("pipe [12345]", self.browser.texts(names)[0])
