"""Bands: what a figure was in the runs of one side."""

from collections.abc import Sequence

from syswatch.base.classes import frozen


@frozen
class Band:
    """The least and the greatest value of a figure in some runs, and the middle of all."""

    least: int
    middle: int
    most: int
    runs: int

    @classmethod
    def of(cls, values: Sequence[int]) -> "Band":
        """Return the band of the values of one side; the order does not matter."""
        ranked = sorted(values)
        return cls(ranked[0], ranked[len(ranked) // 2], ranked[-1], len(ranked))

    @property
    def is_one_value(self) -> bool:
        """Return whether all runs have the same value."""
        return self.least == self.most

    def includes(self, other: "Band") -> bool:
        """Return whether all values of another band lie in this one."""
        return self.least <= other.least and other.most <= self.most

    @property
    def range(self) -> int:
        """How far the values are apart."""
        return self.most - self.least


NO_RUNS = Band(0, 0, 0, 0)


def gap(one: Band, other: Band) -> int:
    """Return how far two bands are apart; 0 if they touch or overlap."""
    return max(other.least - one.most, one.least - other.most, 0)


# A few runs show only a part of what is usual: of three, the fourth lies outside as often as not.
# With these factors, a number that varies by chance lies outside in one of 200 comparisons (of two
# runs, in one of 50), even if it has a long tail, as the number of attempts until one fits has.
_EXTENSIONS = {1: 0.0, 2: 40.0, 3: 15.0, 4: 7.0, 5: 5.0, 6: 3.5}
_OF_MANY = 2.5


def extension(runs: int) -> float:
    """Return by how many times its range a band of so many runs is extended."""
    return _EXTENSIONS.get(runs, _OF_MANY)


def extended_by(one: Band, other: Band) -> float:
    """Return how far both bands together are extended by what they show."""
    return max(each.range * extension(each.runs) for each in (one, other))
