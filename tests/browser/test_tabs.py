"""Tests of the other tabs."""

from functools import partial

from .case import BrowserTestCase
from .chromium import SPACE
from .watched import line, session


class TabTests(BrowserTestCase):
    """The other tabs."""

    def setUp(self) -> None:
        """Open a dashboard."""
        super().setUp()
        self.server = self.serve(session(2), "--per-pid")
        self.open(self.server.url)
        self.browser.until(lambda: self.browser.all("tbody tr"))

    def test_by_number(self) -> None:
        """Each tab opens by its number and has something to show."""
        for key, selector in (
            ("2", ".log li"),
            ("3", ".files tbody tr"),
            ("4", ".processes tbody tr"),
            ("5", ".endpoints li"),
            ("6", ".ledger tbody tr"),
            ("1", ".calls tbody tr"),
        ):
            self.browser.press(key)
            self.browser.until(partial(self.browser.all, selector))
        self.assertEqual("true", self.browser.one("#tab-calls").get_attribute("aria-selected"))

    def test_log(self) -> None:
        """The log filters by name, by process and by failure, and holds still when paused."""
        self.browser.press("2")
        shown = ".log li:not([hidden])"
        self.browser.until(lambda: self.browser.all(shown))
        self.browser.press("/")
        self.browser.press("/etc/hosts")
        self.assertTrue(all("/etc/hosts" in text for text in self.browser.texts(shown)))
        self.browser.run("document.querySelector('#log-filter').value = ''")
        self.browser.click_titled("#tools button", "errors only")
        self.assertTrue(all("ENOENT" in text for text in self.browser.texts(shown)))
        self.browser.click_titled("#tools button", "errors only")
        self.browser.one("#log-pid").send_keys("42")
        self.assertTrue(all("epoll_wait" in text for text in self.browser.texts(shown)))

    def test_pause(self) -> None:
        """A paused log stays as it is while the counts go on."""
        self.browser.press("2")
        self.browser.until(lambda: self.browser.all(".log li"))
        self.browser.press(SPACE)
        self.server.write([line(4, "getpid() = 41"), line(6, "getppid() = 1")])
        self.browser.until_text("#cards .card-unique b", "7")
        self.assertNotIn("getpid", self.browser.text(".log"))
        self.browser.press(SPACE)
        self.browser.until_text(".log", "getppid")

    def test_process(self) -> None:
        """The table can be that of one process."""
        self.browser.one("option[value='42']")
        self.browser.run("document.querySelector('select').value = '42'")
        self.browser.run("document.querySelector('select').dispatchEvent(new Event('change'))")
        self.browser.until(lambda: self.browser.texts("tbody th") == ["epoll_wait"])

    def test_try_an_endpoint(self) -> None:
        """What an endpoint answers can be seen at once."""
        self.browser.press("5")
        self.browser.until(lambda: self.browser.all(".endpoints button"))
        self.browser.click(".endpoints li:has(a[href$='/api/status']) button")
        self.browser.until_text(".output:not([hidden])", '"Total"')
