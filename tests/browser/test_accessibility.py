"""Tests of the WCAG rules, with axe."""

import json
from importlib.resources import files
from itertools import product

from tests import made_trace
from tests.views.app_trace import app_trace
from tests.views.snapshots import snapshot_of

from .case import BrowserTestCase
from .chromium import Browser
from .reports import report_file, written_report
from .server import SyswatchServer, session

# Only the script of the package is used.
_AXE = files("selenium_axe_python") / "axe-core" / "axe.min.js"
_RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] })
  .then((found) => done(JSON.stringify(found.violations)));
"""


def faults_of(browser: Browser) -> list[str]:
    """Return the serious violations of the page that a browser shows."""
    browser.run(_AXE.read_text("utf-8"))
    found = json.loads(browser.driver.execute_async_script(_RUN))
    return [
        f"{fault['id']}: {node['target']} {node.get('failureSummary', '')}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


class AccessibilityTests(BrowserTestCase):
    """No page has a serious violation."""

    def faults(self) -> list[str]:
        """Return the serious violations of the page."""
        return faults_of(self.browser)

    def test_dashboard(self) -> None:
        """The dashboard and all of its tabs, in both themes and on a phone."""
        url = self.serve(session(2), "--per-pid").url
        for scheme, width in (("dark", 1440), ("light", 1440), ("light", 360)):
            self.browser.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            self.browser.resize(width, 900)
            self.open(url)
            self.browser.until(lambda: self.browser.all("tbody tr"))
            for key in "2345678901":
                self.browser.press(key)
                self.browser.until(lambda: self.browser.text("#panel") not in ("", "Loading…"))
                self.assertEqual([], self.faults(), f"tab {key}, {scheme}, {width}")

    def test_menus(self) -> None:
        """The lists of columns and of downloads, in both themes and on a phone."""
        url = self.serve(session(1)).url
        for scheme, width in (("dark", 1440), ("light", 360)):
            self.browser.emulate_media(color_scheme=scheme)
            self.browser.resize(width, 900)
            for menu in (".chooser:not(.downloads)", "#downloads"):
                self.open(url)
                self.browser.until(lambda: self.browser.all("tbody tr"))
                self.browser.click(f"{menu} summary")
                self.assertEqual([], self.faults(), f"{menu}, {scheme}, {width}")

    def test_where_the_time_went(self) -> None:
        """The tabs on objects and threads, in both themes and on a phone."""
        url = self.stop_later(SyswatchServer.made()).url
        for scheme, width in (("dark", 1440), ("light", 1440), ("dark", 390)):
            self.browser.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            self.browser.resize(width, 900)
            for tab in ("calls", "objects", "now", "threads", "slowest"):
                self.open(f"{url}?tab={tab}")
                self.browser.until(lambda: self.browser.all("#panel tbody tr"))
                self.assertEqual([], self.faults(), f"{tab}, {scheme}, {width}")
            self.browser.driver.get(f"{url}?tab=objects&object={made_trace.DATABASE.id:013x}")
            self.browser.until_text(".object-page h2", "10.0.0.5:5432")
            self.assertEqual([], self.faults(), f"object, {scheme}, {width}")

    def test_help(self) -> None:
        """The keyboard shortcuts."""
        self.open(self.serve(session(1)).url)
        self.browser.press("?")
        self.browser.until(lambda: self.browser.run("return document.querySelector('#help').open"))

        self.assertEqual([], self.faults())

    def test_call_page(self) -> None:
        """The page of a call, in both themes."""
        url = self.serve(session(2)).url + "syscall/openat"
        for scheme in ("dark", "light"):
            self.browser.emulate_media(color_scheme=scheme)
            self.open(url)
            self.browser.until_text("#cards", "80")
            self.assertEqual([], self.faults(), scheme)

    def test_missing_page(self) -> None:
        """The page of an unknown call, in both themes."""
        self.expected_message = "404"
        url = self.serve(session(1)).url + "syscall/opnat"
        for scheme in ("dark", "light"):
            self.browser.emulate_media(color_scheme=scheme)
            self.open(url)
            self.assertEqual([], self.faults(), scheme)

    def test_report(self) -> None:
        """The report with all details open, in both themes and on a phone."""
        pages = (
            written_report(self.mktemp(), session(3)),
            report_file(self.mktemp(), snapshot_of(app_trace(), done=True)),
        )
        looks = (("dark", 1440), ("light", 1440), ("light", 360))
        for page, (scheme, width) in product(pages, looks):
            self.browser.emulate_media(color_scheme=scheme)
            self.browser.resize(width, 900)
            self.open(page.as_uri())
            self.browser.run(
                "for (const each of document.querySelectorAll('details')) each.open = true"
            )
            self.assertEqual([], self.faults(), f"{scheme}, {width}")
