"""
The records of a timeline: the JSON keys.

Times are in nanoseconds from the origin, the begin of the trace: so they are exact in JavaScript.
"""

from msgspec import field

from syswatch.views.records import Count, Nanoseconds, Record


class LongestCall(Record, frozen=True):
    """
    The longest single call that has returned; `ID` identifies it.

    One that is `Untimed` took at least as long: it began before the trace.
    """

    id: str = field(name="ID")
    name: str
    lane: int
    start: Nanoseconds
    duration: Nanoseconds
    untimed: bool
    object_: str = field(name="Object")


class Lane(Record, frozen=True):
    """
    A thread, with its number and name; `Command` is that of the process.

    Both are empty if they are not known.
    """

    lane: int
    pid: int = field(name="PID")
    tid: int = field(name="TID")
    command: str
    comm: str
    calls: Count
    errors: Count
    first: Nanoseconds
    last: Nanoseconds


class Lanes(Record, frozen=True, kw_only=True):
    """
    The threads of a recording; `OriginMs` is the origin of all times, in milliseconds since 1970.

    While `Unread` segments are left, more is found at the next request.  `Live` is whether the
    recording may still grow.
    """

    verdict: str
    origin_ms: float
    first: Nanoseconds
    last: Nanoseconds
    calls: Count
    errors: Count
    threads: Count
    lost: Count
    unread: Count
    damaged: list[str]
    live: bool
    longest: LongestCall | None
    lanes: list[Lane]


class Bins(Record, frozen=True, kw_only=True):
    """
    Sums by thread and interval, as columns of the same length.

    The intervals begin at `Start` and have the length `Step`.  `Calls` and `Errors` are of the
    calls that began in them; the times are those within them, and a call's waiting is taken as
    even over its duration.  `Category` is that of the most time.
    """

    step: Nanoseconds
    start: list[Nanoseconds]
    lane: list[int]
    calls: list[Count]
    errors: list[Count]
    working: list[Nanoseconds]
    waiting: list[Nanoseconds]
    ready: list[Nanoseconds]
    longest: list[Nanoseconds]
    category: list[int]


class Slices(Record, frozen=True, kw_only=True):
    """
    Single calls, as columns of the same length.

    `Name` is an index into `Names`, and `Category` has an item for each of these.  A call that has
    not returned has the duration -1; one that is `Untimed` took at least as long as its duration.
    """

    names: list[str]
    category: list[int]
    id: list[str] = field(name="ID")
    lane: list[int]
    start: list[Nanoseconds]
    duration: list[Nanoseconds]
    waiting: list[Nanoseconds]
    name: list[int]
    failed: list[int]
    untimed: list[bool]


class Losses(Record, frozen=True):
    """Calls that are missing, by second; the lane is -1 if the thread is not known."""

    lane: list[int]
    start: list[Nanoseconds]
    count: list[Count]


class Picture(Record, frozen=True, kw_only=True):
    """What a range of the timeline shows: `Bins`, or `Slices` where single calls fit."""

    from_: Nanoseconds = field(name="From")
    to: Nanoseconds
    calls: Count
    unread: Count
    losses: Losses
    bins: Bins | None = None
    slices: Slices | None = None


class Call(Record, frozen=True, kw_only=True):
    """
    A single call, with everything that was recorded of it.

    One that is `Untimed` took at least as long as its duration: it began before the trace, or
    nothing is known of its time.
    """

    id: str = field(name="ID")
    lane: int
    pid: int = field(name="PID")
    tid: int = field(name="TID")
    command: str
    comm: str
    name: str
    category: str
    about: str
    start: Nanoseconds
    time: str
    duration: Nanoseconds | None
    working: Nanoseconds | None
    waiting: Nanoseconds
    ready: Nanoseconds
    waited: bool
    estimated: bool
    untimed: bool
    args: str
    result: str
    errno: str
    bytes_: Count = field(name="Bytes")
    object_: str = field(name="Object")
    cpu: int | None = field(name="CPU")


class Matches(Record, frozen=True, kw_only=True):
    """
    Calls that a text was found in, in the order of segments.

    `Next` is where to continue, or -1 if the whole recording has been searched.
    """

    id: list[str] = field(name="ID")
    lane: list[int]
    start: list[Nanoseconds]
    duration: list[Nanoseconds]
    name: list[str]
    next: int
