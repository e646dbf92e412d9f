"""A test that looks at pages, and finds fault with whatever no page may do."""

import atexit
from collections.abc import Sequence
from functools import cache

from twisted.trial.unittest import SynchronousTestCase

from .chromium import Browser, missing
from .watched import Watched


@cache
def _browser() -> Browser:
    browser = Browser()
    atexit.register(browser.close)
    return browser


class BrowserTestCase(SynchronousTestCase):
    """All tests share a browser, which takes a second to start; each has its own servers."""

    skip = missing()

    def setUp(self) -> None:
        """Be a screen at night."""
        self.browser = _browser()
        self.browser.resize(1440, 900)
        self.browser.prefer(color_scheme="dark")
        self.expected_complaint = "nothing is expected"
        self.origin = ""

    def tearDown(self) -> None:
        """Hold that the console is silent, also about the policy, and nobody else was asked."""
        complaints = [
            each for each in self.browser.complaints() if self.expected_complaint not in each
        ]
        elsewhere = [
            url
            for url in self.browser.requests()
            if not url.startswith((self.origin, "about:", "data:"))
        ]
        self.assertEqual([], complaints)
        self.assertEqual([], elsewhere)

    def serve(self, lines: Sequence[str], *options: str) -> Watched:
        """Serve a log."""
        return self.watch(Watched.log(lines, *options))

    def watch(self, watched: Watched) -> Watched:
        """End a server when the test ends."""
        self.addCleanup(watched.stop)
        return watched

    def open(self, url: str) -> None:
        """Open a page; all it may ask is the server it came from."""
        self.origin = "/".join(url.split("/")[:3])
        # A page that goes on asking would complain of the server that the test ends.
        self.addCleanup(self.browser.driver.get, "about:blank")
        self.browser.open(url)
