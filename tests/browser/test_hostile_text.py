"""Tests of the pages with a recording in which every text is hostile."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from urllib.parse import quote

from tests.hostile import HOSTILE, forbidden
from tests.system.hostile_sources import SHOWN_OF_RECORDING, recording

from .case import BrowserTestCase
from .server import SyswatchServer

# The pages, and the responses for other programs.
_EVERYTHING = """
const elements = [...document.querySelectorAll("*")];
const attributes = elements.flatMap((each) => [...each.attributes].map((one) => one.value));
return [document.title, document.documentElement.textContent, ...attributes].join("\\n");
"""
_NAME = b"\x1b[31mred"
_SHOWN = HOSTILE[_NAME]


class HostileTextTests(BrowserTestCase):
    """Names, arguments, paths and errors that another program chose."""

    def setUp(self) -> None:
        """Write a recording."""
        super().setUp()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.recording = recording(self.folder / "recording")

    def assert_inert(self, *shown: str) -> None:
        """Check that the page contains nothing raw, and some texts escaped."""
        everything = self.browser.run(_EVERYTHING)
        self.assertEqual(set(), forbidden(everything, but="\n"))
        self.assertEqual([], [each for each in shown if each not in everything])
        # No text has become an element.
        self.assertEqual([], [each for each in self.browser.texts("b") if each.startswith("&\"'")])

    def test_dashboard(self) -> None:
        """No tab of the dashboard contains raw text."""
        server = self.stop_later(
            SyswatchServer("stats", "--serve", ":0", "--debug", "--per-pid", str(self.recording))
        )
        self.open(server.url)
        for key, selector, shown in (
            ("1", ".calls tbody tr", SHOWN_OF_RECORDING),
            ("6", ".log li", SHOWN_OF_RECORDING),
            ("7", ".files tbody tr", SHOWN_OF_RECORDING),
            ("8", ".processes tbody tr", ()),
            ("9", ".categories tbody tr", ()),
            ("0", ".endpoints li", ()),
        ):
            self.browser.press(key)
            self.browser.until(partial(self.browser.all, selector))
            self.assert_inert(*shown)

    def test_call_page(self) -> None:
        """The page of a call with a hostile name contains no raw text."""
        self.expected_message = "404"
        server = self.stop_later(SyswatchServer("stats", "--serve", ":0", str(self.recording)))
        self.open(server.url)
        self.browser.until(lambda: self.browser.all(".calls tbody tr"))
        self.open(f"{server.url}syscall/{quote(_SHOWN)}")
        self.browser.until_text("#name", _SHOWN)
        self.browser.until(lambda: self.browser.all("#recent *"))
        self.assert_inert(_SHOWN)

    def test_report(self) -> None:
        """The report contains no raw text."""
        page = self.folder / "report.html"
        flags = ("--report", page, "--report-top-files", "99")
        subprocess.run(
            [sys.executable, "-m", "syswatch", "stats", *flags, self.recording],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        self.open(page.as_uri())
        self.origin = page.as_uri()
        self.assert_inert(*SHOWN_OF_RECORDING)
