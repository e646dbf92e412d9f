"""Tests of the server's own log."""

import io
import json

from twisted.logger import LogLevel
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app.logs import JsonLines, text_lines
from tests.hostile import HOSTILE, forbidden


class HostileTextTests(SynchronousTestCase):
    """Events that quote untrusted text."""

    def test_inert(self) -> None:
        """They are written escaped, for people and for programs."""
        for raw, shown in HOSTILE.items():
            if b"\n" in raw:
                continue  # An event may have several lines, as that of a failure has.
            event = {
                "log_format": "it says {what}",
                "what": raw.decode(errors="surrogateescape"),
                "log_level": LogLevel.error,
                "log_time": 1.7e9,
            }
            for make in (JsonLines, text_lines):
                out = io.StringIO()
                make(out)(event)
                written = out.getvalue()
                self.assertEqual(set(), forbidden(written, but="\n"))
                written.encode()
                message = json.loads(written)["message"] if make is JsonLines else written
                self.assertIn(f"it says {shown}", message)
