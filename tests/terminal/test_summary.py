"""Tests of the printed summary."""

import io
import json
import os
import termios

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.terminal.summary import print_summary
from tests.views.snapshots import snapshot_of

_SNAPSHOT = snapshot_of(Delta(calls={"close": CallTally(count=3)}, paths={"/ä": 1}))


class Terminal(io.StringIO):
    """A text stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


class PrintSummaryTests(SynchronousTestCase):
    """Colours, formats, widths, encodings."""

    def setUp(self) -> None:
        """Start with an empty environment."""
        self.patch(os, "environ", {})

    def printed(self, out: io.StringIO, summary_format: str = "text") -> str:
        """Return what `print_summary` writes."""
        print_summary(_SNAPSHOT, out, summary_format, odd_lines=False)
        return out.getvalue()

    def test_terminal(self) -> None:
        """Terminals get colours, files do not."""
        self.assertIn("\x1b[", self.printed(Terminal()))
        self.assertNotIn("\x1b[", self.printed(io.StringIO()))

    def test_width(self) -> None:
        """A table is at most as wide as its terminal."""
        master, slave = os.openpty()
        self.addCleanup(os.close, master)
        termios.tcsetwinsize(slave, (24, 60))
        with open(slave, "w") as out:  # noqa: PTH123  a descriptor
            print_summary(_SNAPSHOT, out, "text", odd_lines=False)
            printed = os.read(master, 4096).decode()

        self.assertIn("TOTAL", printed)
        self.assertNotIn("P95", printed)

    def test_no_color(self) -> None:
        """NO_COLOR switches colours off."""
        self.patch(os, "environ", {"NO_COLOR": "1"})

        self.assertNotIn("\x1b[", self.printed(Terminal()))

    def test_formats(self) -> None:
        """Machine-readable formats have no colours, even on a terminal."""
        self.assertEqual(3, json.loads(self.printed(Terminal(), "json"))["Status"]["Total"])
        for name in ("csv", "ndjson"):
            self.assertNotIn("\x1b[", self.printed(Terminal(), name))

    def test_narrow_encoding(self) -> None:
        """Characters that the encoding of a terminal lacks are escaped."""
        raw = io.BytesIO()
        out = io.TextIOWrapper(raw, encoding="ascii")
        for name in ("text", "json"):
            print_summary(_SNAPSHOT, out, name, odd_lines=False)

        self.assertIn(b"\\xb7", raw.getvalue())
