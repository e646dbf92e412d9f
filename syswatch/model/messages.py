"""
The messages between a service and its tracer, besides deltas.

The service sends a job first, and later `Deliver` or `Detach` to end it; the tracer sends
`Started`, then deltas, then `Ended` or `Failed`.  It answers `Report` with `Reported`, and says
with `Resting` when it begins or ends to read details rarely; only to such a tracer a service sends
`Watch`.
"""

import time
from collections.abc import Mapping

import attrs

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text

from .grouping import DEFAULT_GROUPS
from .process import ProcessInfo


@frozen
class FilterOptions:
    """What is counted and shown, of a live program or a log."""

    per_process: bool = False
    read_arguments: bool = True
    string_limit: int | None = None
    redact: tuple[str, ...] = ()
    trace: str = "all"
    status: str = ""
    paths: tuple[str, ...] = ()
    # Whether objects, waits and threads are followed.
    objects: bool = True
    # Whether what rules for calls are made of is counted.
    profile: bool = False


@frozen
class ReadLogs:
    """The job of reading logs; `-` is standard input."""

    files: tuple[str, ...]
    workers: int = 1
    options: FilterOptions = attrs.field(factory=FilterOptions)
    # The address of a Dask scheduler whose workers read, or "" for a cluster of this run; None to
    # read without Dask.
    scheduler: str | None = None


@frozen
class TraceOptions(FilterOptions):
    """How a live program is traced, by any backend."""

    string_limit: int = 32
    follow_children: bool = True
    descriptor_paths: bool = False
    colocate: bool = True
    log_rate: int = 2000
    debug: bool = False
    backend: str = "ptrace"
    # "full", or "counts": the ends of calls only, without times and arguments.
    mode: str = "full"
    # Whether the arguments and the result of every recorded call are decoded, not only of those
    # that are logged.
    decode_all: bool = False
    # Whether slow calls are assigned to the trace in the environment of their process.
    trace_parents: bool = False
    # What groups are made of, as `Grouping` has it; empty if groups are not told apart.
    group_by: str = ""
    most_groups: int = DEFAULT_GROUPS


@frozen
class RunCommand:
    """The job of starting a command and tracing it from the beginning."""

    argv: tuple[str, ...]
    cwd: str = ""
    environment: Mapping[str, str] = attrs.field(factory=dict)
    user: str = ""
    options: TraceOptions = attrs.field(factory=TraceOptions)


@frozen
class Attach:
    """
    The job of tracing running processes.

    They are given by PID and by name, or are all in a control group, or all on the machine.
    """

    pids: tuple[int, ...] = ()
    options: TraceOptions = attrs.field(factory=TraceOptions)
    names: tuple[str, ...] = ()
    # Whether to wait until processes with these names start.
    wait: bool = False
    # The directory of a control group.
    group: str = ""
    everybody: bool = False


@frozen
class Deliver:
    """Forward a signal to the command."""

    signal: int
    # When the service received it, by the monotonic clock, which all processes share.
    received_ns: int = attrs.field(factory=time.monotonic_ns, eq=False)


@frozen
class Detach:
    """Detach from all processes, which continue to run, and send the last numbers."""


@frozen
class SaveRecording:
    """
    Save what the flight recorder keeps.

    Saves with the same trigger are not made too often; a request has no trigger, but a number.
    """

    reason: str
    trigger: str = ""
    request: int = 0


@frozen
class Report:
    """Send everything that was counted until now, without waiting for the next delta."""


@frozen
class Reported:
    """Everything was sent that was counted before `Report`."""

    # How many bytes the recorder has been sent from the start of the trace up to now.
    recorded_bytes: int = 0


@frozen
class Resting:
    """Whether the tracer leaves details in the kernel for long, because no client looks at them."""

    is_resting: bool


@frozen
class Watch:
    """Whether a client looks at details all the time."""

    is_watched: bool


@frozen
class Started:
    """
    The tracer has started.

    `total_bytes` is the size of the input, if it is known; `only` are the options that exclude
    something.
    """

    backend: str
    process: ProcessInfo = attrs.field(factory=ProcessInfo)
    total_bytes: int | None = None
    only: str = ""


@frozen
class Ended:
    """The end of the trace; of a command, either the exit code or the signal is known."""

    exit_code: int | None = None
    exit_signal: int | None = None


@frozen
class Failed:
    """The tracer stopped because of an error; what it has sent is valid."""

    message: str = attrs.field(converter=escape_text)
    exit_status: int = 1
