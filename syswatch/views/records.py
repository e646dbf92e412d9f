"""
The records of the API: their fields are the JSON keys.

The keys of what the live pages poll are in `board_records`.  The OpenAPI description is generated
from the types.
"""

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

Count = int
Nanoseconds = int
"""All durations."""


class Record(Struct, frozen=True, rename="pascal"):
    """A JSON object with keys in Pascal case."""


class Process(Record, frozen=True):
    """The traced process."""

    pid: int = field(name="PID")
    comm: str
    cmdline: str
    exe: str
    cwd: str


class SyscallStat(Record, frozen=True):
    """
    One row of the table of system calls.

    `Waiting` is the sum of `Blocked` and `Idle`.  Both it and `TotalTime` include the waits in
    progress, of which there are `InProgress`.
    """

    name: str
    category: str
    count: Count
    errors: Count
    total_time: Nanoseconds
    min_time: Nanoseconds
    max_time: Nanoseconds
    p95: Nanoseconds
    p99: Nanoseconds
    err_rate_60s: Count = field(name="ErrRate60s")
    working: Nanoseconds = 0
    waiting: Nanoseconds = 0
    blocked: Nanoseconds = 0
    idle: Nanoseconds = 0
    ready: Nanoseconds = 0
    waits: Count = 0
    in_progress: Count = 0
    error_breakdown: dict[str, Count] | UnsetType = UNSET


class Bar(Struct, frozen=True):
    """A histogram bucket: how many calls took at most `le`, and more than the `le` before it."""

    le: Nanoseconds
    count: Count


class RecentError(Record, frozen=True):
    """One failed call; `Time` is empty if the trace has no clock."""

    time: str
    pid: int = field(name="PID")
    errno: str
    args: str


class ArgumentNote(Record, frozen=True):
    """An argument of a system call."""

    name: str
    kind: str


class ErrnoNote(Record, frozen=True):
    """An error that a system call commonly returns."""

    name: str
    meaning: str


class Reference(Record, frozen=True):
    """The documentation of a system call; the texts are empty if there is none."""

    category: str
    description: str
    signature: str
    arguments: list[ArgumentNote]
    returns: str
    errnos: list[ErrnoNote]
    advice: str


class SyscallDetail(SyscallStat, frozen=True, kw_only=True):
    """
    Everything about one system call.

    If it is limited to a range, that is exactly from `FromMs` to `ToMs`, in milliseconds since
    1970, and `ExactRange` is true.
    """

    avg_time: Nanoseconds
    p50: Nanoseconds
    err_pct: float
    histogram: list[Bar]
    reference: Reference
    recent_errors: list[RecentError] | UnsetType = UNSET
    from_ms: int | UnsetType = UNSET
    to_ms: int | UnsetType = UNSET
    exact_range: bool | UnsetType = UNSET


class Reading(Record, frozen=True):
    """How much of a log has been read; unknown sizes are null."""

    bytes: Count
    total_bytes: Count | None
    lines: Count
    percent: float | None


class Save(Record, frozen=True):
    """
    What a flight recorder saved, and why.

    `Trouble` is empty unless it could not be saved.
    """

    place: str
    reason: str
    trouble: str


class Recording(Record, frozen=True):
    """
    A recording that is being made, or has been; `Text` says the same in words.

    `Trouble` is empty unless it has stopped before the trace.  `KeptFrom` and `KeptTo` are the
    times of what a flight recorder keeps, in nanoseconds since 1970; they are null otherwise.
    """

    text: str
    place: str
    calls: Count
    unfinished: Count
    bytes: Count
    lost: Count
    trouble: str
    complete: bool
    kept_from: int | None = None
    kept_to: int | None = None
    saves: list[Save] = []


class Status(Record, frozen=True, kw_only=True):
    """The state of the traced process and of the trace."""

    proc: Process
    total: Count
    errors: Count
    rate: float
    unique: Count
    elapsed: str
    done: bool
    state: str
    backend: str
    only: str
    exit_code: int | None
    exit_signal: int | None
    trouble: str
    exact: bool
    in_progress: Count = 0
    reading: Reading | UnsetType = UNSET
    recordings: list[Recording] | UnsetType = UNSET


class ObjectName(Record, frozen=True):
    """An object where it is mentioned; `Name` is a text for people, empty if there is none."""

    id: str = field(name="ID")
    kind: str
    name: str


class LogEntry(Record, frozen=True):
    """One call, as strace prints it; `Duration` and `Waited` are null if they are not known."""

    time: str
    pid: int = field(name="PID")
    name: str
    args: str
    ret_val: str
    error: str
    duration: Nanoseconds | None
    waited: bool | None
    object: ObjectName


class CategoryTotal(Record, frozen=True):
    """The totals of one category."""

    count: Count
    errs: Count
    total_time: Nanoseconds


class FileCount(Struct, frozen=True):
    """How many calls tried to open a path, and how many of them failed."""

    path: str
    count: Count
    failed: Count


class HistoryPoint(Record, frozen=True):
    """One second of the trace."""

    time: str
    calls: Count
    errors: Count
    time_ns: Nanoseconds
    categories: dict[str, CategoryTotal]


class ProcessTotal(Record, frozen=True, kw_only=True):
    """The totals of one process; `Calls` only with a table for each process."""

    pid: int = field(name="PID")
    parent: int
    comm: str
    count: Count
    errors: Count
    total_time: Nanoseconds
    ending: str
    lives: Count
    calls: list[SyscallStat] | UnsetType = UNSET


class LinesRead(Record, frozen=True):
    """How many lines of a log were read, by kind."""

    lines: Count
    records: Count
    halves: Count
    notes: Count


class Fidelity(Record, frozen=True):
    """
    What is not exact, and why.

    `Inexact` is what was lost, `Noted` what was counted, but not in all numbers; `Verdict` is a
    sentence on the whole.
    """

    exact: bool
    verdict: str
    ledger: dict[str, Count]
    explanations: list[str]
    inexact: dict[str, str]
    noted: dict[str, str]
    reading: LinesRead


class Error(Struct, frozen=True):
    """The body of every error response: a code for programs, a sentence for people."""

    error: str
    message: str


class Endpoint(Struct, frozen=True):
    """One endpoint in the index."""

    path: str
    method: str
    description: str


class EndpointPage(Struct, frozen=True):
    """One page of the index of endpoints."""

    total: Count
    page: int
    per_page: int
    items: list[Endpoint]


class Goroutines(Struct, frozen=True):
    """The running units of concurrency of the server, and its memory in bytes."""

    goroutines: Count
    memstats: dict[str, int]
    threads: Count
    delayed_calls: Count
    readers: Count
    writers: Count


def encode(record: object) -> bytes:
    """Return the JSON of a record, or of a list or map of records."""
    return msgspec.json.encode(record)
