"""Tests of what was read of some inputs, and of adding it up."""

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model import delta, exactness
from syswatch.model.calls import CallTally
from syswatch.model.delta import TRACKED_PATHS, Delta
from syswatch.model.messages import Ended, Failed, Started
from syswatch.tracer.cluster.piece import Piece, added, summed
from syswatch.tracer.inputs.input_file import InputError
from tests.tracer.cluster.fakes import delta_of_paths


class SummedTests(SynchronousTestCase):
    """Consecutive deltas are added as long as no limit cuts anything."""

    def test_within_limits(self) -> None:
        """Deltas that fit become one."""
        deltas = [Delta(calls={"read": CallTally(count=each)}) for each in (1, 2, 3)]

        self.assertEqual([sum(deltas, start=Delta())], list(summed(deltas)))

    def test_beyond_limits(self) -> None:
        """Deltas whose sum would be cut stay apart, so that their order decides what is cut."""
        first = delta_of_paths(0, TRACKED_PATHS - 1)
        second = delta_of_paths(TRACKED_PATHS, 2)
        third = delta_of_paths(TRACKED_PATHS, 2)

        apart = list(summed([first, second, third]))

        self.assertEqual([first, second + third], apart)
        whole = sum(apart, start=Delta())
        self.assertEqual(first + second + third, whole)
        self.assertEqual(2, whole.ledger.untracked_paths)

    @given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.integers(0, 6))
    def test_any_tree(self, sizes: list[int], split: int) -> None:
        """However the pieces are grouped, the service adds up the same."""
        self.patch(exactness, "_LIMITS", {"paths": 12})
        self.patch(delta, "TRACKED_PATHS", 12)
        pieces = [Piece((delta_of_paths(at * 4, size),)) for at, size in enumerate(sizes)]

        tree = added([added(pieces[:split]), added(pieces[split:])])

        self.assertEqual(
            sum((each.deltas[0] for each in pieces), start=Delta()),
            sum(tree.deltas, start=Delta()),
        )


class AddedTests(SynchronousTestCase):
    """What is known of several inputs beside their sums."""

    def test_starts(self) -> None:
        """Of several logs the first tells the start; recordings have starts of their own."""
        log, other, recording = (Started(backend=each) for each in "abc")

        whole = added([Piece(starts={"": log}), Piece(starts={"": other, "rec": recording})])

        self.assertEqual([("", log), ("rec", recording)], list(whole.starts.items()))

    def test_ends_and_errors(self) -> None:
        """Ends and errors are kept in the order of the inputs."""
        errors = [InputError(each) for each in "ab"]
        one = Piece(ends={"": Ended()}, troubles=(errors[0],))
        other = Piece(ends={"rec": Failed("x")}, troubles=(errors[1],), has_records=True)

        whole = added([one, other])

        self.assertEqual({"": Ended(), "rec": Failed("x")}, dict(whole.ends))
        self.assertEqual(tuple(errors), whole.troubles)
        self.assertTrue(whole.has_records)

    def test_every_limit(self) -> None:
        """The limits are those of maps that a delta has."""
        names = {field.name for field in attrs.fields(Delta)}

        self.assertLessEqual(exactness._LIMITS.keys(), names)
