"""Tests of the pages behind a proxy that adds a path prefix."""

from pathlib import Path

from tests.system.nginx import USER, WORD, proxying
from tests.system.servers import PATIENCE_S, need

from .case import BrowserTestCase
from .server import session

PREFIX = "/syswatch/"
# A page cannot set a header on a WebSocket. The result is the first message, or the refusal.
_LISTEN = """
    const [query, done] = arguments;
    const stream = new WebSocket(new URL(`stream${query}`, location).href.replace("https", "wss"));
    stream.onmessage = ({data}) => {
        stream.onclose = null;
        stream.close();
        done(JSON.parse(data));
    };
    stream.onclose = ({code}) => done(code);
"""
_ABNORMAL = 1006


class PrefixTests(BrowserTestCase):
    """All URLs are relative."""

    def open_behind_proxy(self, *options: str) -> str:
        """Serve a log behind nginx as in the deployment, open the dashboard and return its URL."""
        need("nginx", "openssl")
        server = self.serve(session(1), "--allow-host", "localhost", *options)
        nginx = self.enterContext(proxying(Path(self.mktemp()).absolute(), server.port))
        site = f"localhost:{nginx.port}{PREFIX}"
        self.browser.accept_any_certificate()
        self.addCleanup(self.browser.accept_any_certificate, trust=False)
        # The browser keeps the password, so later URLs need none.
        self.browser.driver.get(f"https://{USER}:{WORD}@{site}healthz")
        self.open(f"https://{site}")
        return f"https://{site}"

    def test_stream(self) -> None:
        """A page can use the stream with the token in the query only."""
        self.open_behind_proxy("--ws-token", "sesame & more")
        self.expected_message = "WebSocket connection to"
        self.browser.driver.set_script_timeout(PATIENCE_S)
        listen = self.browser.driver.execute_async_script
        [call, *_] = listen(_LISTEN, "?token=sesame%20%26%20more")
        self.assertEqual("openat", call["Name"])
        for query in ("", "?token=", "?token=sesame"):
            self.assertEqual(_ABNORMAL, listen(_LISTEN, query), query)

    def test_pages(self) -> None:
        """Dashboard, detail page and the links between them work."""
        url = self.open_behind_proxy()
        self.browser.until(lambda: self.browser.all("tbody tr"))
        self.browser.click("tbody tr a[href$='/syscall/openat']")
        self.browser.until_text("#name", "openat")
        self.browser.until_text("#cards", "40")
        self.browser.click("#back")
        self.browser.until(lambda: self.browser.all(".calls tbody tr"))
        self.assertEqual(url, self.browser.driver.current_url)
        self.browser.press("0")
        self.browser.until(lambda: self.browser.all(".endpoints button"))
        self.browser.click(".endpoints li:has(a[href$='/api/status']) button")
        self.browser.until_text(".output:not([hidden])", '"Total"')
        self.assertTrue(all(PREFIX in each for each in self.browser.requests() if "//" in each))
