"""One trace: whom it introduces, and what it makes of the clock."""

import os

from syswatch.model.delta import Delta
from syswatch.model.times import SECOND_NS
from syswatch.tracer.ebpf.reader import Reader

from .case import EbpfCase


class IntroductionTests(EbpfCase):
    """Who is watched is looked up again and again, as a process may become another."""

    def test_number_used_again(self) -> None:
        """A process that has ended is not introduced again: its number may be another's."""
        trace = self.prepare()
        trace.reader.main_pid = os.getpid()
        trace.announce()
        self.assertNotEqual(b"", os.read(self.said, 65536))
        trace.reader.main_pid = os.getppid()
        trace.reader.ending = 0
        trace.announce()
        os.set_blocking(self.said, False)
        self.assertRaises(BlockingIOError, os.read, self.said, 65536)


class ClockTests(EbpfCase):
    """Somebody may set the clock while a trace goes on."""

    def test_set_back(self) -> None:
        """Log and paths are read once a second, although the second before has not come yet."""
        trace = self.prepare()
        asked: list[bool] = []

        def read(_: Reader, *, everything: bool) -> Delta:
            asked.append(everything)
            return Delta()

        self.patch(Reader, "read", read)
        for second in (9000, 9000.25, 9001, 10, 10.25, 11):
            trace._send(int(second * SECOND_NS))
        self.assertEqual([True, False, True, True, False, True], asked)
