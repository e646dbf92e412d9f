"""Tests of what is read before a service is made."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app import services
from syswatch.comparison.sources import read
from tests.options.parsing import config_of
from tests.recording import samples
from tests.system.servers import LOG


class _Guarded(BaseHTTPRequestHandler):
    """A server that requires a token."""

    def do_GET(self) -> None:
        """Refuse, whatever is presented."""
        self.send_error(401)

    def log_message(self, *_: object) -> None:
        """Be quiet."""


class BaselineTests(SynchronousTestCase):
    """The baselines of a trace that is served."""

    def setUp(self) -> None:
        """Record what is announced."""
        self.announced: list[str] = []
        self.patch(services, "announce", self.announced.append)

    def make(self, *baselines: str) -> Any:
        """Make the service of a command line with baselines."""
        words = [word for each in baselines for word in ("--baseline", each)]
        config = config_of("stats", "--serve", ":0", *words, str(LOG))
        return services.make_service(config, MemoryReactorClock())  # type: ignore[arg-type]

    def refused(self, *baselines: str) -> str:
        """Return the sentence about a baseline that cannot be read."""
        with self.assertRaises(SystemExit) as caught:
            self.make(*baselines)
        self.assertEqual(2, caught.exception.code)
        return self.announced.pop()

    def test_read(self) -> None:
        """They are those that `syswatch diff` reads, in their order, without their origin."""
        recording = str(samples.write(Path(self.mktemp())))
        runs = self.make(recording, str(LOG)).baselines
        self.assertEqual([read(recording), read(str(LOG))], runs)
        self.assertEqual([None, None], [each.delta for each in runs])

    def test_none(self) -> None:
        """Without a baseline, nothing is read."""
        self.assertEqual((), self.make().baselines)

    def test_mistakes(self) -> None:
        """A baseline that cannot be read is one sentence, and nothing is started."""
        bad = Path(self.mktemp())
        bad.write_text("hello\n")
        self.assertEqual(
            "/nonexistent: no such file, recording or URL", self.refused(str(LOG), "/nonexistent")
        )
        self.assertRegex(self.refused(str(bad)), f"^no system calls in {bad}: ")

    def test_token(self) -> None:
        """The token of this server is not presented to others: the sentence says what to do."""
        with HTTPServer(("127.0.0.1", 0), _Guarded) as httpd:
            thread = Thread(target=httpd.handle_request)
            thread.start()
            sentence = self.refused(f"127.0.0.1:{httpd.server_address[1]}")
            thread.join()
        self.assertRegex(sentence, "requires a token .save its /api/summary to a file")
