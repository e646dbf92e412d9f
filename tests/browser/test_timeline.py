"""Tests of the timeline of a recording."""

from pathlib import Path

from syswatch.codec.event_frames import Loss
from tests.recording import samples

from .case import BrowserTestCase
from .server import SyswatchServer, session
from .test_accessibility import faults_of

_CALLS = 100_000
_TIP = ".timeline-tip:not([hidden])"
# A place in the port, as a part of its width and in pixels from its top.
_AT = """
const port = document.querySelector(".timeline-port");
const { left, top, width } = port.getBoundingClientRect();
const [clientX, clientY] = [left + 132 + (width - 132) * arguments[0], top + arguments[1]];
const at = { clientX, clientY, bubbles: true };
for (const type of arguments[2].split(" ")) port.dispatchEvent(new PointerEvent(type, at));
"""
_FIRST_ROW = 22 + 10
_FIRST_LANE = _FIRST_ROW + 20
_HEIGHT = "return document.querySelector('.timeline-rows').offsetHeight"


class TimelineTests(BrowserTestCase):
    """A recording of many calls."""

    def setUp(self) -> None:
        """Show the recording."""
        super().setUp()
        folder = samples.write(
            Path(self.mktemp()).absolute(),
            samples.many(_CALLS),
            calls_in_segment=20_000,
            losses=(Loss(7, samples.BEGUN_NS // 10**9, 1234),),
        )
        server = SyswatchServer("replay", "--serve", "127.0.0.1:0", str(folder))
        self.open(f"{self.stop_later(server).url}?tab=timeline")
        self.browser.until_text(".timeline-reading", f"{_CALLS:,} calls, sums")

    def test_first_line(self) -> None:
        """The first line has the numbers of calls and threads, and the longest call."""
        verdict = self.browser.text(".timeline-verdict")
        self.assertTrue(verdict.startswith("100,000 calls of 3 threads in "), verdict)
        self.assertIn("the longest single call: ", verdict)
        self.assertIn("1,234 calls are missing", self.browser.text(".timeline-head"))

    def test_single_call(self) -> None:
        """Zooming in with keys ends at single calls, of which one is clicked."""
        self.zoom_in()
        self.browser.run(_AT, 0.5, _FIRST_LANE, "pointerdown pointerup")
        self.browser.until_text(".timeline-call", "Began")
        panel = self.browser.text(".timeline-call")
        for part in ("Took", "Thread", "of cat (7)"):
            self.assertIn(part, panel)
        first = panel
        self.browser.press("j")
        self.browser.until(lambda: self.browser.text(".timeline-call") != first)

    def test_keys(self) -> None:
        """The keys move, and show everything again."""
        whole = self.browser.text(".timeline-reading")
        self.browser.press("w")
        self.browser.until(lambda: self.browser.text(".timeline-reading") != whole)
        nearer = self.browser.text(".timeline-reading")
        self.browser.press("d")
        self.browser.until(lambda: self.browser.text(".timeline-reading") != nearer)
        self.browser.press("f")
        self.browser.until(lambda: self.browser.text(".timeline-reading") == whole)

    def test_columns(self) -> None:
        """A column tells its sums, and a click zooms in."""
        self.browser.run(_AT, 0.5, _FIRST_LANE, "pointermove")
        self.browser.until_text(_TIP, "calls")
        whole = self.browser.text(".timeline-reading")
        self.browser.run(_AT, 0.5, _FIRST_LANE, "pointerdown pointerup")
        self.browser.until(lambda: self.browser.text(".timeline-reading") != whole)

    def test_folded(self) -> None:
        """The threads of a process share a row, and its single calls can be clicked there."""
        height = self.browser.run(_HEIGHT)
        self.browser.press("z")
        self.browser.until(lambda: self.browser.run(_HEIGHT) < height)
        self.zoom_in()
        self.browser.run(_AT, 0.5, _FIRST_ROW, "pointerdown pointerup")
        self.browser.until_text(".timeline-call", "of cat (7)")
        self.assertIn("thread-", self.browser.text(".timeline-call"))
        # Its name is in the gutter.
        self.browser.run(_AT, -0.05, _FIRST_ROW, "pointerdown pointerup")
        self.browser.until(lambda: self.browser.run(_HEIGHT) == height)

    def test_longest(self) -> None:
        """The link in the first line shows the longest call."""
        self.browser.click(".timeline-verdict button")
        self.browser.until_text(".timeline-call", "5.4")
        self.browser.until_text(".timeline-reading", "each one shown")

    def test_search(self) -> None:
        """A search goes to the first call with the text, or says that there is none."""
        self.browser.press("/")
        self.browser.press("10.0.0.5\ue007")
        self.browser.until_text(".timeline-call", "recvfrom")
        self.browser.one("#timeline-filter").clear()
        self.browser.one("#timeline-filter").send_keys("nothing like that\ue007")
        self.browser.until_text(".timeline-reading", "No call has")

    def test_range(self) -> None:
        """What is shown becomes the range of all tabs."""
        self.browser.press("w")
        self.browser.click_titled("#tools button", "Use this range")
        self.browser.until(lambda: "from=17000000" in self.browser.driver.current_url)

    def test_accessible(self) -> None:
        """It has no serious violation, in both themes and on a phone."""
        self.zoom_in()
        self.browser.press("j")
        self.browser.until_text(".timeline-call", "Began")
        for scheme, width in (("dark", 1440), ("light", 1440), ("light", 390)):
            self.browser.emulate_media(color_scheme=scheme)
            self.browser.resize(width, 844)
            self.assertEqual([], faults_of(self.browser), f"{scheme}, {width}")
            self.assertLessEqual(
                self.browser.run("return document.documentElement.scrollWidth"), width
            )

    def zoom_in(self) -> None:
        """Zoom in with keys until single calls are shown."""
        for _ in range(12):
            self.browser.press("w")
        self.browser.until_text(".timeline-reading", "each one shown")


class NoRecordingTests(BrowserTestCase):
    """A trace that is not recorded."""

    def test_no_recording(self) -> None:
        """The tab says how to record."""
        self.expected_message = "404"
        self.open(f"{self.serve(session(1)).url}?tab=timeline")
        self.browser.until_text(".timeline-verdict", "--record DIR")
