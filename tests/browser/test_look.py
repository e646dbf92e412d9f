"""Tests of themes, sizes and hostile names."""

from functools import partial

from syswatch.model.catalog.entries import documented
from tests.web.test_pages import MOST_BYTES

from .case import BrowserTestCase
from .server import failed, line, session

_WEIGHT = """
return [
  ...performance.getEntriesByType("resource"),
  ...performance.getEntriesByType("navigation"),
].filter((each) => !each.name.includes("/api/"))
  .reduce((sum, each) => sum + each.decodedBodySize, 0);
"""

_ROWS_WITH_NUMBERS = ".calls tbody tr:has(td)"
_ROOM_BELOW_CHARTS = """
const bottom = (selector) => document.querySelector(selector).getBoundingClientRect().bottom;
return bottom(".charts-panel") - bottom("#charts svg");
"""
# Rate and sparkline are on one line, or the sparkline is hidden.
_LINES_OF_RATE = """
const [figure, spark] = ["b", ".spark"].map(
  (each) => document.querySelector(`.card-rate ${each}`).getBoundingClientRect());
return !spark.width || spark.top < figure.bottom ? 1 : 2;
"""


class LookTests(BrowserTestCase):
    """Themes, sizes and names."""

    def test_theme(self) -> None:
        """The page follows the system's theme until the user switches, which is remembered."""
        self.open(self.serve(session(1)).url)
        self.assertEqual("rgb(14, 18, 23)", self.browser.background_colour())
        self.browser.emulate_media(color_scheme="light")
        self.assertEqual("rgb(247, 246, 242)", self.browser.background_colour())
        self.browser.press("t")
        self.assertEqual("rgb(14, 18, 23)", self.browser.background_colour())
        self.browser.driver.refresh()
        self.assertEqual("rgb(14, 18, 23)", self.browser.background_colour())

    def test_nothing_scrolls_sideways(self) -> None:
        """The page fits at every width; only tables may scroll sideways."""
        self.open(self.serve(session(1)).url)
        self.browser.until(lambda: self.browser.all("tbody tr"))
        for width in (360, 600, 800, 1024, 1270, 1280, 1440, 2000, 3840):
            self.browser.resize(width, 900)
            # The charts get their new width a moment later.
            self.browser.until(partial(self.is_at_most, width))

    def is_at_most(self, width: int) -> bool:
        """Return whether the page fits into a width."""
        return bool(self.browser.run("return document.documentElement.scrollWidth") <= width)

    def test_nothing_is_cut(self) -> None:
        """With all categories in the legend, the axis of the charts is visible."""
        calls = ("read", "open", "bind", "brk", "getpid", "kill", "time", "futex", "uname")
        server = self.serve([line(at, f"{call}() = 0") for at, call in enumerate(calls)])
        self.open(f"{server.url}?tab=calls&chart=calls")
        self.browser.until(lambda: len(self.browser.all("#legend li:not([hidden])")) == len(calls))
        self.browser.until(lambda: self.browser.one("#charts svg").size["width"] > 0)
        for width in (360, 800, 1021, 1024, 1280, 1440, 3840):
            self.browser.resize(width, 900)
            self.assertGreaterEqual(self.browser.run(_ROOM_BELOW_CHARTS), 0)
            self.assertEqual(1, self.browser.run(_LINES_OF_RATE))

    def test_printed(self) -> None:
        """A printed page has all numbers, also of rows that were never visible."""
        names = [entry.name for entry in documented()][:90]
        self.open(
            self.serve([line(at / 100, f"{name}() = 0") for at, name in enumerate(names)]).url
        )
        self.browser.until(lambda: len(self.browser.all(".calls tbody tr")) == len(names))
        self.assertLess(len(self.browser.all(_ROWS_WITH_NUMBERS)), len(names))
        self.browser.run("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(len(names), len(self.browser.all(_ROWS_WITH_NUMBERS)))

    def test_reduced_motion(self) -> None:
        """Reduced motion disables transitions."""
        self.browser.emulate_media(color_scheme="dark", reduced_motion="reduce")
        self.open(self.serve(session(1)).url)
        self.browser.until(lambda: self.browser.all(".bar-fill"))

        style = "return getComputedStyle(document.querySelector('.bar-fill')).transitionProperty"
        self.assertEqual("none", self.browser.run(style))

    def test_hostile_names(self) -> None:
        """File names, command lines and arguments that look like HTML stay text."""
        evil = r"<img src=x onerror=document.title=1>\"'&<script>document.title=2</script>"
        lines = [
            line(0, f'execve("/bin/{evil}", ["{evil}", "{evil}"], 0x7ffd /* 3 vars */) = 0'),
            *(
                line(at / 10, failed("openat", f'AT_FDCWD, "{evil}", O_RDONLY'))
                for at in range(120)
            ),
            line(20, f'write(1, "{evil}", 9) = 9'),
        ]
        server = self.serve(lines, "--per-pid")
        for page, keys in (("", "1234567890"), ("syscall/openat", "")):
            self.open(server.url + page)
            self.browser.until_text("#state", "reading")
            for key in keys:
                self.browser.press(key)
                self.browser.until(lambda: self.browser.text("#panel"))
            self.assertIn("syswatch", self.browser.driver.title)
            self.assertEqual([], self.browser.all("img, script:not([src])"))

    def test_weight(self) -> None:
        """All files of a page are less than 132 kB uncompressed."""
        self.open(self.serve(session(1)).url)
        self.browser.until(lambda: self.browser.all("tbody tr"))
        weight = self.browser.run(_WEIGHT)
        self.assertLess(weight, MOST_BYTES)
        self.assertGreater(weight, 20_000)
