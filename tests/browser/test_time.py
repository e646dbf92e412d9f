"""Tests of the panel and the tabs that show where the time went."""

from functools import partial

from syswatch.model.catalog.entries import documented
from tests import made_trace

from .case import BrowserTestCase
from .server import SyswatchServer, line, session

_IN_SIGHT = """
return [...document.querySelectorAll("#panel tbody tr")].filter((row) => {
  const { top, bottom } = row.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}).length;
"""
_SEGMENT = "#budget .segment[class*='{}']"
_DATABASE = f"{made_trace.DATABASE.id:013x}"


class TimeTests(BrowserTestCase):
    """A made-up trace of four threads and two processes."""

    def setUp(self) -> None:
        """Serve the trace."""
        super().setUp()
        self.url = self.stop_later(SyswatchServer.made()).url

    def show(self, query: str = "") -> None:
        """Open the dashboard and wait for its data."""
        self.open(self.url + query)
        self.browser.until_text("#verdict", "20\u00a0s")

    def names(self, column: str = "tbody th") -> list[str]:
        """Return the first cells of the rows of the open tab."""
        return self.browser.texts(f"#panel {column}")

    def test_verdict(self) -> None:
        """The page begins with a sentence, and a bar with a labelled segment for each state."""
        self.show()
        self.browser.until_text("#verdict", "for child process convert (77)")
        legend = self.browser.texts("#budget-legend li")
        self.assertEqual("child process 18 s · 29.7 %", legend[0])
        self.assertIn("Own code 15.7 s · 25.9 %", legend)
        # Idle time is no part of the busy time, of which the shares are.
        self.assertEqual("Idle 19.4 s", legend[-1])
        self.assertEqual("% of busy time", self.browser.text("#budget-shares"))

    def test_segments(self) -> None:
        """A segment opens its objects, and Back returns."""
        self.show()
        self.browser.click(_SEGMENT.format("wait-network"))
        self.browser.until(lambda: len(self.names()) == 2)
        self.assertIn("10.0.0.5:5432 (TCP, postgresql)", self.names()[0])
        self.assertIn("kinds=tcp", self.browser.driver.current_url)
        self.browser.driver.back()
        self.browser.until(lambda: "accept4" in self.names())
        self.browser.click(_SEGMENT.format("state-idle"))
        self.browser.until(lambda: len(self.names()) == 1)
        self.assertIn("idle: waits for connections", self.names()[0])
        self.browser.click(_SEGMENT.format("state-user"))
        self.browser.until(lambda: self.names()[:1] == ["worker-2 43"])

    def test_waits_without_object(self) -> None:
        """The segment of waits that have no object opens the calls, the costliest first."""
        waiting = line(2, "sync() = 0", took=0.5)
        self.open(f"{self.serve([*session(1), waiting]).url}?tab=objects")
        self.browser.until(lambda: self.browser.all(_SEGMENT.format("wait-other")))
        self.assertIn("other calls", " ".join(self.legend()))
        self.browser.click(_SEGMENT.format("wait-other"))
        self.browser.until(lambda: self.names()[:1] == ["sync"])
        self.assertIn("tab=calls", self.browser.driver.current_url)

    def test_left_out(self) -> None:
        """With a filter, the titles do not say that the time in other calls is own code."""
        self.open(f"{self.serve(session(2), '-e', 'read').url}?tab=threads")
        self.browser.until(lambda: self.browser.all(_SEGMENT.format("state-user")))
        self.assertTrue(any(each.startswith("Outside ") for each in self.legend()))
        self.browser.until(lambda: len(self.names()) == 1)
        shown = self.browser.texts("#panel .legend li") + self.browser.texts("#panel thead th")
        self.assertEqual(2, shown.count("Outside"), shown)
        self.assertNotIn("Own code", shown)

    def test_history_selects(self) -> None:
        """A second of the history limits the bar, and is in the URL."""
        self.show()
        self.browser.one("#time-charts").send_keys("\ue012")  # the left arrow
        self.browser.until_text("#time-reading", "Own code")
        self.browser.one("#time-charts").send_keys("\ue007")  # Enter
        self.browser.until_text("#frozen", "Second 2")
        self.browser.until(lambda: "Own code 784 ms · 25.9 %" in self.legend())
        self.assertIn("from=17000000", self.browser.driver.current_url)
        self.browser.driver.refresh()
        self.browser.until(lambda: "Own code 784 ms · 25.9 %" in self.legend())
        self.browser.click("#frozen")
        self.browser.until(lambda: "Own code 15.7 s · 25.9 %" in self.legend())

    def test_range(self) -> None:
        """A range limits the verdict and the tabs; what it cannot limit is labelled."""
        begin = made_trace.BEGIN_S
        self.open(f"{self.url}?tab=calls&from={begin + 4}&to={begin + 7}")
        self.browser.until_text("#verdict", "3\u00a0s (12\u00a0s in 4\u00a0threads)")
        self.browser.click("#tab-objects")
        self.browser.until(lambda: self.browser.all("#panel tbody tr"))
        first = self.browser.texts("#panel tbody tr:first-child > *")
        self.assertTrue(first[0].startswith("child convert (77)"), first)
        self.assertEqual("2.7\u202fs", first[2])
        labelled = (
            "return getComputedStyle(document.querySelector(arguments[0]), '::before').content"
        )
        for column, label in (("Blocked", "none"), ("Idle", "none"), ("Count", '"whole run"')):
            selector = f".objects [data-column='{column}'] .sort"
            self.assertEqual(label, self.browser.run(labelled, selector))
        self.assertEqual("", self.browser.text("#scope"))
        self.browser.click("#panel tbody a")
        self.browser.until_text("#scope", "whole run")
        for tab, scope in (("files", "whole run"), ("now", "at present"), ("log", "newest calls")):
            self.browser.click(f"#tab-{tab}")
            self.browser.until_text("#scope", scope)
        self.browser.click("#tab-slowest")
        self.browser.until_text("#panel > div > .empty", "took place in this range")
        self.browser.driver.refresh()
        self.browser.until_text("#verdict", "3\u00a0s (12\u00a0s in 4\u00a0threads)")
        self.open(f"{self.url}?tab=calls&process=41&from={begin + 4}&to={begin + 6.5}")
        self.browser.until_text("#scope", "all processes, whole seconds")
        self.browser.click("#tab-slowest")
        self.browser.until_text("#panel > div > .empty", "took place in this range")
        self.browser.click("#frozen")
        self.browser.until_text("#verdict", "20\u00a0s (")
        self.browser.until_text("#panel > div > .empty", "slowest of all calls")
        self.browser.driver.back()
        self.browser.until_text("#verdict", "3\u00a0s (9\u00a0s in 3\u00a0threads)")

    def test_no_range(self) -> None:
        """A range that ends before it begins is none."""
        self.show(f"?tab=calls&from={made_trace.BEGIN_S + 4}&to={made_trace.BEGIN_S + 1}")
        self.assertFalse(self.browser.one("#frozen").is_displayed())

    def legend(self) -> list[str]:
        """Return the texts of the legend of the bar."""
        return self.browser.texts("#budget-legend li")

    def test_objects(self) -> None:
        """The objects are sorted by any column, and filtered."""
        self.show("?tab=objects")
        self.browser.until(lambda: len(self.names()) == 6)
        self.assertIn("convert (77)", self.names()[0])
        self.browser.click_titled("#panel thead button", "Errors")
        self.browser.until(lambda: "conf.d" in self.names()[0])
        self.assertIn("sort=-Errors", self.browser.driver.current_url)
        self.browser.press("/")
        self.browser.press("wal")
        self.browser.until(lambda: len(self.names()) == 1)
        self.browser.driver.refresh()
        self.browser.until(lambda: len(self.names()) == 1)

    def test_one_object(self) -> None:
        """An object has a page with its waits, calls, processes and threads."""
        self.show("?tab=objects")
        self.browser.click_titled("#panel tbody a", "10.0.0.5:5432 (TCP, postgresql)")
        self.browser.until_text(".object-page h2", "10.0.0.5:5432 (TCP, postgresql)")
        self.assertIn(f"object={_DATABASE}", self.browser.driver.current_url)
        self.assertIn("the program connected to it", self.browser.text(".object-head"))
        self.assertEqual(["recvfrom", "sendto"], self.names(".object-page td:first-child a"))
        self.browser.until(lambda: self.browser.all(".object-page .latency rect"))
        self.browser.driver.refresh()
        self.browser.until_text(".object-page h2", "10.0.0.5:5432")
        self.browser.driver.back()
        self.browser.until(lambda: len(self.names()) >= 6)

    def test_now(self) -> None:
        """The longest blocked thread is first, and an idle one says why."""
        self.show("?tab=now")
        self.browser.until(lambda: len(self.names()) == 4)
        self.assertEqual(["convert 44", "worker-1 42", "worker-2 43", "app 41"], self.names())
        last = self.browser.text("#panel tbody tr:last-child")
        self.assertIn("Idle970", last)
        self.assertIn("waits for connections", last)

    def test_threads(self) -> None:
        """Each thread has a lane of its states from the start, which is also told by its height."""
        self.show()
        self.browser.until(lambda: "accept4" in self.names())
        self.browser.press("4")
        self.browser.until(lambda: len(self.browser.all(".lane path")) == 4)
        lanes = self.browser.run(
            "return [...document.querySelectorAll('.lane path')].map((e) => e.getAttribute('d'))"
        )
        self.assertEqual(
            ["M0,7H20V16H0Z", "M0,0H20V16H0Z", "M0,7H20V16H0Z", "M0,14H20V16H0Z"], lanes
        )

    def test_process(self) -> None:
        """A process limits the verdict and all tabs, without a table for each process."""
        self.show("?tab=threads")
        self.browser.one("#process option[value='44']")
        self.browser.run("document.querySelector('#process').value = '44'")
        self.browser.run("document.querySelector('#process').dispatchEvent(new Event('change'))")
        self.browser.until(lambda: self.names() == ["convert 44"])
        self.browser.until_text("#verdict", "90\u00a0% waiting")
        self.assertEqual(1, len(self.browser.all(".lane path")))
        for tab, expected in (
            ("calls", "wait4"),
            ("objects", "child convert (77)"),
            ("now", "convert 44"),
        ):
            self.browser.click(f"#tab-{tab}")
            self.browser.until(partial(self.has_only, expected))
        self.assertIn("process=44", self.browser.driver.current_url)

    def has_only(self, name: str) -> bool:
        """Return whether the open tab has one row, which begins with a name."""
        return [each[: len(name)] for each in self.names()] == [name]

    def test_slowest(self) -> None:
        """The slowest calls have their objects and arguments."""
        self.show("?tab=slowest")
        self.browser.until(lambda: len(self.names()) == 50)
        first = self.browser.text("#panel tbody tr")
        for part in ("901", "wait4", "convert (77)", "(4, …) = 1"):
            self.assertIn(part, first)

    def test_log(self) -> None:
        """The log has how long each call took and whether it waited."""
        self.show("?tab=log")
        self.browser.until(lambda: self.browser.all(".log li"))
        waits = self.browser.texts(".log .waited")
        self.assertIn("901 ms ◷ waited", waits[0] + waits[4])
        self.browser.click_titled("#tools button", "Waits only")
        self.assertEqual(
            len(waits), len(self.browser.all(".log li:not([hidden])")), "those that waited"
        )

    def test_call_page(self) -> None:
        """The page of a call has its waits, slowest calls, objects and processes."""
        self.open(f"{self.url}syscall/recvfrom")
        self.browser.until(lambda: self.browser.all("#latency .wait-bar"))
        self.assertEqual(10, len(self.browser.all("#slowest tbody tr")))
        self.assertIn("10.0.0.5:5432", self.browser.text("#objects tbody"))
        self.assertIn("41 app", self.browser.text("#processes tbody"))
        self.browser.click("#objects tbody a")
        self.browser.until_text(".object-page h2", "10.0.0.5:5432")

    def test_phone(self) -> None:
        """Nothing scrolls sideways, and the panel comes first."""
        self.browser.resize(390, 844)
        for tab in ("calls", "objects", "now", "threads", "slowest", "log"):
            self.show(f"?tab={tab}")
            self.browser.until(lambda: self.browser.all("#panel :is(tbody tr, li)"))
            widths = (
                "return [...document.querySelectorAll('html, .scroll')].map((e) => e.scrollWidth)"
            )
            self.assertEqual([], [each for each in self.browser.run(widths) if each > 390], tab)
        above = "return document.querySelector('main section:not([hidden])').className"
        self.assertIn("charts-panel", self.browser.run(above))


class RowTests(BrowserTestCase):
    """How much of a table is in sight."""

    def test_long_verdict(self) -> None:
        """A verdict of three lines leaves twelve rows in sight, too."""
        self.browser.resize(1280, 800)
        self.open(f"{self.stop_later(SyswatchServer.made(done=True)).url}?tab=slowest")
        self.browser.until(lambda: len(self.browser.all("#panel tbody tr")) == 50)
        self.browser.run("document.querySelector('#verdict').textContent = 'so it is '.repeat(35)")
        self.assertGreater(self.browser.one("#verdict").size["height"], 50)
        self.assertGreaterEqual(self.browser.run(_IN_SIGHT), 12)

    def test_small_parts(self) -> None:
        """The bar and its legend have the same parts, and small ones are left out of both."""
        self.open(f"{self.stop_later(SyswatchServer.made(done=True)).url}?tab=calls")
        self.browser.until(lambda: self.browser.all("#budget-legend li"))
        shown = ".filter((each) => !each.hidden).length"
        segments = self.browser.run(
            f"return [...document.querySelectorAll('#budget .segment')]{shown}"
        )
        lines = self.browser.run(
            f"return [...document.querySelectorAll('#budget-legend li')]{shown}"
        )
        self.assertEqual(segments, lines)

    def test_sorted_column(self) -> None:
        """The column by which calls are sorted at first is shown and marked."""
        self.open(f"{self.stop_later(SyswatchServer.made(done=True)).url}?tab=calls")
        marked = ".calls [aria-sort='descending']"
        self.browser.until(lambda: self.browser.texts(marked) == ["Time"])
        time = ".calls tbody td[data-column='Time']"
        self.browser.until(lambda: self.browser.texts(time)[:1] == ["18\u202fs"])

    def test_after_the_end(self) -> None:
        """On a small laptop, twelve rows are in sight after the end."""
        names = [entry.name for entry in documented()][:40]
        server = self.serve([line(at / 100, f"{name}() = 0") for at, name in enumerate(names)])
        server.end()
        self.browser.resize(1280, 800)
        self.open(server.url)
        self.browser.until_text("#notices", "These are the final numbers")
        self.browser.until(lambda: len(self.browser.all(".calls tbody tr")) == len(names))
        self.assertGreaterEqual(self.browser.run(_IN_SIGHT), 12)
