"""One trace, and the clock."""

from syswatch.model.delta import Delta
from syswatch.model.times import SECOND_NS
from syswatch.tracer.ebpf.reader import Reader

from .case import EbpfCase


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
