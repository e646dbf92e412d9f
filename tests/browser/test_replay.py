"""Tests of the scrubber of a replay."""

import tarfile
from pathlib import Path

import attrs
from selenium.webdriver import ActionChains

from tests.recording import samples

from .case import BrowserTestCase
from .chromium import SPACE
from .server import SyswatchServer
from .test_accessibility import faults_of

_CALLS = 4000
# Each call is so many times later than in the sample: the recording takes ten seconds.
_SLOWER = 2500
_COUNT = "#panel [data-column=Count] span"


class ScrubberTests(BrowserTestCase):
    """A recording of ten seconds."""

    def setUp(self) -> None:
        """Show the recording."""
        super().setUp()
        calls = [
            attrs.evolve(call, start_ns=call.start_ns * _SLOWER) for call in samples.many(_CALLS)
        ]
        folder = samples.write(Path(self.mktemp()).absolute(), calls, calls_in_segment=1000)
        server = SyswatchServer("replay", "--serve", "127.0.0.1:0", str(folder))
        self.server = self.stop_later(server)
        self.show("?tab=calls")

    def show(self, query: str) -> None:
        """Open the page and wait until the scrubber is there."""
        self.open(f"{self.server.url}{query}")
        self.browser.until_text(".scrub-reading", "10 s")

    def test_play(self) -> None:
        """Playing shows one range after another, up to the end, and the address keeps the range."""
        self.assertIn("all 10 s", self.browser.text(".scrub-reading"))
        self.browser.run("document.querySelector('.scrubber select').value = '10'")
        self.browser.run(
            "document.querySelector('.scrubber select').dispatchEvent(new Event('change'))"
        )
        self.browser.one("body").send_keys(SPACE)
        self.browser.until_text(".play", "Pause")
        self.browser.until_text(".play", "Play")
        self.browser.until(lambda: self.browser.texts(_COUNT)[:1] == ["40"])
        ranges = [url for url in self.browser.requests() if "api/dashboard" in url and "to=" in url]
        self.assertGreaterEqual(len(set(ranges)), 3)
        self.browser.until(lambda: "to=1700000010.001" in self._address)

    def test_keys(self) -> None:
        """The arrow keys move the range by its length, so that no call is in two of them."""
        self.show("?tab=calls&from=1700000001&to=1700000002")
        self.browser.until(lambda: self.browser.texts(_COUNT)[:1] == ["80"])
        self.browser.one(".scrub-track").send_keys("")
        self.browser.run("document.querySelector('.scrub-track').focus()")
        keys = ActionChains(self.browser.driver)
        keys.key_down("\ue008").send_keys("\ue014").key_up("\ue008").perform()
        self.browser.until(lambda: "from=1700000002&to=1700000003" in self._address)
        self.browser.press("\ue014")
        self.browser.until(lambda: "from=1700000002.1&" in self._address)

    def test_drag(self) -> None:
        """Dragging selects a range, whose numbers every tab shows."""
        # What is loaded meanwhile may move the track away from the pointer.
        self.browser.until(self._is_dragged)
        self.browser.until(lambda: 760 < int(self.browser.text(".card-calls b")) < 840)
        self.browser.click_titled("#frozen", "Show all")
        self.browser.until(lambda: self.browser.text(".card-calls b") == str(_CALLS))
        self.browser.until_text(".scrub-reading", "all 10 s")

    def test_followed(self) -> None:
        """The timeline and the page of a call show the range."""
        self.show("?tab=timeline&from=1700000001&to=1700000002")
        self.browser.until_text(".timeline-reading", "(1 s): 400 calls")
        self.browser.run("document.querySelector('.scrub-track').focus()")
        self.browser.press("\ue013")
        self.browser.until_text(".timeline-reading", "(2 s): 800 calls")
        self.browser.driver.get(f"{self.server.url}syscall/read")
        self.browser.until_text("#frozen", "Show all")
        self.browser.until(lambda: self.browser.text("#cards b").startswith("160"))
        self.browser.click("#frozen")
        self.browser.until(lambda: self.browser.text("#cards b").startswith("800"))

    def test_link(self) -> None:
        """The address has the range of the timeline, until another one is selected."""
        self.show("?tab=timeline&from=1700000001&to=1700000002")
        self.browser.until_text(".timeline-reading", "(1 s): 400 calls")
        self.browser.one("body").send_keys("ww")
        self.browser.until(lambda: "&zoom=" in self._address)
        self.browser.until_text(".timeline-reading", "(444 ms)")
        reading, address = self.browser.text(".timeline-reading"), self._address
        self.browser.run("sessionStorage.clear()")
        self.open("about:blank")
        self.open(address)
        self.browser.until(lambda: self.browser.text(".timeline-reading") == reading)
        self.browser.run("document.querySelector('.scrub-track').focus()")
        self.browser.press("\ue013")
        self.browser.until_text(".timeline-reading", "(2 s): 800 calls")
        self.browser.until(lambda: "zoom" not in self._address)

    def test_query(self) -> None:
        """A ready-made question is answered, and a mistake in a query is pointed at."""
        self.expected_message = "400"
        self.show("?tab=query&from=1700000001&to=1700000002")
        self.browser.click_titled(".query-page .pill", "slowest calls")
        self.browser.until_text(".query-page .verdict", "The slowest call was")
        self.assertEqual(20, len(self.browser.all(".query tbody tr")))
        self.assertEqual("whole run", self.browser.text("#scope"))
        self.assertEqual([], faults_of(self.browser))
        self.browser.one("#query-sql").clear()
        self.browser.one("#query-sql").send_keys("SELECT nme FROM calls")
        self.browser.click(".query-run button")
        self.browser.until_text(".query-page .failing", "line 1, column 8.")
        place = "return document.getElementById('query-sql').selectionStart"
        self.assertEqual(7, self.browser.run(place))

    def test_downloads(self) -> None:
        """The menu saves what the tab shows, and the recording."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        behaviour = {"behavior": "allow", "downloadPath": str(folder)}
        self.browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
        self.show("?tab=calls&filter=re&from=1700000001&to=1700000002")
        self.browser.click("#downloads summary")
        self.browser.until(lambda: self.browser.all("#downloads button"))
        self.assertEqual([], faults_of(self.browser))
        self.browser.click_titled("#downloads button", "These calls as CSV")
        self.browser.until((folder / "calls.csv").exists)
        lines = (folder / "calls.csv").read_text().splitlines()
        self.assertEqual(["Name", "read", "recvfrom"], [each.split(",")[0] for each in lines])
        self.browser.click_titled("#downloads a", "Recording as tar")
        self.browser.until(lambda: list(folder.glob("*.tar")))
        self.assertTrue(tarfile.is_tarfile(next(folder.glob("*.tar"))))

    def test_accessible(self) -> None:
        """It has no serious violation, in both themes and on a phone."""
        self.show("?tab=calls&from=1700000001&to=1700000002")
        for scheme, width in (("dark", 1440), ("light", 1440), ("light", 390)):
            self.browser.emulate_media(color_scheme=scheme)
            self.browser.resize(width, 844)
            self.assertEqual([], faults_of(self.browser), f"{scheme}, {width}")
            self.assertLessEqual(
                self.browser.run("return document.documentElement.scrollWidth"), width
            )

    def _is_dragged(self) -> bool:
        """Drag over a fifth of the track, from its middle; return whether that has an effect."""
        track = self.browser.one(".scrub-track")
        drag = ActionChains(self.browser.driver).move_to_element(track).click_and_hold()
        drag.move_by_offset(track.size["width"] // 5, 0).release().perform()
        return "from=170000000" in self._address

    @property
    def _address(self) -> str:
        return str(self.browser.driver.current_url)
