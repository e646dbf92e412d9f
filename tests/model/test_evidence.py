"""Tests of evidence: counts are exact, and rows beyond the limit lose their details only."""

from collections.abc import Mapping
from functools import reduce

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.evidence import (
    ANY_PROGRAM,
    EVIDENCE,
    Evidence,
    EvidenceKey,
    EvidenceTally,
    _coarser,
    add_evidence,
    redated_evidence,
)
from syswatch.model.table import Table
from tests.strategies import evidences

_SMALL: Table[EvidenceKey, EvidenceTally] = Table(
    4, EvidenceTally.__add__, _coarser, lambda tally: tally.count
)


def _counts(evidence: Evidence) -> Mapping[tuple[str, str, bool], int]:
    counts: dict[tuple[str, str, bool], int] = {}
    for key, tally in evidence.items():
        call = (key.call, key.architecture, key.refused)
        counts[call] = counts.get(call, 0) + tally.count
    return counts


class EvidenceTests(SynchronousTestCase):
    """Addition, the limit, and moving the timestamps."""

    @given(evidences, evidences, evidences)
    def test_any_order(self, one: Evidence, two: Evidence, three: Evidence) -> None:
        """Below the limit, evidence is added in any order."""
        left = add_evidence(add_evidence(one, two)[0], three)
        right = add_evidence(three, add_evidence(two, one)[0])

        self.assertEqual(left, right)
        self.assertEqual((one, 0), add_evidence(one, {}))
        self.assertEqual((one, 0), add_evidence({}, one))

    @given(st.lists(evidences, min_size=1, max_size=4))
    def test_counts(self, parts: list[Evidence]) -> None:
        """Whatever is cut, each call is counted as often as it was made."""
        whole: Evidence = reduce(lambda left, right: add_evidence(left, right)[0], parts)
        small: Evidence = reduce(lambda left, right: add_evidence(left, right, _SMALL)[0], parts)

        self.assertEqual(_counts(whole), _counts(small))

    @given(evidences, evidences)
    def test_seen_values_stay_possible(self, one: Evidence, two: Evidence) -> None:
        """What was seen still has a row of its own, or one that is for all values."""
        added, _ = add_evidence(one, two, _SMALL)

        for key in (*one, *two):
            shared = key._replace(program=ANY_PROGRAM)
            rows = {key, shared, shared._replace(values=())}
            self.assertTrue(rows & added.keys(), key)

    def test_programs_are_cut_first(self) -> None:
        """The rarest rows lose their program first, and what was cut is counted."""
        one, two = EvidenceKey("ioctl", (1,)), EvidenceKey("ioctl", (2,))
        rows = {
            one._replace(program="a"): EvidenceTally(9, 9),
            one._replace(program="b"): EvidenceTally(1, 1),
            one._replace(program="c"): EvidenceTally(2, 2),
            two._replace(program="a"): EvidenceTally(8, 8),
        }

        added, cut = add_evidence(rows, {one._replace(program="d"): EvidenceTally(3, 7)}, _SMALL)

        expected = {
            one._replace(program="a"): EvidenceTally(9, 9),
            one: EvidenceTally(6, 1),
            two._replace(program="a"): EvidenceTally(8, 8),
        }
        self.assertEqual((expected, 2), (added, cut))

    def test_limit(self) -> None:
        """No more rows are kept than the limit permits."""
        rows = {EvidenceKey("ioctl", (each,)): EvidenceTally(1) for each in range(EVIDENCE.limit)}

        added, cut = add_evidence(rows, {EvidenceKey("ioctl", (-1,)): EvidenceTally(1)})

        self.assertEqual(int(EVIDENCE.limit * 0.75), len(added))
        self.assertEqual(EVIDENCE.limit + 1 - len(added), cut)
        self.assertEqual(cut + 1, added[EvidenceKey("ioctl")].count)

    def test_redated(self) -> None:
        """Known timestamps move, unknown ones stay unknown."""
        rows = {
            EvidenceKey("read"): EvidenceTally(1, 5),
            EvidenceKey("write"): EvidenceTally(2),
        }

        moved = redated_evidence(rows, lambda at_ns: at_ns + 10)

        self.assertEqual(
            {"read": 15, "write": None}, {k.call: t.first_ns for k, t in moved.items()}
        )
