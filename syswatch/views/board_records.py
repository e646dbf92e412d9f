"""The records of the live pages: the JSON keys of what they poll once a second."""

from msgspec import UNSET, UnsetType, field

from .group_records import Groups
from .records import (
    Count,
    Fidelity,
    FileCount,
    LogEntry,
    Nanoseconds,
    ProcessTotal,
    Record,
    Status,
    SyscallDetail,
    SyscallStat,
)
from .time_records import Now, ObjectDetail, ObjectRow, ObjectUser, SlowCall, Threads, Time


class Alert(Record, frozen=True):
    """
    An alert; `Call`, `Path` and `Object`, the ID of an object, are empty if it concerns none.

    A `Harmless` one is part of normal work; the live pages show several of them as one.
    """

    severity: str
    sign: str
    kind: str
    title: str
    why: str
    call: str
    path: str
    object: str
    harmless: bool


class BoardRow(SyscallStat, frozen=True, kw_only=True):
    """One row of the table, with values that only the dashboard shows."""

    rate: float
    timed: Count
    avg_time: Nanoseconds
    top_path: str | UnsetType = UNSET


class BoardHistory(Record, frozen=True):
    """
    The newest seconds, each with its calls by name, in compact form.

    A point is `[second, name, calls, errors, nanoseconds, name, calls, …]`; `second` counts
    from 1970, and `name` is an index into `Names` and `Categories`.  A second without calls has
    no point.
    """

    first: int | None
    names: list[str]
    categories: list[str]
    points: list[list[int]]


class ProcessTable(Record, frozen=True):
    """A process that has a table of its own."""

    pid: int = field(name="PID")
    comm: str
    count: Count


class BoardProcess(ProcessTotal, frozen=True, kw_only=True):
    """The totals of one process, and its depth in the tree; parents come before children."""

    depth: int


class Lanes(Record, frozen=True):
    """
    The state in which each thread was longest, by interval.

    `Letters` has a text for each thread ID: one letter for each interval from number `From` on, or
    a space.  The intervals known are those from `First` up to, but not including, `End`; interval
    0 begins in 1970.
    """

    pid: int = field(name="PID")
    bin_ms: int
    first: int
    end: int
    from_: int = field(name="From")
    letters: list[tuple[int, str]]


class BoardObject(ObjectDetail, frozen=True, kw_only=True):
    """
    Everything about one object, with the percentiles of the waits for it.

    A bar is `[place, waits]`, as those of the page of a call.
    """

    p50: Nanoseconds
    p95: Nanoseconds
    p99: Nanoseconds
    bars: list[tuple[int, int]]


class Board(Record, frozen=True, kw_only=True):
    """
    Everything that the dashboard shows; parts that were not requested are omitted.

    `ExactRange` tells whether the calls, and all parts, are limited to the range of `Time`, as only
    a recording of every call can be; alerts and histories are of the whole trace.  `Replay` is true
    if such a recording is shown, `Baselines` if there are runs to compare with,
    `Grouped` if groups of processes are told apart.
    `PID` is the process to which it is limited, or 0.  `Object` is null if no call used it.  The
    threads have no lanes here: `Lanes` has them in a shorter form.
    """

    pid: int = field(name="PID")
    now: float | None
    status: Status
    stats: list[BoardRow]
    alerts: list[Alert]
    fidelity: Fidelity
    history: BoardHistory
    time: Time
    tables: list[ProcessTable]
    exact_range: bool | UnsetType = UNSET
    replay: bool | UnsetType = UNSET
    baselines: bool | UnsetType = UNSET
    profile: bool | UnsetType = UNSET
    grouped: bool | UnsetType = UNSET
    log: list[LogEntry] | UnsetType = UNSET
    files: list[FileCount] | UnsetType = UNSET
    opens: Count | UnsetType = UNSET
    failed_opens: Count | UnsetType = UNSET
    processes: list[BoardProcess] | UnsetType = UNSET
    threads_now: Now | UnsetType = UNSET
    objects: list[ObjectRow] | UnsetType = UNSET
    object: BoardObject | UnsetType | None = UNSET
    threads: Threads | UnsetType = UNSET
    lanes: Lanes | UnsetType = UNSET
    slowest: list[SlowCall] | UnsetType = UNSET
    groups: Groups | UnsetType = UNSET


class CallBoard(Record, frozen=True, kw_only=True):
    """
    Everything that the page of one system call shows.

    A bar is `[place, calls]`: it holds durations from 2^(place/4) to 2^((place+1)/4) nanoseconds.
    `Bars` has the calls by their whole durations, `WaitBars` those that waited by their waits.  If
    `Call` is limited to a range of time, so is everything but alerts, history and status.
    """

    now: float | None
    status: Status
    call: SyscallDetail
    rate: float
    timed: Count
    bars: list[tuple[int, int]]
    wait_bars: list[tuple[int, int]]
    alerts: list[Alert]
    paths: list[FileCount]
    opens: Count
    all_counted: bool
    history: BoardHistory
    objects: list[ObjectRow]
    by_process: list[ObjectUser]
    slowest: list[SlowCall]
    replay: bool | UnsetType = UNSET
