"""Tests of what `top` draws while it runs in the background."""

from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from threading import Thread

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.views import record_builders
from syswatch.views.records import encode
from syswatch.web import urls

from .ui.tmux import TerminalTestCase


def write_responses(folder: Path) -> None:
    """Write the responses of a server, as files for its paths."""
    aggregator = Aggregator()
    # More rows than the terminal has.
    aggregator.add(Delta(calls={f"call{number}": CallTally(count=1) for number in range(40)}))
    snapshot = aggregator.snapshot()
    responses = {
        urls.STATUS: record_builders.status(snapshot),
        urls.STATS: record_builders.stats(snapshot),
    }
    for path, response in responses.items():
        file = folder / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(encode(response))


class BackgroundTests(TerminalTestCase):
    """In the background the terminal belongs to the shell."""

    def test_top(self) -> None:
        """`top` keeps polling, draws nothing, and draws again in the foreground."""
        requests = []

        class Handler(SimpleHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                requests.append(self.path)

        folder = self.terminal.folder / "responses"
        write_responses(folder)
        handler = partial(Handler, directory=str(folder))
        with HTTPServer(("127.0.0.1", 0), handler) as server:
            serving = Thread(target=server.serve_forever)
            serving.start()
            try:
                self.terminal.start("top", f"localhost:{server.server_address[1]}")
                screen = self.terminal.wait_for_text("CATEGORY")
                # The first line says that this server does not know where the time goes.
                self.assertEqual("a trace  starting", screen.splitlines()[1].partition(" · ")[0])
                self.terminal.press("C-z")
                self.terminal.wait_for_text("Stopped")
                self.terminal.press("bg", "Enter")
                self.terminal.press("clear; echo is$((6*7))", "Enter")
                self.terminal.wait_for_text("is42")
                before = len(requests)
                # At least two polls are complete: what they draw would be on the screen.
                self.terminal.wait(lambda _: len(requests) >= before + 6, "no requests")
                self.assertNotIn("CATEGORY", self.terminal.text)
                self.terminal.press("fg", "Enter")
                self.terminal.wait_for_text("CATEGORY")
                self.terminal.press("C-c")
            finally:
                server.shutdown()
                serving.join()
