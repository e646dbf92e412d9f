"""Tests of the table of calls, and of the charts that select a range."""

from .case import BrowserTestCase
from .chromium import END, ENTER, ESCAPE, SPACE
from .server import line, session


class TableTests(BrowserTestCase):
    """The table of calls."""

    def setUp(self) -> None:
        """Open a dashboard and wait until the log has been read."""
        super().setUp()
        self.server = self.serve(session(3))
        self.open(self.server.url)
        self.browser.until(lambda: len(self.names()) == 5)

    def names(self) -> list[str]:
        """Return the names of the calls in order."""
        return self.browser.texts("tbody th")

    def first_line(self) -> str:
        """Return the points of the first row's sparkline."""
        return str(self.browser.one("tbody .spark-line").get_attribute("points"))

    def test_live(self) -> None:
        """New calls appear without reloading the page."""
        self.server.write([line(4, "getpid() = 41"), line(5.5, "getppid() = 1")])

        self.browser.until(lambda: "getppid" in self.names())

    def test_header(self) -> None:
        """The header has the process, its command line and the backend."""
        self.assertEqual("prog", self.browser.text("#comm"))
        self.assertEqual("PID 41", self.browser.text("#pid"))
        self.assertEqual("prog -v", self.browser.text("#cmdline"))
        self.assertEqual("strace log", self.browser.text("#backend"))
        self.assertIn("exact", self.browser.text("#exact"))

    def test_sorting(self) -> None:
        """At first time counts that was not idle; a click on a heading sorts, a second reverses."""
        self.assertEqual("read", self.names()[0])
        self.browser.click_titled(".sort", "Calls")
        self.browser.until(lambda: self.names()[0] == "openat")
        self.browser.click_titled(".sort", "Total")
        self.browser.until(lambda: self.names()[0] == "epoll_wait")
        self.browser.click_titled(".sort", "Call")
        self.browser.until(lambda: self.names() == sorted(self.names()))
        self.browser.click_titled(".sort", "Call")
        self.browser.until(lambda: self.names() == sorted(self.names(), reverse=True))
        self.assertEqual(1, len(self.browser.all("[aria-sort=descending]")))

    def titles(self) -> list[str]:
        """Return the headings of the columns."""
        return [title.split(" ▾")[0] for title in self.browser.texts(".sort")]

    def test_choose_columns(self) -> None:
        """Columns can be chosen, also by keyboard, and the choice is kept."""
        usual = self.titles()
        self.assertNotIn("Min", usual)
        self.browser.run("document.querySelector('.chooser:not(.downloads) summary').focus()")
        self.browser.press(SPACE)
        self.assertTrue(self.browser.one(".chooser:not(.downloads) [role=group]").is_displayed())
        self.assertFalse(self.browser.one("#frozen").is_displayed())
        self.browser.click_titled(".chooser label", "Min")
        self.browser.click_titled(".chooser label", "Time")
        self.browser.press(ESCAPE)
        self.browser.until(
            lambda: not self.browser.one(".chooser:not(.downloads) [role=group]").is_displayed()
        )
        wanted = [title for title in [*usual[:5], "Min", *usual[5:]] if title != "Time"]
        self.assertEqual(wanted, self.titles())
        self.browser.until(lambda: len(self.browser.all("tbody tr:first-child td")) == 12)

        self.open(self.server.url)
        self.browser.until(lambda: self.titles() == wanted)
        minimum = wanted.index("Min")
        self.browser.until(
            lambda: self.browser.texts("tbody tr:first-child td")[minimum - 1].endswith("s")
        )

    def test_every_column_sorts(self) -> None:
        """Every column sorts, numbers in descending order, and shows the direction."""
        for title in self.browser.texts(".sort"):
            self.browser.click_titled(".sort", title)
            (head,) = self.browser.all("th[aria-sort]:not([aria-sort=none])")
            way = "ascending" if title in ("Call", "Cat", "Top file") else "descending"
            self.assertEqual(
                (title, way),
                (head.text.split(" ▾")[0].split(" ▴")[0], head.get_attribute("aria-sort")),
            )
            self.assertEqual(5, len(self.names()), title)

    def test_filter(self) -> None:
        """A slash focuses the filter and Escape leaves it; only matching calls are shown."""
        self.browser.press("/")
        self.browser.press("clo")
        self.assertEqual(["close"], self.names())
        self.browser.press("zzz")
        self.assertEqual([], self.names())
        self.browser.until_text(".calls + .empty", "No matching calls")
        self.browser.press(ESCAPE)
        self.assertEqual("BODY", self.browser.run("return document.activeElement.tagName"))
        self.browser.press("/")
        self.browser.press("rea")
        self.assertEqual(["read"], self.names())

    def test_categories(self) -> None:
        """A category button shows only its calls."""
        self.browser.click(".pill.fs")
        self.assertEqual(["openat"], self.names())
        self.browser.click(".pill.fs")
        self.assertGreater(len(self.names()), 3)

    def test_click_on_a_row(self) -> None:
        """A click anywhere on a row opens the page of its call; going back restores the filter."""
        self.browser.press("/")
        self.browser.press("clo")
        self.browser.click("tbody td:nth-child(4)")
        self.browser.until(lambda: self.browser.driver.current_url.endswith("/syscall/close"))
        self.browser.click("#back")
        self.browser.until(lambda: self.names() == ["close"])

    def test_keys_on_rows(self) -> None:
        """J and k move between rows, Enter opens one."""
        self.browser.press("j")
        self.browser.press("j")
        self.browser.press("k")
        self.assertEqual("read", self.browser.run("return document.activeElement.textContent"))
        self.browser.press(ENTER)
        self.browser.until(lambda: self.browser.driver.current_url.endswith("/syscall/read"))

    def test_rows_stay_under_the_pointer(self) -> None:
        """No row moves while the pointer is on the table."""
        from selenium.webdriver import ActionChains

        self.browser.click_titled(".sort", "Calls")
        self.browser.until(lambda: self.names()[0] == "openat")
        ActionChains(self.browser.driver).move_to_element(self.browser.one("tbody tr")).perform()
        before = self.names()
        self.server.write([line(4 + at / 1000, "getpid() = 41") for at in range(900)])
        self.server.write([line(6, "getpid() = 41")])
        self.browser.until(lambda: "getpid" in self.names())
        self.assertEqual(before, self.names()[: len(before)])
        ActionChains(self.browser.driver).move_to_element(self.browser.one("#comm")).perform()
        self.browser.until(lambda: self.names()[0] == "getpid")

    def test_freeze(self) -> None:
        """Space pauses the whole page but its header, and resumes it."""
        self.browser.press(SPACE)
        self.browser.until_text("#frozen", "Paused at")
        before = self.browser.text("#verdict"), self.browser.text("#cards")
        self.server.write([line(4, "getpid() = 41"), line(75, "getpid() = 41")])
        self.browser.until_text("#elapsed", "1m")
        self.assertNotIn("getpid", self.names())
        self.assertEqual(before, (self.browser.text("#verdict"), self.browser.text("#cards")))
        self.browser.press(SPACE)
        self.browser.until(lambda: "getpid" in self.names())

    def test_range(self) -> None:
        """A range selected in the charts shows the calls in it."""
        from selenium.webdriver import ActionChains

        self.server.write([line(30, "getpid() = 41"), line(32, "getppid() = 1")])
        self.browser.until(lambda: "getppid" in self.names())
        line_before = self.first_line()
        self.browser.click("#chart-kinds [value=calls]")
        self.browser.until(lambda: self.browser.one("#charts svg").size["width"] > 0)
        charts = self.browser.one("#charts")
        plot = self.browser.run("return document.querySelector('#charts').clientWidth") - 74
        # The second of getpid is the third from the end of a minute.
        to = plot / 2 - 74 / 2
        drag = ActionChains(self.browser.driver).move_to_element_with_offset(
            charts, int(to - plot / 12), 30
        )
        drag.click_and_hold().move_to_element_with_offset(charts, int(to), 30).release().perform()
        self.browser.until(lambda: self.browser.one("#frozen").is_displayed())
        self.assertEqual(["getpid"], self.names())
        self.assertNotIn(self.first_line(), ("", line_before))
        self.browser.click("#frozen")
        self.browser.until(lambda: "openat" in self.names())

    def test_legend_reads(self) -> None:
        """The values at the cursor are shown as text."""
        self.browser.until_text("#cards .card-calls b", "244")
        self.browser.click("#chart-kinds [value=calls]")
        self.browser.run("document.querySelector('#charts').focus()")
        self.browser.press(END)
        self.browser.until_text("#reading", "in calls")
        value = self.browser.one("#charts").get_attribute("aria-valuetext")
        self.assertIn("errors", str(value))
