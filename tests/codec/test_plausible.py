"""Tests that a recording with impossible numbers is rejected, whichever field has them."""

import itertools

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.codec.plausible import implausible
from syswatch.codec.recording import MAGIC, RecordingError, RecordingReader
from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import LogEntry
from syswatch.model.evidence import EvidenceKey, EvidenceTally
from syswatch.model.groups import GroupInfo, GroupKey
from syswatch.model.histogram import BUCKET_COUNT, Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.now import Now, ThreadNow
from syswatch.model.process import ProcessTally
from syswatch.model.slowest import SlowCall, Slowest
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import COARSE_MS, FINE_MS, Timeline
from syswatch.model.trace_parent import TraceParent
from syswatch.model.waits import WaitTally
from syswatch.model.window import SecondTotals, Window

_FAR = 10**18
_HUGE = (1 << 64) - 1
_KEY = ActivityKey(1, 1, 0, "read")
_TOO_MUCH = {EvidenceKey("ioctl", (each,)): EvidenceTally(1) for each in range(20_001)}
_TIMES = {1: ThreadTimes(user_ns=1)}


def _slow(duration_ns: int, time_ns: int | None = None, parent: TraceParent | None = None) -> Delta:
    call = SlowCall(duration_ns, time_ns, 1, 1, "read", "", "0", "", trace_parent=parent)
    return Delta(slowest=Slowest.of([call]))


_DAMAGED = (
    ("calls", Delta(calls={"read": CallTally(count=-1)})),
    ("calls", Delta(calls={"read": CallTally(count=_HUGE)})),
    ("calls", Delta(calls={"read": CallTally(histogram=Histogram({BUCKET_COUNT: 1}))})),
    ("calls", Delta(calls={"read": CallTally(waits=WaitTally(histogram=Histogram({-1: 1})))})),
    ("calls", Delta(by_process={1: {"read": CallTally(total_ns=-1)}})),
    ("processes", Delta(processes={1: ProcessTally(lives=-1)})),
    ("paths", Delta(paths={"/x": -1})),
    ("activity", Delta(activity={_KEY: Sums(bytes_in=-1)})),
    ("activity", Delta(activity={_KEY: Sums(waiting_ns=_HUGE)})),
    ("object waits", Delta(object_waits={99: Histogram({_FAR: 1})})),
    ("evidence", Delta(evidence={EvidenceKey("read"): EvidenceTally(-1)})),
    ("evidence", Delta(evidence={EvidenceKey("read"): EvidenceTally(1, _HUGE)})),
    ("evidence", Delta(evidence={EvidenceKey("ioctl", (-1,)): EvidenceTally(1)})),
    ("evidence", Delta(evidence={EvidenceKey("ioctl", (0,) * 99): EvidenceTally(1)})),
    ("evidence", Delta(evidence=_TOO_MUCH)),
    ("groups", Delta(groups={GroupKey("a", "read"): Sums(-1)})),
    ("groups", Delta(group_times={"a": Histogram({_FAR: 1})})),
    ("groups", Delta(group_infos={"a": GroupInfo(lives=-1)})),
    ("groups", Delta(group_infos={str(each): GroupInfo() for each in range(5_002)})),
    ("threads", Delta(threads={1: ThreadTally(calls=_HUGE)})),
    ("threads", Delta(threads={1: ThreadTally(times=ThreadTimes(waiting={Wait(0, ""): _HUGE}))})),
    ("timeline", Delta(timeline=Timeline({1: _TIMES}, bin_ms=0))),
    ("timeline", Delta(timeline=Timeline({1: _TIMES}, bin_ms=-FINE_MS))),
    ("timeline", Delta(timeline=Timeline({1: _TIMES}, bin_ms=FINE_MS + 1))),
    ("timeline", Delta(timeline=Timeline({1: _TIMES, _FAR: _TIMES}, bin_ms=FINE_MS))),
    ("timeline", Delta(timeline=Timeline({_FAR: _TIMES}, bin_ms=COARSE_MS))),
    ("now", Delta(now=Now(_HUGE))),
    ("now", Delta(now=Now(1, {1: ThreadNow(1, since_ns=_HUGE)}))),
    ("slowest calls", _slow(-1)),
    ("slowest calls", _slow(1, time_ns=_HUGE)),
    ("slowest calls", _slow(1, parent=TraceParent("nonsense", "", 1))),
    ("log", Delta(log=(LogEntry(1, 1, "read", "", "0", "", duration_ns=-1),))),
    ("window", Delta(window=Window({1: {}, _FAR: {}}))),
    ("window", Delta(window=Window({1: {"read": SecondTotals(count=-1)}}))),
    ("span", Delta(span=Span(0, _HUGE))),
    ("ledger", Delta(ledger=Ledger(lost_events=_HUGE))),
)


class PlausibleTests(SynchronousTestCase):
    """Impossible numbers."""

    def test_damaged(self) -> None:
        """Each one is found in the part that it belongs to."""
        for part, delta in _DAMAGED:
            self.assertEqual(part, implausible(delta), delta)

    def test_moved_time(self) -> None:
        """Time that a tracer has moved to another state is negative in one of them."""
        times = ThreadTimes(user_ns=-5, waiting={Wait(99, "read"): -3, Wait(98, "read"): 8})

        self.assertEqual("", implausible(Delta(threads={1: ThreadTally(times=times)})))

    def test_one_sentence(self) -> None:
        """The error says what is wrong; nothing of the delta is used."""
        for part, delta in _DAMAGED:
            blocks = RecordingReader().receive_data(MAGIC + encode(delta))
            error = self.assertRaises(RecordingError, list, itertools.chain(blocks))
            self.assertEqual(f"the recording is damaged: impossible numbers ({part})", str(error))
