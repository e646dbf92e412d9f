"""Tests of the tab of the comparison with baselines."""

from collections.abc import Sequence
from pathlib import Path

from .case import BrowserTestCase
from .server import SyswatchServer, failed, line, session

_WIDER = "return document.documentElement.scrollWidth > document.documentElement.clientWidth"


def _synced(took: float) -> list[str]:
    """Return the log of a program that synchronizes a file again and again."""
    return [line(at / 10, "fsync(5) = 0", took=took + at / 1e6) for at in range(60)]


class CompareTests(BrowserTestCase):
    """The tab, while a log is read and after its end."""

    def setUp(self) -> None:
        """Make a log to compare with."""
        super().setUp()
        self.baseline = Path(self.mktemp()).absolute()
        self.baseline.write_text("".join(f"{each}\n" for each in (*session(2), *_synced(0.002))))

    def compared(self, lines: Sequence[str], tab: str = "compare") -> SyswatchServer:
        """Serve a log that is compared with another, and open a tab."""
        options = [word for _ in range(3) for word in ("--baseline", str(self.baseline))]
        server = self.serve(lines, *options)
        self.open(f"{server.url}?tab={tab}")
        return server

    def test_same(self) -> None:
        """What is missing so far is no change; at the end it is."""
        server = self.compared(session(1))
        self.browser.until_text(".compare-page .verdict", "No change so far: ")
        self.browser.until_text(".compare-page .notes", "Still running: what is missing so far")
        self.assertEqual([], self.browser.all(".compare tbody tr"))
        self.browser.until_text(".compare-page .sides", "3 runs: ")
        server.end()
        self.browser.until_text(".compare-page .verdict", "fsync")
        self.browser.until(lambda: self.browser.all(".compare tbody tr"))
        self.assertNotIn("so far", self.browser.text(".compare-page"))

    def test_changes(self) -> None:
        """The finding comes first, then all numbers, then the durations on both sides."""
        extra = failed("openat", 'AT_FDCWD, "/etc/app/<b>extra</b>.conf", O_RDONLY')
        server = self.compared([*session(2), *_synced(0.02), line(9, extra)])
        server.end()
        self.browser.until_text(".compare-page .verdict", "+1 failing openat of /etc/app/<b>extra")
        self.browser.until_text(".compare-page .sentences", "fsync is 10.0 times slower: ")
        self.browser.until(lambda: self.browser.all(".overlaid-grid figure"))
        self.assertEqual(1, len(self.browser.all(".overlaid-grid path.before")))
        self.assertEqual(1, len(self.browser.all(".overlaid-grid path.after")))
        self.assertIn("180 calls before, 60 after", self.browser.text(".overlaid-grid"))
        self.assertIn("extra", self.browser.texts(".compare tbody tr td:nth-child(3)")[0])
        self.browser.click_titled(".compare th button", "Change")
        self.browser.press("/")
        self.browser.press("ENOENT")
        self.browser.until(lambda: len(self.browser.all(".compare tbody tr")) == 1)
        self.browser.press("x")
        self.browser.until(lambda: "No matching changes" in self.browser.texts("#panel .empty"))

    def test_offered(self) -> None:
        """Without baselines, there is no such tab; with them, the arrow keys reach it."""
        self.compared(session(1), "calls")
        self.browser.until(lambda: self.browser.one("#tab-compare").is_displayed())
        focused = "return document.activeElement.id"
        self.browser.run("document.getElementById('tab-calls').focus()")
        self.browser.one("#tab-calls").send_keys("\ue012")
        self.browser.until(lambda: self.browser.run(focused) == "tab-compare")
        self.open(self.serve(session(1)).url)
        self.browser.until(lambda: self.browser.all(".calls tbody tr"))
        self.assertFalse(self.browser.one("#tab-compare").is_displayed())
        # The next tab asks for the questions about a recording, and there is none.
        self.expected_message = "/api/recording/questions"
        self.browser.run("document.getElementById('tab-calls').focus()")
        self.browser.one("#tab-calls").send_keys("\ue012")
        self.browser.until(lambda: self.browser.run(focused) == "tab-query")

    def test_phone(self) -> None:
        """On a phone, only the table scrolls sideways."""
        self.compared([*session(2), *_synced(0.02)]).end()
        self.browser.until(lambda: self.browser.all(".overlaid-grid figure"))
        self.browser.resize(390, 844)
        self.browser.until(lambda: not self.browser.run(_WIDER))
