"""The base class of browser tests, which fails for anything that no page may do."""

import atexit
from collections.abc import Sequence
from functools import cache

from twisted.trial.unittest import SynchronousTestCase

from .chromium import Browser, missing
from .server import SyswatchServer


@cache
def _browser() -> Browser:
    browser = Browser()
    atexit.register(browser.close)
    return browser


class BrowserTestCase(SynchronousTestCase):
    """All tests share a browser, which takes a second to start; each test has its own servers."""

    skip = missing()

    def setUp(self) -> None:
        """Set the usual size and the dark colour scheme."""
        self.browser = _browser()
        self.browser.resize(1440, 900)
        self.browser.emulate_media(color_scheme="dark")
        self.expected_message = "nothing is expected"
        self.origin = ""

    def tearDown(self) -> None:
        """Check that the console is empty and that only the test's server got requests."""
        console_messages = [
            each for each in self.browser.console_messages() if self.expected_message not in each
        ]
        elsewhere = [
            url
            for url in self.browser.requests()
            if not url.startswith((self.origin, "about:", "data:"))
        ]
        self.assertEqual([], console_messages)
        self.assertEqual([], elsewhere)

    def serve(self, lines: Sequence[str], *options: str) -> SyswatchServer:
        """Serve a log."""
        return self.stop_later(SyswatchServer.log(lines, *options))

    def stop_later(self, server: SyswatchServer) -> SyswatchServer:
        """Stop a server after the test."""
        self.addCleanup(server.stop)
        return server

    def open(self, url: str) -> None:
        """Open a page, which may send requests only to its own server."""
        self.origin = "/".join(url.split("/")[:3])
        self.addCleanup(self.browser.leave)
        self.browser.open(url)
