"""Tests of what the page says when something is not as usual."""

from twisted.trial.unittest import SkipTest

from .case import BrowserTestCase
from .chromium import ENTER
from .watched import Watched, line, session

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
# Both at once are rare: only a trace that is pressed hard has them.
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
    """What the page says when something is not as usual."""

    def test_nothing_yet(self) -> None:
        """Before the first call the page says that it waits."""
        self.open(self.serve([]).url)

        self.browser.until_text(".calls + .empty", "No data yet")
        self.assertIn("No data yet", self.browser.text("#alerts"))

    def test_no_errors(self) -> None:
        """A program without a failed call is told so."""
        self.open(self.serve([line(0, "getpid() = 1")]).url)

        self.browser.until_text("#cards", "no errors")

    def test_ended(self) -> None:
        """When it is over the page says so, and that the numbers are final."""
        server = self.serve(session(1))
        self.open(server.url)
        server.end()

        self.browser.until_text("#state", "read to its end")
        self.browser.until_text("#notices", "These are the final numbers")
        self.browser.until_text("#elapsed", "1s")

    def test_ended_at_once(self) -> None:
        """What took less than a second did not take none."""
        server = self.serve([line(0, "getpid() = 1")])
        self.open(server.url)
        server.end()

        self.browser.until_text("#elapsed", "<1s")
        self.browser.until_text("#notices", "covering less than a second")

    def test_legend(self) -> None:
        """Each colour in the charts is explained, though nothing of it happens now."""
        self.open(self.serve([*session(1), line(8, "getpid() = 41"), line(9, "getpid() = 41")]).url)
        self.browser.until(lambda: self.browser.all("#charts .fs[d^=M]"))
        self.browser.until_text("#legend .fs:not([hidden])", "FS –")

    def test_not_exact(self) -> None:
        """What is not exact is said in a line of its own, and in the ledger."""
        self.open(self.serve([*session(1), "this is no line of strace"]).url)

        self.browser.until_text("#notices", "1 log line that is not a known")
        self.browser.click("#exact")
        self.browser.until_text(".ledger-page", "Unparsed lines")

    def test_sample(self) -> None:
        """That the log is a sample is nothing to be warned of, also beside what is."""
        self.open(self.serve(session(1)).url)
        self.browser.until(lambda: self.browser.all("tbody tr"))

        self.assertEqual("▲ Not exact: 2 lost.", self.browser.run(_NOTICES_OF_A_SAMPLE))

    def test_server_lost_and_back(self) -> None:
        """A server that is gone is noticed, the numbers stay, and a new one is found."""
        # It may go in the middle of an answer, too.
        self.expected_complaint = "net::ERR_"
        server = Watched.log(session(1))
        self.open(server.url)
        self.browser.until(lambda: self.browser.all("tbody tr"))
        server.stop()
        self.browser.until_text("#state", "disconnected")
        self.assertIn("Connection lost: server unreachable", self.browser.text("#notices"))
        self.assertTrue(self.browser.all("tbody tr"))
        # The charts go on without it, and leave open what nobody told.
        gap = self.browser.one("#charts .gap")
        self.browser.until(lambda: float(gap.get_attribute("width") or 0) > 0)
        # Another trace, of an earlier time: the charts have all of it, and nothing of the first.
        lines = [line(-50, "getpid() = 1"), line(-40, "getpid() = 1")]
        self.watch(Watched.log(lines, address=f":{server.port}"))
        self.browser.until_text("#state", "reading")
        self.browser.until(lambda: self.browser.texts("tbody th") == ["getpid"])
        self.browser.until(lambda: self.browser.all("#charts .proc[d^=M]"))
        self.assertEqual([], self.browser.all("#charts .fs[d^=M]"))

    def test_another_answers(self) -> None:
        """What is no answer of syswatch, as that of a proxy, is said in words of people."""
        self.open(self.serve(session(1)).url)
        self.browser.until(lambda: self.browser.all("tbody tr"))
        self.browser.run(_ANOTHER_ANSWERS)
        self.browser.until_text("#notices", "invalid response")
        self.assertTrue(self.browser.all("tbody tr"))

    def test_hidden(self) -> None:
        """A page that nobody sees asks nothing, and asks at once when it is seen again."""
        self.open(self.serve(session(1)).url)
        self.browser.until(lambda: self.browser.all("tbody tr"))
        self.browser.run(_HIDE)
        self.browser.until(lambda: self.browser.run("return performance.now() - since > 2200"))
        self.assertEqual(0, self.browser.run("return asked"))
        self.browser.run("hide(false)")
        self.browser.until(lambda: self.browser.run("return asked > 0"))

    def test_token(self) -> None:
        """A server that wants a token is given one, asked for once."""
        self.expected_complaint = "401"
        self.open(self.serve(session(1), "--http-token", "s3cret").url)
        self.browser.one("#token-input").send_keys("s3cret" + ENTER)

        self.browser.until(lambda: self.browser.all("tbody tr"))
        self.assertFalse(self.browser.run("return document.querySelector('#token').open"))


class RealProgramTests(BrowserTestCase):
    """A program that really runs."""

    def run_program(self, *command: str) -> None:
        """Open the page of a program that runs."""
        try:
            server = self.watch(Watched("run", "--serve", ":0", *command))
        except AssertionError as error:
            raise SkipTest(f"needs the right to trace: {error}") from error
        self.open(server.url)

    def test_no_call_yet(self) -> None:
        """A program that does nothing of what is watched has no time to draw, nor an axis."""
        self.run_program("-e", "mkdir", "--", "sleep", "600")
        self.browser.until_text("#comm", "sleep")
        self.browser.until(lambda: self.browser.all("#charts.without-data"))
        self.assertEqual([], self.browser.texts("#charts .axis text"))
        self.browser.until_text("#notices", "Only calls selected by -e mkdir are counted.")

    def test_killed(self) -> None:
        """A signal that ended the program is called by its name."""
        self.run_program("--", "sh", "-c", "kill -SEGV $$")

        self.browser.until_text("#state", "killed by SIGSEGV")
        self.browser.until_text("#notices", "Killed by SIGSEGV after less than a second.")

    def test_run(self) -> None:
        """What a program does now is on the page now."""
        program = "while :; do ls / >/dev/null; sleep 0.05; done"
        self.run_program("--", "sh", "-c", program)
        self.browser.until_text("#state", "tracing")
        self.browser.until(lambda: "execve" in self.browser.texts("tbody th"))
        self.browser.until(
            lambda: self.browser.text("#cards .card-rate b") not in ("", "–", "0\u202f/s")
        )
