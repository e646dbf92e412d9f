"""Tests of the tab of groups of processes."""

from .case import BrowserTestCase
from .server import SyswatchServer, session


class GroupTests(BrowserTestCase):
    """A made-up trace with some groups, and a log without."""

    def test_tab(self) -> None:
        """The table has all groups, and can be filtered."""
        server = self.stop_later(SyswatchServer.made(grouped=True))
        self.open(f"{server.url}?tab=groups")
        self.browser.until_text("#panel .verdict", "web (container) made")
        names = "#panel .groups tbody tr th"
        expected = ["web", "shop/db-0/postgres", "ssh.service", "other groups"]
        self.browser.until(lambda: self.browser.texts(names) == expected)
        self.browser.press("/")
        for letter in "team=shop":
            self.browser.press(letter)
        self.browser.until(lambda: self.browser.texts(names) == ["web"])

    def test_hidden(self) -> None:
        """Without groups, the tab is hidden."""
        server = self.serve(session(1))
        self.open(server.url)
        self.browser.until(lambda: self.browser.all("#tab-ledger"))
        self.assertEqual([], self.browser.all("#tab-groups:not([hidden])"))
