"""The records of the time budget: the JSON keys of where the time went, and of what explains it."""

from msgspec import UNSET, UnsetType, field

from .group_records import Groups
from .records import (
    Bar,
    CategoryTotal,
    Count,
    Fidelity,
    FileCount,
    Nanoseconds,
    ObjectName,
    ProcessTotal,
    Record,
    Status,
    SyscallStat,
)


class TimePart(Record, frozen=True):
    """A part of the time budget; `Kind` is empty for a state that is not a wait."""

    state: str
    kind: str
    time: Nanoseconds
    share: float | None


class TimeHistory(Record, frozen=True):
    """
    The history of the time budget, in compact form.

    A bin is `[begin, part, nanoseconds, part, nanoseconds, …]`; `begin` is in milliseconds since
    1970, and `part` is an index into `States` and `Kinds`.
    """

    bin_ms: int
    states: list[str]
    kinds: list[str]
    bins: list[list[int]]


class StateTitle(Record, frozen=True):
    """What a state is called in this trace."""

    state: str
    title: str
    about: str


class Time(Record, frozen=True, kw_only=True):
    """
    Where the time went; `Verdict` is a sentence on it.

    If it is limited to a range, that is from `FromMs` to `ToMs`, in milliseconds since 1970: all
    intervals of the history that the requested range touches.  With a recording of every call,
    `ExactRange` is true, and the range is the requested one; `Unrecorded` is how much of its end is
    missing, because it is not recorded yet.  `States` is there if a filter leaves calls out, and
    has the states that their time is in.
    """

    verdict: str
    share_of: str
    wall_time: Nanoseconds
    busy_time: Nanoseconds
    call_time: Nanoseconds
    threads: Count
    estimated: bool
    note: str
    parts: list[TimePart]
    history: TimeHistory
    from_ms: int | UnsetType = UNSET
    to_ms: int | UnsetType = UNSET
    exact_range: bool | UnsetType = UNSET
    unrecorded: Nanoseconds | UnsetType = UNSET
    states: list[StateTitle] | UnsetType = UNSET


class CurrentThread(Record, frozen=True, kw_only=True):
    """
    What a thread is doing; `Elapsed` is null unless it is in a call since a known time.

    `LeastElapsed` is how long the call has taken at least: for one that began before the trace, the
    time since then.  It is null outside of calls.
    """

    tid: int = field(name="TID")
    pid: int = field(name="PID")
    comm: str
    state: str
    reason: str
    call: str
    args: str
    object: ObjectName
    since: str
    elapsed: Nanoseconds | None
    # An older server does not send it.
    least_elapsed: Nanoseconds | None = None


class Now(Record, frozen=True):
    """What all threads are doing at a time, which is empty if that is not known."""

    time: str
    total: Count
    threads: list[CurrentThread]


class Costs(Record, frozen=True, kw_only=True):
    """
    The sums over some calls.

    `Waiting` includes the waits in progress, of which there are `InProgress`; the other values
    cover the calls that have returned.  `Waiting` is the sum of `Blocked` and `Idle`.
    """

    count: Count
    errors: Count
    bytes_in: Count
    bytes_out: Count
    working: Nanoseconds
    waiting: Nanoseconds
    blocked: Nanoseconds
    idle: Nanoseconds
    ready: Nanoseconds
    waits: Count
    in_progress: Count
    longest_in_progress: Nanoseconds


class ObjectRow(Costs, frozen=True, kw_only=True):
    """One row of the table of objects."""

    id: str = field(name="ID")
    kind: str
    name: str
    title: str
    detail: str
    local: str
    service: str
    host: str
    side: str
    pids: list[int] = field(name="PIDs")
    opens: Count
    failed_opens: Count
    processes: Count
    threads: Count
    more_users: bool
    state: str
    reason: str


class ObjectCall(Costs, frozen=True, kw_only=True):
    """The calls of one name on an object."""

    name: str
    state: str
    reason: str


class CallCounts(Record, frozen=True, omit_defaults=True):
    """What the calls of one name did with an object, without what is 0."""

    count: Count = 0
    errors: Count = 0
    bytes_in: Count = 0
    bytes_out: Count = 0


class ObjectSummary(ObjectRow, frozen=True, kw_only=True):
    """An object with what each call did with it."""

    calls: dict[str, CallCounts]


class CallSummary(SyscallStat, frozen=True, kw_only=True):
    """A system call with the durations of its calls."""

    histogram: list[Bar]


class ObjectUser(Costs, frozen=True, kw_only=True):
    """A process, or a thread, that uses an object; a `TID` of 0 stands for all threads."""

    pid: int = field(name="PID")
    tid: int = field(name="TID")
    comm: str


class ObjectDetail(ObjectRow, frozen=True, kw_only=True):
    """Everything about one object; `Histogram` has the durations of the waits for it."""

    calls: list[ObjectCall]
    by_process: list[ObjectUser]
    by_thread: list[ObjectUser]
    histogram: list[Bar]


class ThreadWait(Record, frozen=True):
    """What a thread waited for."""

    object: ObjectName
    call: str
    time: Nanoseconds
    state: str
    reason: str


class ThreadRow(Record, frozen=True, kw_only=True):
    """
    One row of the table of threads; its times by state add up to `WallTime`.

    `State`, `Call` and `Elapsed` are those of the present; empty and null if it has ended.  A point
    of the lane is `[begin, state, nanoseconds, …]`, where `state` is an index into `States`.
    """

    tid: int = field(name="TID")
    pid: int = field(name="PID")
    comm: str
    ended: bool
    calls: Count
    errors: Count
    wall_time: Nanoseconds
    user: Nanoseconds
    working: Nanoseconds
    blocked: Nanoseconds
    idle: Nanoseconds
    ready: Nanoseconds
    stopped: Nanoseconds
    state: str
    call: str
    elapsed: Nanoseconds | None
    waits: list[ThreadWait]
    lane: list[list[int]]


class Threads(Record, frozen=True):
    """The threads with their histories."""

    total: Count
    bin_ms: int
    states: list[str]
    threads: list[ThreadRow]


class SlowCall(Record, frozen=True, kw_only=True):
    """A slow call; `Waiting` is null if it is not known whether it waited."""

    time: str
    pid: int = field(name="PID")
    tid: int = field(name="TID")
    name: str
    args: str
    ret_val: str
    error: str
    duration: Nanoseconds
    waiting: Nanoseconds | None
    object: ObjectName
    state: str
    reason: str


class Summary(Record, frozen=True):
    """Everything that `--format json` writes; `Groups` only with `--by`."""

    status: Status
    stats: list[CallSummary]
    categories: dict[str, CategoryTotal]
    files: list[FileCount]
    processes: list[ProcessTotal]
    fidelity: Fidelity
    time: Time
    objects: list[ObjectSummary]
    threads: Threads
    slowest: list[SlowCall]
    elapsed_time: Nanoseconds
    groups: Groups | UnsetType = UNSET
