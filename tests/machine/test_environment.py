"""Tests of what is known of our environment."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.environment import given_environment


class EnvironmentTests(SynchronousTestCase):
    """A variable that the interpreter adds."""

    def given(self, block: bytes) -> dict[str, str]:
        """Return what is made of an environment that began as a block of bytes."""
        folder = Path(self.mktemp())
        folder.mkdir()
        (folder / "environ").write_bytes(block)
        self.patch(os, "environ", {"HUE": "red", "LC_CTYPE": "C.UTF-8"})
        return given_environment(folder)

    def test_added(self) -> None:
        """It is not handed on."""
        self.assertEqual({"HUE": "red"}, self.given(b"HUE=red\0"))

    def test_given(self) -> None:
        """It is where the user has set it."""
        self.assertEqual("C.UTF-8", self.given(b"HUE=red\0LC_CTYPE=C.UTF-8\0")["LC_CTYPE"])
