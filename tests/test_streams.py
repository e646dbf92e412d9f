"""Tests of the standard streams."""

import io
import os

from twisted.trial.unittest import SynchronousTestCase

from syswatch import streams
from syswatch.streams import show, tell


class TellTests(SynchronousTestCase):
    """What is said to the user."""

    def test_gone(self) -> None:
        """A terminal that has gone is no reason to break off."""
        ours, theirs = os.openpty()
        self.addCleanup(os.close, theirs)
        self.patch(streams, "_STDERR", theirs)
        tell("heard")
        self.assertEqual(b"syswatch: heard\r\n", os.read(ours, 100))

        os.close(ours)
        tell("not heard")


class ShowTests(SynchronousTestCase):
    """What was asked for."""

    def test_old_terminal(self) -> None:
        """What cannot be shown is escaped."""
        written = io.BytesIO()
        out = io.TextIOWrapper(written, "ascii")
        show(out, "4 µs\n")
        self.assertEqual(b"4 \\xb5s\n", written.getvalue())
