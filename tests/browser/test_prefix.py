"""Tests of the pages behind a proxy that puts a path before everything."""

from pathlib import Path

from tests.system.nginx import USER, WORD, proxying
from tests.system.servers import need

from .case import BrowserTestCase
from .watched import session

PREFIX = "/syswatch/"


class PrefixTests(BrowserTestCase):
    """Everything is found by relative addresses."""

    def test_pages(self) -> None:
        """Dashboard, detail page and the way between them work behind nginx as it is deployed."""
        need("nginx", "openssl")
        server = self.serve(session(1), "--allow-host", "localhost")
        nginx = self.enterContext(proxying(Path(self.mktemp()).absolute(), server.port))
        site = f"localhost:{nginx.port}{PREFIX}"
        self.browser.trust_any_certificate()
        self.addCleanup(self.browser.trust_any_certificate, trust=False)
        # The browser keeps the password, and needs no address with it afterwards.
        self.browser.driver.get(f"https://{USER}:{WORD}@{site}healthz")
        url = f"https://{site}"
        self.open(url)
        self.browser.until(lambda: self.browser.all("tbody tr"))
        self.browser.click("tbody tr a")
        self.browser.until_text("#name", "openat")
        self.browser.until_text("#cards", "40")
        self.browser.click("#back")
        self.browser.until(lambda: self.browser.all(".calls tbody tr"))
        self.assertEqual(url, self.browser.driver.current_url)
        self.browser.press("6")
        self.browser.until(lambda: self.browser.all(".endpoints button"))
        self.browser.click(".endpoints li:has(a[href$='/api/status']) button")
        self.browser.until_text(".output:not([hidden])", '"Total"')
        self.assertTrue(all(PREFIX in each for each in self.browser.requests() if "//" in each))
