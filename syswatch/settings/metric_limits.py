"""How many series `/metrics` may have, and what they are spent on."""

from syswatch.base.classes import frozen

# From 128 ns to 137 s.
FIRST_EDGE_BITS = 7
LAST_EDGE_BITS = 37
# Into how many buckets a factor of two can be cut: the edges of a histogram are among these.
BUCKETS = (0, 1, 2, 4, 8, 16)
DEFAULT_SERIES = 1000
# The server answers nothing else while it computes a scrape: of so many, for a third of a second.
MOST_SERIES = 50_000
# The metrics that are not of single calls; a test counts them.
_RESERVED = 150
_COUNTERS = 2
# The share of the rest that counters get at least, as a divisor for the number of calls.
_CALLS_DIVISOR = 10
# The share of all series that groups get, as a divisor, and the series of each.
_GROUPS_DIVISOR = 3
_GROUP_COUNTERS = 4


@frozen
class MetricLimits:
    """The limit of series, and the number of buckets in each factor of two."""

    series: int = DEFAULT_SERIES
    buckets: int = 1
    # Whether groups of processes are told apart.
    groups: bool = False

    @property
    def group_rows(self) -> int:
        """How many groups have series, the one that stands for all others included."""
        if not self.groups:
            return 1
        return (self.series - _RESERVED) // _GROUPS_DIVISOR // _GROUP_COUNTERS

    @property
    def histogram_series(self) -> int:
        """The series of one histogram: buckets up to +Inf, the sum and the count."""
        edges = (LAST_EDGE_BITS - FIRST_EDGE_BITS) * self.buckets + 1 if self.buckets else 0
        return edges + 3

    @property
    def least_series(self) -> int:
        """The smallest limit that is accepted: it leaves at least one histogram, of all calls."""
        room = -(-self.histogram_series * _CALLS_DIVISOR // (_CALLS_DIVISOR - _COUNTERS))
        room = max(room, _CALLS_DIVISOR)
        if self.groups:
            room = -(-room * _GROUPS_DIVISOR // (_GROUPS_DIVISOR - 1))
        return _RESERVED + room

    def rows(self, histogram_series: int) -> tuple[int, int]:
        """Return for how many names there are counters, and histograms with so many series."""
        room = self.series - _RESERVED
        if self.groups:
            room -= _GROUP_COUNTERS * self.group_rows
        counters = max(room // (_COUNTERS + histogram_series), room // _CALLS_DIVISOR)
        return counters, (room - _COUNTERS * counters) // histogram_series
