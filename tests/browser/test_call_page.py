"""Tests of the page of one system call."""

from urllib.error import HTTPError
from urllib.request import urlopen

from .case import BrowserTestCase
from .chromium import ESCAPE
from .server import line, session


class CallPageTests(BrowserTestCase):
    """The page of one system call."""

    def test_seen(self) -> None:
        """A call has numbers, a histogram, errnos, recent errors, paths and a reference."""
        self.open(self.serve(session(2)).url + "syscall/openat")
        self.browser.until_text("#cards", "80")

        self.assertEqual("openat", self.browser.text("#name"))
        self.assertEqual("FS", self.browser.text("#category"))
        self.assertTrue(self.browser.all("#latency rect"))
        self.assertIn("P99", self.browser.text("#latency"))
        self.assertIn(
            "the path, or a directory in it, does not exist", self.browser.text("#errnos")
        )
        self.assertIn("/opt/lib/x.so", self.browser.text("#recent"))
        self.assertIn("/etc/hosts", self.browser.text("#paths"))
        self.assertIn("fail, mostly ENOENT", self.browser.text("#alerts"))
        # There is no link to this page itself.
        self.assertFalse(self.browser.one("#alerts a").is_displayed())
        self.assertIn("int openat(", self.browser.text("#reference"))

    def test_keys(self) -> None:
        """A question mark shows the shortcuts of this page; Escape closes them, then the page."""
        url = self.serve(session(1)).url
        self.open(url + "syscall/openat")
        self.browser.until_text("#cards", "40")
        self.browser.press("?")
        self.browser.until_text("#help", "back to all calls")
        self.assertNotIn("null", self.browser.text("#help"))
        self.browser.press(ESCAPE)
        self.browser.until(lambda: not self.browser.one("#help").is_displayed())
        self.browser.press(ESCAPE)
        self.browser.until(lambda: self.browser.driver.current_url == url)

    def test_inexact(self) -> None:
        """The badge shows that numbers are not exact and leads to the ledger."""
        self.open(self.serve([*session(1), "no line of strace"]).url + "syscall/openat")
        self.browser.until_text("#exact", "not exact")
        self.browser.click("#exact")
        self.browser.until_text(".ledger-page", "Unparsed lines")

    def test_paths_of_the_newest(self) -> None:
        """A call that does not open its paths shows those in the log."""
        asked = [line(at, f'access("/etc/{at % 2}", R_OK) = 0') for at in range(3)]
        self.open(self.serve(asked).url + "syscall/access")
        self.browser.until_text("#paths", "/etc/0")
        self.assertIn("recent calls", self.browser.text("#paths-title"))
        self.assertIn("in 3 calls of the log", self.browser.text("#paths-note"))

    def test_live(self) -> None:
        """The numbers are updated."""
        server = self.serve([line(0, "getpid() = 1")])
        self.open(server.url + "syscall/getpid")
        self.browser.until_text("#cards li:first-child", "1calls")
        server.write([line(1, "getpid() = 1")])

        self.browser.until_text("#cards li:first-child", "2calls")

    def test_not_seen(self) -> None:
        """A call that has not been called has a reference, and numbers after its first call."""
        server = self.serve(session(1))
        self.open(server.url + "syscall/fsync")
        self.browser.until_text("#uncalled", "Not called yet")

        self.assertIn("int fsync(", self.browser.text("#reference"))
        self.assertFalse(self.browser.one("#charts").is_displayed())
        server.write([line(2, "fsync(3) = 0")])
        self.browser.until(lambda: self.browser.one("#charts").is_displayed())
        self.browser.until(lambda: self.browser.all("#latency rect"))
        self.assertFalse(self.browser.one("#uncalled").is_displayed())
        self.assertFalse(self.browser.one("#recent-panel").is_displayed())

    def test_unknown(self) -> None:
        """An unknown name gets a page with status 404 and suggestions."""
        url = self.serve(session(1)).url + "syscall/%3Cb%3Eopnat"
        self.expected_message = "404"
        self.open(url)

        self.assertIn("no system call named <b>opnat", self.browser.text("main"))
        self.assertEqual([], self.browser.all(".no-such-call b"))
        self.browser.click("main a[href=openat]")
        self.browser.until_text("#name", "openat")
        with self.assertRaises(HTTPError) as refused:
            urlopen(url)
        self.assertEqual(404, refused.exception.code)
        refused.exception.close()

    def test_unknown_and_seen(self) -> None:
        """A name that Linux lacks gets its page once the trace has it."""
        server = self.serve(session(1))
        self.expected_message = "404"
        self.open(server.url + "syscall/frobnicate")
        self.assertIn("no system call named frobnicate", self.browser.text("main"))
        self.assertFalse(self.browser.one("#cards").is_displayed())
        server.write([line(2, "frobnicate(1) = 0")])

        self.browser.until_text("#cards", "1calls")
        self.assertEqual("frobnicate", self.browser.text("#name"))
        self.assertFalse(self.browser.one(".no-such-call").is_displayed())

    def test_no_name(self) -> None:
        """A URL that cannot name a call gets a page with links that work."""
        url = self.serve(session(1)).url
        self.expected_message = "404"
        for name in ("", "%ff", "openat/"):
            self.open(f"{url}syscall/{name}")
            self.assertIn("Linux has no system call named", self.browser.text("main"), name)
            self.browser.click("main p:last-child a")
            self.browser.until(lambda: self.browser.driver.current_url == url)
