"""Tests of printing the summary."""

import io
import json
import os
import termios

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.terminal.printing import print_summary
from tests.views.pictures import picture

_VIEW = picture(Delta(calls={"close": CallTally(count=3)}, paths={"/ä": 1}))


class Terminal(io.StringIO):
    """A text that takes itself for a terminal."""

    def isatty(self) -> bool:
        """Say yes."""
        return True


class PrintingTests(SynchronousTestCase):
    """Colours, formats, encodings."""

    def setUp(self) -> None:
        """Have an environment without wishes."""
        self.patch(os, "environ", {})

    def printed(self, out: io.StringIO, summary_format: str = "text") -> str:
        """Return what is printed."""
        print_summary(_VIEW, out, summary_format, odd_lines=False)
        return out.getvalue()

    def test_terminal(self) -> None:
        """Terminals get colours, files do not."""
        self.assertIn("\x1b[", self.printed(Terminal()))
        self.assertNotIn("\x1b[", self.printed(io.StringIO()))

    def test_width(self) -> None:
        """A table is as wide as its terminal at most."""
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        termios.tcsetwinsize(theirs, (24, 60))
        with open(theirs, "w") as out:  # noqa: PTH123  a descriptor
            print_summary(_VIEW, out, "text", odd_lines=False)
            words = os.read(ours, 4096).decode()

        self.assertIn("TOTAL", words)
        self.assertNotIn("P95", words)

    def test_no_color(self) -> None:
        """Nobody gets colours who does not want them."""
        self.patch(os, "environ", {"NO_COLOR": "1"})

        self.assertNotIn("\x1b[", self.printed(Terminal()))

    def test_formats(self) -> None:
        """What is for programs has no colours, also on a terminal."""
        self.assertEqual(3, json.loads(self.printed(Terminal(), "json"))["Status"]["Total"])
        for name in ("csv", "ndjson"):
            self.assertNotIn("\x1b[", self.printed(Terminal(), name))

    def test_narrow_encoding(self) -> None:
        """A terminal that knows no such characters gets them escaped."""
        raw = io.BytesIO()
        out = io.TextIOWrapper(raw, encoding="ascii")
        for name in ("text", "json"):
            print_summary(_VIEW, out, name, odd_lines=False)

        self.assertIn(b"\\xb7", raw.getvalue())
