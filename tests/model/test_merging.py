"""Tests of adding maps."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.merging import add_counts, merge_bounded

maps = st.dictionaries(st.integers(0, 12), st.integers(1, 100), max_size=10)


class MergeTests(SynchronousTestCase):
    """Addition key by key."""

    @given(maps, maps)
    def test_sums(self, left: dict[int, int], right: dict[int, int]) -> None:
        """Every key has the sum of both sides, and no side is changed."""
        before = dict(left), dict(right)

        merged = add_counts(left, right)

        self.assertEqual(
            {key: left.get(key, 0) + right.get(key, 0) for key in left | right}, merged
        )
        self.assertEqual(before, (left, right))

    @given(maps.filter(bool))
    def test_empty_side(self, one: dict[int, int]) -> None:
        """Nothing is copied if one side is empty."""
        self.assertIs(one, add_counts(one, {}))
        self.assertIs(one, add_counts({}, one))


class MergeBoundedTests(SynchronousTestCase):
    """Addition with a limit on the number of keys."""

    @given(maps, maps, st.integers(0, 12))
    def test_counts_what_it_cuts(
        self, left: dict[int, int], right: dict[int, int], spare: int
    ) -> None:
        """What is kept and what is cut add up, and no more than the limit is kept."""
        most = len(left) + spare

        kept, cut = merge_bounded(left, right, int.__add__, most)

        self.assertEqual(sum(left.values()) + sum(right.values()), sum(kept.values()) + sum(cut))
        self.assertLessEqual(len(kept), most)

    @given(maps, maps)
    def test_known_keys_are_never_cut(self, left: dict[int, int], right: dict[int, int]) -> None:
        """A full map still counts the keys that it has."""
        kept, cut = merge_bounded(left, right, int.__add__, len(left))

        if left:
            self.assertEqual({key: value + right.get(key, 0) for key, value in left.items()}, kept)
            self.assertEqual([right[key] for key in right if key not in left], cut)
