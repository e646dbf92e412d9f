"""Tests of our own words."""

import os
import sys

from twisted.trial.unittest import SynchronousTestCase

from syswatch.speech import say


class SayTests(SynchronousTestCase):
    """What is said to the user."""

    def test_gone(self) -> None:
        """A terminal that has gone is no reason to break off."""
        ours, theirs = os.openpty()
        with open(theirs, "w", buffering=1) as out:  # noqa: PTH123  a descriptor
            self.patch(sys, "__stderr__", out)
            say("heard")
            self.assertEqual(b"syswatch: heard\r\n", os.read(ours, 100))

            os.close(ours)
            say("not heard")
            say("nor this")
