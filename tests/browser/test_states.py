"""Tests of unusual states: no data yet, ended, disconnected, token required."""

from twisted.trial.unittest import SkipTest

from .case import BrowserTestCase
from .chromium import ENTER
from .server import SyswatchServer, line, session

_HIDE = """
window.asked = 0;
const ask = window.fetch;
window.fetch = (...all) => { asked += 1; return ask(...all); };
window.hide = (isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
};
hide(true);
window.since = performance.now();
"""
# Only an overloaded trace has both at once.
_NOTICES_OF_A_SAMPLE = """
return import(new URL("static/header.js", document.baseURI)).then(({ showNotices }) => {
  const fidelity = { Explanations: ["2 lost", "5 sampled"], Inexact: { LostEvents: "2 lost" } };
  showNotices({}, fidelity, { trouble: null });
  return document.querySelector("#notices").textContent;
});
"""


_ANOTHER_ANSWERS = """
window.fetch = async () => new Response("<!doctype html><title>Sign in</title>");
"""


class StateTests(BrowserTestCase):
    """What the page shows in unusual states."""

    def test_nothing_yet(self) -> None:
        """Before the first call the page shows that there is no data yet."""
        self.open(self.serve([]).url)

        self.browser.until_text(".calls + .empty", "No data yet")
        self.assertIn("No data yet", self.browser.text("#alerts"))

    def test_no_errors(self) -> None:
        """A program without failed calls has no errors."""
        self.open(self.serve([line(0, "getpid() = 1")]).url)

        self.browser.until_text("#cards", "no errors")

    def test_ended(self) -> None:
        """After the end the page shows that the numbers are final."""
        server = self.serve(session(1))
        self.open(server.url)
        server.end()

        self.browser.until_text("#state", "log fully read")
        self.browser.until_text("#notices", "These are the final numbers")
        self.browser.until_text("#elapsed", "1s")

    def test_ended_at_once(self) -> None:
        """A duration below a second is not shown as 0."""
        server = self.serve([line(0, "getpid() = 1")])
        self.open(server.url)
        server.end()

        self.browser.until_text("#elapsed", "<1s")
        self.browser.until_text("#notices", "covering less than a second")

    def test_legend(self) -> None:
        """The legend has every category of the charts, also without current calls."""
        later = [line(at, "getpid() = 41") for at in (8, 9)]
        self.open(f"{self.serve([*session(1), *later]).url}?tab=calls&chart=calls")
        self.browser.until(lambda: self.browser.all("#charts .fs[d^=M]"))
        self.browser.until_text("#legend .fs:not([hidden])", "FS –")

    def test_not_exact(self) -> None:
        """A line below the header and the ledger show what is not exact."""
        self.open(self.serve([*session(1), "this is no line of strace"]).url)

        self.browser.until_text("#notices", "1 log line that is not a known")
        self.browser.click("#exact")
        self.browser.until_text(".ledger-page", "Unparsed lines")

    def test_sample(self) -> None:
        """Sampling is no warning, even beside one."""
        self.open(self.serve(session(1)).url)
        self.browser.until(lambda: self.browser.all("tbody tr"))

        self.assertEqual("▲ Not exact: 2 lost.", self.browser.run(_NOTICES_OF_A_SAMPLE))

    def test_server_lost_and_back(self) -> None:
        """When the server is lost the numbers stay; a new server is found."""
        # It may stop during a response.
        self.expected_message = "net::ERR_"
        server = SyswatchServer.log(session(1))
        self.open(server.url)
        self.browser.until(lambda: self.browser.all("tbody tr"))
        server.stop()
        self.browser.until_text("#state", "disconnected")
        self.assertIn("Connection lost: server unreachable", self.browser.text("#notices"))
        self.assertTrue(self.browser.all("tbody tr"))
        # The charts continue with a gap.
        self.browser.until(lambda: self.gap("#time-charts") > 0)
        self.browser.click("#chart-kinds [value=calls]")
        self.browser.until(lambda: self.gap("#charts") > 0)
        # Another trace of an earlier time replaces everything in the charts.
        lines = [line(-50, "getpid() = 1"), line(-40, "getpid() = 1")]
        self.stop_later(SyswatchServer.log(lines, address=f":{server.port}"))
        self.browser.until_text("#state", "reading")
        self.browser.until(lambda: self.browser.texts("tbody th") == ["getpid"])
        self.browser.until(lambda: self.browser.all("#charts .proc[d^=M]"))
        self.assertEqual([], self.browser.all("#charts .fs[d^=M]"))

    def gap(self, charts: str) -> float:
        """Return the width of what the charts show without data at their end."""
        return float(self.browser.one(f"{charts} .gap").get_attribute("width") or 0)

    def test_another_answers(self) -> None:
        """A response that is not from syswatch, such as one of a proxy, is reported."""
        self.open(self.serve(session(1)).url)
        self.browser.until(lambda: self.browser.all("tbody tr"))
        self.browser.run(_ANOTHER_ANSWERS)
        self.browser.until_text("#notices", "invalid response")
        self.assertTrue(self.browser.all("tbody tr"))

    def test_hidden(self) -> None:
        """A hidden page sends no requests, and polls at once when it becomes visible."""
        self.open(self.serve(session(1)).url)
        self.browser.until(lambda: self.browser.all("tbody tr"))
        self.browser.run(_HIDE)
        self.browser.until(lambda: self.browser.run("return performance.now() - since > 2200"))
        self.assertEqual(0, self.browser.run("return asked"))
        self.browser.run("hide(false)")
        self.browser.until(lambda: self.browser.run("return asked > 0"))

    def test_token(self) -> None:
        """The token is requested once."""
        self.expected_message = "401"
        self.open(self.serve(session(1), "--http-token", "s3cret").url)
        self.browser.one("#token-input").send_keys("s3cret" + ENTER)

        self.browser.until(lambda: self.browser.all("tbody tr"))
        self.assertFalse(self.browser.run("return document.querySelector('#token').open"))


class RealProgramTests(BrowserTestCase):
    """A program that is really running."""

    def run_program(self, *command: str) -> None:
        """Open the page of a running program."""
        try:
            server = self.stop_later(SyswatchServer("run", "--serve", ":0", *command))
        except AssertionError as error:
            raise SkipTest(f"needs the right to trace: {error}") from error
        self.open(server.url)

    def test_no_call_yet(self) -> None:
        """A program without calls that match the filter has no chart and no axis."""
        self.run_program("-e", "mkdir", "--", "sleep", "600")
        self.browser.until_text("#comm", "sleep")
        self.browser.until(lambda: self.browser.all("#charts.without-data"))
        self.assertEqual([], self.browser.texts("#charts .axis text"))
        self.browser.until_text("#notices", "Only calls selected by -e mkdir are counted.")

    def test_killed(self) -> None:
        """The signal that killed the program is named."""
        self.run_program("--", "sh", "-c", "kill -SEGV $$")

        self.browser.until_text("#state", "killed by SIGSEGV")
        self.browser.until_text("#notices", "Killed by SIGSEGV after less than a second.")

    def test_run(self) -> None:
        """The page shows current calls."""
        program = "while :; do ls / >/dev/null; sleep 0.05; done"
        self.run_program("--", "sh", "-c", program)
        self.browser.until_text("#state", "tracing")
        self.browser.until(lambda: "execve" in self.browser.texts("tbody th"))
        self.browser.until(
            lambda: self.browser.text("#cards .card-rate b") not in ("", "–", "0\u202f/s")
        )
