"""The records of groups of processes: the JSON keys."""

from msgspec import field

from .records import Count, Nanoseconds, Record


class GroupSums(Record, frozen=True, kw_only=True):
    """The sums over some calls; the three times add up to `TotalTime`."""

    count: Count
    errors: Count
    total_time: Nanoseconds
    working: Nanoseconds
    waiting: Nanoseconds
    ready: Nanoseconds
    waits: Count


class GroupRow(GroupSums, frozen=True, kw_only=True):
    """
    A group of processes.

    `Key` identifies it: it is made of the name, so that a restarted container keeps its row.
    `Lives` is how many control groups had this name, and the other facts are those of the newest
    one.  A `Kind` of `other` is the exact sum of all groups beyond the limit.
    """

    key: str
    kind: str
    name: str
    runtime: str
    namespace: str
    pod: str
    container: str
    id: str = field(name="ID")
    path: str
    labels: dict[str, str]
    lives: Count
    share: float
    rate: float
    p50: Nanoseconds
    p95: Nanoseconds
    p99: Nanoseconds


class GroupCall(GroupSums, frozen=True, kw_only=True):
    """A system call of a group; an empty name stands for all calls without a row."""

    name: str
    category: str


class GroupDetail(GroupRow, frozen=True, kw_only=True):
    """A group with its system calls, most frequent first."""

    calls: list[GroupCall]


class Groups(Record, frozen=True, kw_only=True):
    """
    The groups of processes; `Verdict` is a sentence on them, `Groups` at most as many as requested.

    `Number` is how many there are.  The sum of all of them is `Count`.  When the trace has
    ended, that is the number of all calls; before, it may be some calls behind the total, because
    the tracer reads the groups once a second, and the calls more often.
    """

    verdict: str
    number: Count
    count: Count
    groups: list[GroupRow]
