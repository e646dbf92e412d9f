"""Tests of the pages behind a proxy that puts a path before everything."""

from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from .case import BrowserTestCase
from .watched import session

PREFIX = "/tools/watch/"


class PrefixTests(BrowserTestCase):
    """Everything is found by relative addresses."""

    def proxied(self, port: str) -> str:
        """Serve what that port serves under a prefix; return where."""

        class Proxy(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                """Pass on, or refuse what has lost its prefix."""
                if not self.path.startswith(PREFIX):
                    self.send_error(404)
                    return
                behind = HTTPConnection("127.0.0.1", int(port))
                behind.request("GET", self.path[len(PREFIX) - 1 :])
                answer = behind.getresponse()
                body = answer.read()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                behind.close()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}{PREFIX}"

    def test_pages(self) -> None:
        """Dashboard, detail page and the way between them work under a prefix."""
        url = self.proxied(self.serve(session(1)).port)
        self.open(url)
        self.browser.until(lambda: self.browser.all("tbody tr"))
        self.browser.click("tbody tr a")
        self.browser.until_text("#name", "openat")
        self.browser.until_text("#cards", "40")
        self.browser.click("#back")
        self.browser.until(lambda: self.browser.all(".calls tbody tr"))
        self.assertEqual(url, self.browser.driver.current_url)
        self.assertTrue(all(PREFIX in each for each in self.browser.requests() if "//" in each))
