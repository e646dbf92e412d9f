"""Tests of the other tabs."""

from functools import partial

from .case import BrowserTestCase
from .chromium import SPACE
from .server import line, session


class TabTests(BrowserTestCase):
    """The tabs of the dashboard."""

    def setUp(self) -> None:
        """Open a dashboard."""
        super().setUp()
        self.server = self.serve(session(2), "--per-pid")
        self.open(self.server.url)
        self.browser.until(lambda: self.browser.all("tbody tr"))

    def test_by_number(self) -> None:
        """Each tab opens by its number and has content."""
        for key, selector in (
            ("2", "#objects-filter"),
            ("3", "#now-filter"),
            ("4", "#threads-filter"),
            ("5", "#slowest-filter"),
            ("6", ".log li"),
            ("7", ".files tbody tr"),
            ("8", ".processes tbody tr"),
            ("9", ".categories tbody tr"),
            ("0", ".endpoints li"),
            ("1", ".calls tbody tr"),
        ):
            self.browser.press(key)
            self.browser.until(partial(self.browser.all, selector))
        self.assertEqual("true", self.browser.one("#tab-calls").get_attribute("aria-selected"))

    def test_log(self) -> None:
        """The log filters by name, process and failure."""
        self.browser.press("6")
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
        """The paths can be filtered, down to none."""
        self.browser.press("7")
        self.browser.until(lambda: len(self.browser.all(".files tbody tr")) == 2)
        self.browser.press("/")
        self.browser.press("hosts")
        self.browser.until(lambda: len(self.browser.all(".files tbody tr")) == 1)
        self.browser.press("x")
        self.browser.until_text("#panel .empty", "No matching paths")

    def test_one_time_zone(self) -> None:
        """The log and the charts use the browser's time zone."""
        self.addCleanup(self.browser.set_timezone, "")
        self.browser.set_timezone("Asia/Tokyo")
        self.open(self.server.url)
        self.browser.press("6")
        self.browser.until(lambda: self.browser.all(".log li"))

        self.assertEqual("07:13:20.000000", self.browser.texts(".log li span:first-child")[0])
        self.browser.press("1")
        self.browser.press(SPACE)
        self.browser.until_text("#frozen", "Paused at 07:13:2")

    def test_log_in_sight(self) -> None:
        """The newest call of an opened log is visible."""
        self.browser.resize(1280, 720)
        self.browser.press("6")
        self.browser.until(lambda: self.browser.all(".log li"))
        bottom = (
            "return document.querySelector('.log').getBoundingClientRect().bottom - innerHeight"
        )
        self.assertLessEqual(self.browser.run(bottom), 1)

    def test_pause(self) -> None:
        """A paused log stays unchanged while the counts increase."""
        self.browser.press("6")
        self.browser.until(lambda: self.browser.all(".log li"))
        self.browser.press(SPACE)
        self.server.write([line(4, "getpid() = 41"), line(6, "getppid() = 1")])
        self.browser.until_text("#cards .card-unique b", "7")
        self.assertNotIn("getpid", self.browser.text(".log"))
        self.browser.press(SPACE)
        self.browser.until_text(".log", "getppid")

    def test_copy(self) -> None:
        """The copied log is in strace's format and can be read again."""
        self.browser.press("6")
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
            '41 1700000000.000000 openat(AT_FDCWD, "/opt/lib/x.so", O_RDONLY) = -1 ENOENT'
            " <0.000010000>",
            lines[0],
        )
        again = self.serve(lines[:-1])
        self.open(again.url)
        self.browser.until_text("#cards .card-calls b", "40")
        self.browser.until_text("#cards .card-errors b", "100")

    def test_follow(self) -> None:
        """The log stays at its end until the user scrolls up."""
        self.browser.press("6")
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
        """The table can show one process."""
        self.browser.one("option[value='42']")
        self.browser.run("document.querySelector('select').value = '42'")
        self.browser.run("document.querySelector('select').dispatchEvent(new Event('change'))")
        self.browser.until(lambda: self.browser.texts("tbody th") == ["epoll_wait"])

    def test_process_of_another_trace(self) -> None:
        """A process chosen in another trace hides nothing, and is no trouble."""
        self.expected_message = "404"
        choice = '{"pid": 12345}'
        self.browser.run("sessionStorage.setItem('syswatch.view', arguments[0])", choice)
        self.browser.driver.refresh()
        self.browser.until(lambda: len(self.browser.all(".calls tbody tr")) > 1)
        self.assertEqual("0", self.browser.run("return document.querySelector('select').value"))
        self.assertNotIn("process=", self.browser.driver.current_url)
        self.assertFalse(self.browser.all("body.lost"))

    def test_categories(self) -> None:
        """Each category has its calls, errors and time."""
        self.browser.press("9")
        self.browser.until_text("#cards .card-calls b", "163")
        self.browser.until(lambda: self.browser.all(".categories tbody tr"))
        shown = self.browser.texts(".categories tbody td:nth-child(1)")
        self.assertEqual(["I/O", "FS", "PROC"], shown)
        self.assertEqual(
            ["FS", "1", "80", "49.1\u202f%", "", "40", "50\u202f%"],
            self.browser.texts(".categories tbody tr:nth-child(2) td")[:7],
        )

    def test_try_an_endpoint(self) -> None:
        """The response of an endpoint can be shown."""
        self.browser.press("0")
        self.browser.until(lambda: self.browser.all(".endpoints button"))
        self.browser.click(".endpoints li:has(a[href$='/api/status']) button")
        self.browser.until_text(".output:not([hidden])", '"Total"')
