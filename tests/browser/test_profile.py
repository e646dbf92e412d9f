"""Tests of the tab of the profile that the traced program needs."""

from .case import BrowserTestCase
from .server import SyswatchServer, line

_FOCUSED = "return document.activeElement.textContent"
_WIDER = "return document.documentElement.scrollWidth > document.documentElement.clientWidth"
# The policy of the page permits no script to read what it has made.
_SAVED = """
const make = URL.createObjectURL;
const texts = new Map();
window.saved = [];
URL.createObjectURL = (blob) => {
  const url = make.call(URL, blob);
  texts.set(url, blob.text());
  return url;
};
HTMLAnchorElement.prototype.click = async function () {
  window.saved.push([this.download, await texts.get(this.href)]);
};
"""
_START = [
    line(0, 'execve("/bin/prog", ["prog"], 0x7ffd /* 3 vars */) = 0'),
    line(0.1, 'openat(AT_FDCWD, "/etc/hosts", O_RDONLY) = 3'),
    line(0.2, "socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 4"),
]
_LATER = [line(9, "getppid() = 1"), line(60, "close(3) = 0"), line(849, "close(3) = 0")]


class ProfileTests(BrowserTestCase):
    """The tab, while a log is read and after its end."""

    def traced(self, *lines: str, query: str = "tab=profile") -> SyswatchServer:
        """Serve a log with evidence, and open a tab."""
        server = self.serve(lines or [*_START, *_LATER], "--profile")
        self.open(f"{server.url}?{query}")
        return server

    def calls(self) -> list[str]:
        """Return the calls in the table, from top to bottom."""
        return self.browser.texts(".profile tbody th")

    def test_grows(self) -> None:
        """What is new comes first; the answer says for how long nothing was."""
        server = self.traced()
        self.browser.until_text(".profile-page .verdict", "nothing new for 13m")
        self.browser.until_text(".profile-page", "Last new: close (any arguments), made by prog")
        self.assertEqual("close", self.calls()[0])
        server.write([line(900, "ptrace(PTRACE_TRACEME) = 0"), line(901, "close(3) = 0")])
        server.end()
        self.browser.until_text(".profile-page .verdict", "after 15m0s, 1 s before the end")
        self.assertEqual("ptrace", self.calls()[0])
        self.browser.until_text(".profile-page .sentences", "▲ ptrace weakens the sandbox: ")

    def test_levels(self) -> None:
        """A level is in the address, and back returns to the one before."""
        self.traced()
        self.browser.until(lambda: "openat2" in self.calls())
        self.browser.click_titled(".tool-row .segments button", "Exact")
        self.browser.until(lambda: "openat2" not in self.calls())
        self.assertIn("kinds=exact", self.browser.run("return location.search"))
        self.browser.until_text(".profile-page", "Exact: only what was seen")
        self.browser.run("history.back()")
        self.browser.until(lambda: "openat2" in self.calls())

    def test_reasons(self) -> None:
        """The filter finds programs and reasons; the page of a call is a key away."""
        self.traced()
        self.browser.until(lambda: "close" in self.calls())
        self.browser.press("/")
        self.browser.press("equivalent of openat")
        self.browser.until(lambda: {"open", "openat2"} <= set(self.calls()))
        self.assertNotIn("close", self.calls())
        self.browser.press("\ue00c")
        self.browser.press("j")
        self.assertEqual(self.calls()[0], self.browser.run(_FOCUSED))

    def test_files(self) -> None:
        """All formats can be saved, at the level that is shown; a lossy one says so."""
        self.traced(query="tab=profile&kinds=exact")
        self.browser.until(lambda: self.browser.all(".profile-files button"))
        self.browser.run(_SAVED)
        for button in self.browser.all(".profile-files button"):
            button.click()
        self.browser.until(lambda: self.browser.run("return window.saved.length") == 6)
        saved = dict(self.browser.run("return window.saved"))
        self.assertNotIn("openat2", saved["profile.json"])
        self.assertIn("SCMP_ACT_ALLOW", saved["seccomp.json"])
        self.assertIn("SystemCallFilter=", saved["seccomp.conf"])
        self.assertIn("kind: SeccompProfile", saved["seccompprofile.yaml"])
        self.browser.one(".profile-page summary").click()
        self.browser.until_text(".profile-page details", "systemd: ")

    def test_gaps(self) -> None:
        """The tab says what the trace cannot have seen."""
        self.traced(*_LATER, line(850, "ioctl(3, strange) = 0"), line(851, "close(3) = 0"))
        self.browser.until_text(".profile-page", "Note: The start of the program was not traced")
        self.browser.until_text(".profile-page", "Note: Of 1 call, such as")

    def test_offered(self) -> None:
        """Without evidence, there is no such tab; its address says how to get it."""
        self.expected_message = "/api/profile/summary"
        self.open(f"{self.serve(_START).url}?tab=profile")
        self.browser.until_text(".profile-page .failing", "trace with --profile")
        self.assertFalse(self.browser.one("#tab-profile").is_displayed())

    def test_phone_and_paper(self) -> None:
        """On a phone, only the table scrolls sideways; on paper, nothing is missing."""
        self.traced()
        self.browser.until(lambda: "close" in self.calls())
        self.browser.resize(390, 844)
        self.browser.until(lambda: not self.browser.run(_WIDER))
        self.browser.resize(1440, 900)
        self.browser.emulate_print()
        self.addCleanup(self.browser.emulate_print, paper=False)
        self.assertTrue(self.browser.one(".profile-page .verdict").is_displayed())
        self.assertTrue(self.browser.one(".profile tbody tr:last-child").is_displayed())
