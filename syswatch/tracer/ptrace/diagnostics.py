"""The output of `--debug`: every stop, and the number of stops of each kind."""

from collections import Counter

import attrs
from ptrace.signames import signalName

from syswatch.base.classes import define
from syswatch.base.streams import print_message

from .states import State
from .stops import Stop, read_status

_WITH_SIGNAL = frozenset({Stop.SIGNAL_DELIVERY, Stop.GROUP_STOP, Stop.KILLED})


@define
class Diagnostics:
    """Prints stops to standard error, which the target uses as well."""

    _kinds: Counter[str] = attrs.field(factory=Counter, init=False)

    def stopped(self, tid: int, status: int, state: State) -> None:
        """Print a stop and the state of the thread."""
        if tid < 0:
            self._kinds["wait interrupted"] += 1
            return
        report = read_status(status)
        self._kinds[report.stop.value] += 1
        what = signalName(report.number) if report.stop in _WITH_SIGNAL else str(report.number)
        print_message(f"[{tid}] {status:#08x} {report.stop.value} {what} ({state.value})")

    def close(self) -> None:
        """Print the number of stops of each kind."""
        for kind, count in self._kinds.most_common():
            print_message(f"{count:>9} {kind}")
