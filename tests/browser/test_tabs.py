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
            ("5", ".categories tbody tr"),
            ("6", ".endpoints li"),
            ("7", ".ledger tbody tr"),
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
        self.browser.click_titled("#tools button", "Errors only")
        self.assertTrue(all("ENOENT" in text for text in self.browser.texts(shown)))
        self.browser.click_titled("#tools button", "Errors only")
        self.browser.one("#log-pid").send_keys("42")
        self.assertTrue(all("epoll_wait" in text for text in self.browser.texts(shown)))
        self.browser.one("#log-pid").send_keys("0")
        self.browser.until_text("#panel .empty", "No matching calls")

    def test_files_filtered(self) -> None:
        """The paths filter, and where none is left that is said."""
        self.browser.press("3")
        self.browser.until(lambda: len(self.browser.all(".files tbody tr")) == 2)
        self.browser.press("/")
        self.browser.press("hosts")
        self.browser.until(lambda: len(self.browser.all(".files tbody tr")) == 1)
        self.browser.press("x")
        self.browser.until_text("#panel .empty", "No matching paths")

    def test_one_time_zone(self) -> None:
        """The log tells the same time as the charts: that of the reader."""
        self.addCleanup(self.browser.be_in, "")
        self.browser.be_in("Asia/Tokyo")
        self.open(self.server.url)
        self.browser.press("2")
        self.browser.until(lambda: self.browser.all(".log li"))

        self.assertEqual("07:13:20.000000", self.browser.texts(".log li span:first-child")[0])
        self.browser.press("1")
        self.browser.press(SPACE)
        self.browser.until_text("#frozen", "Paused at 07:13:2")

    def test_log_in_sight(self) -> None:
        """To open the log brings its end, where the newest call is, into the window."""
        self.browser.resize(1280, 720)
        self.browser.press("2")
        self.browser.until(lambda: self.browser.all(".log li"))
        bottom = (
            "return document.querySelector('.log').getBoundingClientRect().bottom - innerHeight"
        )
        self.assertLessEqual(self.browser.run(bottom), 1)

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

    def test_copy(self) -> None:
        """What is shown of the log is copied as strace would write it, and can be read again."""
        self.browser.press("2")
        self.browser.until(lambda: len(self.browser.all(".log li")) == len(session(2)))
        self.browser.run(
            "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
        )
        self.browser.click_titled("#tools button", "Errors only")
        self.browser.click_titled("#tools button", "Copy as strace log")
        lines = str(self.browser.until(lambda: self.browser.run("return window.copied"))).split(
            "\n"
        )
        self.assertEqual(40, len(lines[:-1]))
        self.assertEqual(
            '41 1700000000.000000 openat(AT_FDCWD, "/opt/lib/x.so", O_RDONLY) = -1 ENOENT', lines[0]
        )
        again = self.serve(lines[:-1])
        self.open(again.url)
        self.browser.until_text("#cards .card-calls b", "40")
        self.browser.until_text("#cards .card-errors b", "100")

    def test_follow(self) -> None:
        """The log stays at its end, until somebody scrolls up in it."""
        self.browser.press("2")
        self.browser.until(lambda: self.browser.all(".log li"))
        following = "#tools button[aria-pressed=true]"
        self.browser.until(lambda: self.browser.texts(following) == ["Follow"])
        self.assertGreater(self.browser.run("return document.querySelector('.log').scrollTop"), 0)
        self.browser.run("document.querySelector('.log').scrollTop = 0")
        self.browser.until(lambda: self.browser.texts(following) == [])
        self.server.write([line(4, "getpid() = 41"), line(6, "getppid() = 1")])
        self.browser.until_text(".log", "getppid")
        self.assertEqual(0, self.browser.run("return document.querySelector('.log').scrollTop"))

    def test_process(self) -> None:
        """The table can be that of one process."""
        self.browser.one("option[value='42']")
        self.browser.run("document.querySelector('select').value = '42'")
        self.browser.run("document.querySelector('select').dispatchEvent(new Event('change'))")
        self.browser.until(lambda: self.browser.texts("tbody th") == ["epoll_wait"])

    def test_process_of_another_trace(self) -> None:
        """What was chosen of one trace hides nothing of the next one that is served there."""
        choice = '{"pid": 12345}'
        self.browser.run("sessionStorage.setItem('syswatch.view', arguments[0])", choice)
        self.browser.driver.refresh()
        self.browser.until(lambda: len(self.browser.all(".calls tbody tr")) > 1)
        self.assertEqual("0", self.browser.run("return document.querySelector('select').value"))

    def test_categories(self) -> None:
        """Each category that was seen has its calls, errors and time."""
        self.browser.press("5")
        self.browser.until_text("#cards .card-calls b", "163")
        shown = self.browser.texts(".categories tbody td:nth-child(1)")
        self.assertEqual(["I/O", "FS", "PROC"], shown)
        self.assertEqual(
            ["FS", "1", "80", "49.1\u202f%", "", "40", "50\u202f%"],
            self.browser.texts(".categories tbody tr:nth-child(2) td")[:7],
        )

    def test_try_an_endpoint(self) -> None:
        """What an endpoint answers can be seen at once."""
        self.browser.press("6")
        self.browser.until(lambda: self.browser.all(".endpoints button"))
        self.browser.click(".endpoints li:has(a[href$='/api/status']) button")
        self.browser.until_text(".output:not([hidden])", '"Total"')
