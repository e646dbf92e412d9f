"""Tests of what is drawn while a shell has put us into the background."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.views import shapes
from syswatch.views.records import encode
from syswatch.web import urls

from .ui.tmux import MISSING, Terminal


class BackgroundTests(SynchronousTestCase):
    """The terminal is the shell's then."""

    def test_top(self) -> None:
        """`top` goes on asking, draws nothing, and draws again in the foreground."""
        if MISSING:
            raise SkipTest(MISSING)
        aggregator = Aggregator()
        # More than there is room for.
        aggregator.add(Delta(calls={f"call{number}": CallTally(count=1) for number in range(40)}))
        snapshot = aggregator.snapshot()
        answers = {urls.STATUS: shapes.status(snapshot), urls.STATS: shapes.stats(snapshot)}
        asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                body = encode(answers[self.path])
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        terminal = Terminal()
        self.addCleanup(terminal.close)
        with HTTPServer(("127.0.0.1", 0), Handler) as server:
            serving = Thread(target=server.serve_forever)
            serving.start()
            try:
                terminal.start("top", f"localhost:{server.server_address[1]}")
                seen = terminal.see("CATEGORY")
                self.assertTrue(seen.startswith("a trace  starting"), seen)
                terminal.press("C-z")
                terminal.see("Stopped")
                terminal.press("bg", "Enter")
                terminal.press("clear; echo is$((6*7))", "Enter")
                terminal.see("is42")
                before = len(asked)
                # Every second round of questions has been answered, and drawn if ever.
                terminal.wait(lambda _: len(asked) >= before + 6, "it does not ask")
                self.assertNotIn("CATEGORY", terminal.text)
                terminal.press("fg", "Enter")
                terminal.see("CATEGORY")
                terminal.press("C-c")
            finally:
                server.shutdown()
                serving.join()
