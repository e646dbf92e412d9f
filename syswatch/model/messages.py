"""
What a service and its tracer say to each other, besides deltas.

The service says first what is to be done (a job), later how to end it (`Deliver`, `Detach`);
the tracer says `Started`, then deltas, then `Ended` or `Failed`.
"""

from collections.abc import Mapping

import attrs

from syswatch.base.text import inert

from .process import ProcessInfo


@attrs.frozen
class FilterOptions:
    """What is counted and shown, of a living program as of a log."""

    per_process: bool = False
    read_arguments: bool = True
    string_limit: int | None = None
    redact: tuple[str, ...] = ()
    trace: str = "all"
    status: str = ""
    paths: tuple[str, ...] = ()


@attrs.frozen
class ReadLogs:
    """The job of reading trace logs; `-` is standard input."""

    files: tuple[str, ...]
    workers: int = 1
    options: FilterOptions = attrs.field(factory=FilterOptions)


@attrs.frozen
class TraceOptions(FilterOptions):
    """How a living program is traced, whatever the backend."""

    string_limit: int = 32
    follow_children: bool = True
    descriptor_paths: bool = False
    colocate: bool = True
    log_rate: int = 2000
    debug: bool = False
    backend: str = "ptrace"
    # "full", or "counts": the ends of calls only, without times and arguments.
    mode: str = "full"


@attrs.frozen
class RunCommand:
    """The job of starting a command and tracing it from its first moment."""

    argv: tuple[str, ...]
    cwd: str = ""
    environment: Mapping[str, str] = attrs.field(factory=dict)
    user: str = ""
    options: TraceOptions = attrs.field(factory=TraceOptions)


@attrs.frozen
class Attach:
    """
    The job of tracing what runs already.

    That is: processes by number and by name, all in a control group, or everybody.
    """

    pids: tuple[int, ...] = ()
    options: TraceOptions = attrs.field(factory=TraceOptions)
    names: tuple[str, ...] = ()
    # Whether to wait for the names.
    wait: bool = False
    # The folder of a control group.
    group: str = ""
    everybody: bool = False


@attrs.frozen
class Deliver:
    """Pass a signal on to the command, as if it had been sent to it."""

    signal: int


@attrs.frozen
class Detach:
    """Let every process go on as it was, say the last numbers, and end."""


@attrs.frozen
class Started:
    """
    The tracer has begun.

    `total_bytes` is the size of what it reads, where that is known; `only` are the flags that
    leave something out, where any do.
    """

    backend: str
    process: ProcessInfo = attrs.field(factory=ProcessInfo)
    total_bytes: int | None = None
    only: str = ""


@attrs.frozen
class Ended:
    """There is nothing more to come; of a command's end either code or signal is known."""

    exit_code: int | None = None
    exit_signal: int | None = None


@attrs.frozen
class Failed:
    """The tracer gives up; what it has sent until now stays true."""

    message: str = attrs.field(converter=inert)
    exit_status: int = 1
