"""Sums of columns by groups of rows, exact to the last nanosecond."""

from typing import Any

from syswatch.base.classes import frozen
from syswatch.codec.recording import RecordingError
from syswatch.model.histogram import BUCKET_COUNT, SUB_BITS, SUBDIVISIONS
from syswatch.recording.extra import load

# From 2**53 on, a float does not hold every integer; times have ten bits more.
_EXACT_BITS = 53
_EXCESS_BITS = 10
_LARGEST_SUM = float(1 << 63)


def dense(values: Any) -> tuple[Any, int]:
    """Return each value's place among the different ones, and how many these are."""
    arrow, compute = load("pyarrow"), load("pyarrow.compute")
    encoded = compute.dictionary_encode(arrow.array(values))
    return encoded.indices.to_numpy().astype("i8"), len(encoded.dictionary)


@frozen(eq=False)
class Groups:
    """
    Groups of rows.

    `index` has the group of each row, and `first` the first row of each group.
    """

    index: Any
    first: Any

    @classmethod
    def of(cls, *columns: Any) -> "Groups":
        """Group rows that are equal in some columns."""
        numpy = load("numpy")
        index, groups = dense(columns[0])
        for column in columns[1:]:
            places, different = dense(column)
            index, groups = dense(index * max(different, 1) + places)
        first = numpy.zeros(groups, "i8")
        first[index[::-1]] = numpy.arange(len(index))[::-1]
        return cls(index, first)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.first)

    def where(self, chosen: Any) -> "Groups":
        """Return the same groups of some of the rows; `first` refers to all rows still."""
        return Groups(self.index[chosen], self.first)

    def counts(self, chosen: Any = None) -> list[int]:
        """Return the number of rows of each group, of all or of those chosen by a mask."""
        numpy = load("numpy")
        index = self.index if chosen is None else self.index[chosen]
        counts: list[int] = numpy.bincount(index, minlength=len(self)).tolist()
        return counts

    def sums(self, values: Any) -> list[int]:
        """Return the sum of a column for each group."""
        numpy = load("numpy")
        if len(values) and float(values.astype("f8").sum()) >= _LARGEST_SUM:
            raise RecordingError("impossible numbers (their sum is too large)")
        totals = numpy.zeros(len(self), "i8")
        numpy.add.at(totals, self.index, values.astype("i8"))
        sums: list[int] = totals.tolist()
        return sums

    def extremes(self, values: Any) -> tuple[list[int], list[int]]:
        """Return the least and the greatest value of each group, 0 for groups without rows."""
        numpy = load("numpy")
        largest = numpy.iinfo("i8").max
        least, most = numpy.full(len(self), largest, "i8"), numpy.zeros(len(self), "i8")
        numpy.minimum.at(least, self.index, values)
        numpy.maximum.at(most, self.index, values)
        least[least == largest] = 0
        return least.tolist(), most.tolist()

    def histograms(self, values: Any) -> list[dict[int, int]]:
        """Return for each group how many values fall into each bucket of a histogram."""
        return self.tables(buckets_of(values), BUCKET_COUNT)

    def tables(self, places: Any, different: int) -> list[dict[int, int]]:
        """Return for each group how many rows have each of some small numbers."""
        numpy = load("numpy")
        tables: list[dict[int, int]] = [{} for _ in range(len(self))]
        codes, counts = numpy.unique(self.index * different + places, return_counts=True)
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            group, place = divmod(code, different)
            tables[group][place] = count
        return tables


def buckets_of(values: Any) -> Any:
    """Return the bucket of each duration, as `syswatch.model.histogram.bucket_of` does."""
    numpy = load("numpy")
    # The conversion to floats must not round a number up to the next power of two.
    is_large = values >> _EXACT_BITS != 0
    shortened = numpy.where(is_large, values >> _EXCESS_BITS, values)
    bits = numpy.frexp(shortened.astype("f8"))[1] + is_large * _EXCESS_BITS
    shift = numpy.maximum(bits.astype("i8") - SUB_BITS - 1, 0)
    return numpy.where(values < SUBDIVISIONS, values, (shift << SUB_BITS) + (values >> shift))
