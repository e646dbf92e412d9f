"""Tests of what is mapped at an address."""

import ctypes
import os

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.ebpf.mappings import Mappings


class MappingTests(SynchronousTestCase):
    """The mappings of a process."""

    def test_names(self) -> None:
        """A library is named; anonymous memory and addresses without a mapping are not."""
        function = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p).value
        assert function is not None
        mappings = Mappings()
        self.assertIn(b"libc", mappings.find(os.getpid(), function))
        self.assertEqual(b"", mappings.find(os.getpid(), 1))

    def test_unreadable(self) -> None:
        """A process that has ended has none."""
        self.assertEqual(b"", Mappings().find(1 << 30, 1))
