"""Tests of deltas: they are a monoid, and what a limit cuts is counted."""

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import (
    ODD_LINES,
    TRACKED_CALLS,
    TRACKED_PATHS,
    TRACKED_PROCESSES,
    Delta,
    Span,
)
from syswatch.model.entries import Failure, LogEntry
from syswatch.model.evidence import TRACKED_EVIDENCE, EvidenceKey, EvidenceTally
from syswatch.model.process import ProcessTally
from syswatch.model.window import SecondTotals, Window
from tests.strategies import deltas

# What is a plain sum, so that not even the order of the sides matters.
_SUMS = (
    *("calls", "by_process", "paths", "failed_paths", "activity", "objects", "object_waits"),
    *("evidence", "groups", "group_times", "timeline", "window", "span", "ledger", "reading"),
)


class DeltaTests(SynchronousTestCase):
    """The laws that let deltas be added anywhere."""

    @given(deltas, deltas, deltas)
    def test_associative(self, one: Delta, two: Delta, three: Delta) -> None:
        """It does not matter where deltas are added."""
        self.assertEqual((one + two) + three, one + (two + three))

    @given(deltas)
    def test_identity(self, delta: Delta) -> None:
        """An empty delta adds nothing, on either side."""
        in_order = Delta() + delta

        self.assertEqual(in_order, in_order + Delta())
        for name in _SUMS:
            self.assertEqual(getattr(delta, name), getattr(in_order, name), name)

    @given(deltas, deltas)
    def test_sums_commute(self, one: Delta, two: Delta) -> None:
        """Everything that is a plain sum is the same from either side."""
        for name in _SUMS:
            self.assertEqual(getattr(one + two, name), getattr(two + one, name), name)

    @given(deltas, st.integers(-86_400, 86_400))
    def test_shift_and_back(self, delta: Delta, seconds: int) -> None:
        """Moving forth and back changes nothing."""
        self.assertEqual(delta, delta.shifted(seconds).shifted(-seconds))

    def test_shift_moves_everything_dated(self) -> None:
        """Span, log, failures and window move by the same distance; undated entries stay."""
        entry = LogEntry(5 * 10**9, 1, "read", "", "0", "")
        undated = attrs.evolve(entry, time_ns=None)

        moved = Delta(span=Span(1, 2), log=(entry, undated)).shifted(10)

        self.assertEqual(Span(10**10 + 1, 10**10 + 2), moved.span)
        self.assertEqual([15 * 10**9, None], [each.time_ns for each in moved.log])

    def test_paths_are_bounded(self) -> None:
        """A path that is cut is counted in the ledger as often as it was opened."""
        full = Delta(paths={f"/{number}": 1 for number in range(TRACKED_PATHS)})

        total = full + Delta(paths={"/0": 5, "/new": 7}, failed_paths={"/0": 2, "/new": 7})

        self.assertEqual(TRACKED_PATHS, len(total.paths))
        self.assertEqual(6, total.paths["/0"])
        self.assertEqual({"/0": 2}, total.failed_paths)
        self.assertEqual(7, total.ledger.untracked_paths)

    def test_processes_are_bounded(self) -> None:
        """A process that is cut is counted in the ledger once."""
        full = Delta(processes={pid: ProcessTally(count=1) for pid in range(TRACKED_PROCESSES)})

        total = full + Delta(processes={TRACKED_PROCESSES: ProcessTally(count=9, lives=1)})
        total += Delta(processes={TRACKED_PROCESSES: ProcessTally(count=3)})

        self.assertEqual(TRACKED_PROCESSES, len(total.processes))
        self.assertEqual(1, total.ledger.untracked_processes)

    def test_calls_are_bounded(self) -> None:
        """The number of names is limited; calls that are cut are counted."""
        full = Delta(
            calls={f"word_{number}": CallTally(count=1) for number in range(TRACKED_CALLS)}
        )
        more = Delta(
            calls={"word_0": CallTally(count=2), "new": CallTally(count=3)},
            failures={"new": (Failure(None, 1, "EIO", ""),)},
            window=Window({7: {"word_0": SecondTotals(2), "new": SecondTotals(3)}}),
        )

        total = full + more

        self.assertEqual(TRACKED_CALLS, len(total.calls))
        self.assertEqual(3, total.calls["word_0"].count)
        self.assertEqual(3, total.ledger.lost_events)
        self.assertEqual({}, total.failures)
        self.assertEqual({7: {"word_0": SecondTotals(2)}}, total.window.seconds)

    def test_evidence_is_bounded(self) -> None:
        """Rows beyond the limit are counted in the ledger, and their calls stay counted."""
        full = {EvidenceKey("ioctl", (each,)): EvidenceTally(1) for each in range(TRACKED_EVIDENCE)}

        total = Delta(evidence=full) + Delta(evidence={EvidenceKey("read"): EvidenceTally(2)})

        self.assertLess(len(total.evidence), TRACKED_EVIDENCE)
        self.assertEqual(
            TRACKED_EVIDENCE + 1 - len(total.evidence), total.ledger.untracked_evidence
        )
        self.assertEqual(
            TRACKED_EVIDENCE + 2, sum(tally.count for tally in total.evidence.values())
        )

    def test_evidence_is_shifted(self) -> None:
        """The first time of each row moves."""
        key = EvidenceKey("read")

        moved = Delta(evidence={key: EvidenceTally(1, 5)}).shifted(10)

        self.assertEqual({key: EvidenceTally(1, 10**10 + 5)}, moved.evidence)

    def test_first_odd_lines(self) -> None:
        """The first lines that were not understood are kept, and no more."""
        total = Delta(odd_lines=("a", "b", "c")) + Delta(odd_lines=("d", "e", "f"))

        self.assertEqual(("a", "b", "c", "d", "e"), total.odd_lines)
        self.assertEqual(ODD_LINES, len(total.odd_lines))
