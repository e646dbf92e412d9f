"""Tests of the descriptor tables against the kernel's own."""

import subprocess
import sys
from unittest import TestCase

from . import descriptors_machine


class DescriptorsTest(TestCase):
    """The tables agree with the kernel."""

    def test_kernel(self) -> None:
        """After any calls, the table of the tracer is that of the kernel."""
        ended = subprocess.run(
            [sys.executable, "-m", descriptors_machine.__name__],
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

        self.assertEqual(0, ended.returncode, ended.stderr)
