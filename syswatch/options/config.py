"""The configuration: what the command line asks for, checked and frozen."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import frozen
from syswatch.model.preferences import Preferences
from syswatch.settings.access import Access, Token
from syswatch.settings.address import Address
from syswatch.settings.push import Push
from syswatch.views.forms import CallSort

if TYPE_CHECKING:
    from syswatch.codec.frames import Job
    from syswatch.recording.keeping import Keep


@frozen
class Serving:
    """How the HTTP server is reached."""

    address: Address
    access: Access = attrs.field(factory=Access)
    # What the trace is compared with.
    baselines: tuple[str, ...] = ()


@frozen
class Reporting:
    """What is written at the end."""

    summary_format: str = "text"
    sort: CallSort = CallSort.TIME
    summary: bool = True
    # Whether an option asked for it: after the terminal UI it is printed only then.
    summary_asked: bool = False
    output: str = ""
    report: str = ""
    report_top_files: int = 0
    # Where each call is written to.
    calls: str = ""
    calls_format: str = "text"
    recording: str = ""
    # What is kept of the recording; None for everything.
    keep: "Keep | None" = None
    odd_lines: bool = False


@frozen
class Config:
    """One run of syswatch that traces or reads."""

    job: "Job"
    serving: Serving | None = None
    push: Push | None = None
    reporting: Reporting = attrs.field(factory=Reporting)
    preferences: Preferences = attrs.field(factory=Preferences)
    exit_with_target: bool = False
    progress: bool = False
    # The directory of the recording that is shown, of which any range of time is known.
    replay: str = ""
    tui: bool = False
    tui_required: bool = False
    # Lines printed before anything else.
    notes: tuple[str, ...] = ()
    log_format: str = "text"

    @property
    def may_use_tls(self) -> bool:
        """Whether it listens on or pushes to an address where TLS may be used."""
        return self.push is not None or (
            self.serving is not None and self.serving.address.may_use_tls
        )


@frozen
class Answer:
    """A command that has finished: what it prints, and its exit status."""

    text: str = ""
    status: int = 0
    error: str = ""


@frozen
class Remote:
    """Another server whose numbers are shown."""

    url: str
    token: Token | None = None


@frozen
class Query:
    """A question about an input by name, or about one or more in SQL: recordings and logs."""

    inputs: tuple[str, ...]
    sql: str = ""
    question: str = ""
    values: Mapping[str, str] = attrs.field(factory=dict)
    format: str = "table"
    # Or "-" for standard output.
    output: str = "-"
    # The Dask scheduler whose workers read what is not a directory, as in `ReadLogs`.
    scheduler: str | None = None


@frozen
class Export:
    """A recording to be written in another format."""

    folder: str
    format: str
    output: str = "-"
    # The range of time, as typed.
    since: str = ""
    until: str = ""


@frozen
class Diff:
    """Runs to be compared: each is a recording, a log, a summary or a URL."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    # The names of the parts that are compared; none stands for all.
    only: tuple[str, ...] = ()
    threshold: float = 0.0
    # Whether tables also have what follows from other changes.
    all: bool = False
    format: str = "text"
    output: str = "-"
    token: Token | None = None
    # The Dask scheduler whose workers read, as in `ReadLogs`.
    scheduler: str | None = None


@frozen
class Check:
    """A budget and what is checked against it: a command, or a source of a run."""

    # The budget, or the file to write it to; None for the nearest one.
    budget: Path | None = None
    # How the command is traced; None if a source is read instead.
    traced: Config | None = None
    sources: tuple[str, ...] = ()
    token: Token | None = None
    format: str = "text"
    # Or "-" for stderr with a command, whose output is on stdout, and for stdout with a source.
    output: str = "-"
    # Further files to write, by format.
    files: Mapping[str, str] = attrs.field(factory=dict)
    # Whether the budget is written instead of checked, and from how many runs of the command.
    writes: bool = False
    runs: int = 1


@frozen
class Profiling:
    """Profiles to be written, checked, merged or compared."""

    # "write", "check", "merge" or "diff".
    task: str
    profiles: tuple[str, ...] = ()
    # What calls are read from; or how the command that makes them is traced.
    inputs: tuple[str, ...] = ()
    traced: Config | None = None
    # Empty if it was not given.
    level: str = ""
    # The capabilities that a container has, and the version of its kernel: None for this one's.
    capabilities: tuple[str, ...] | None = None
    kernel: tuple[int, int] | None = None
    token: Token | None = None
    format: str = "text"
    # Whether calls that are not permitted are logged instead of refused.
    log_only: bool = False
    # Or "-" for stderr with a command that is checked, and for stdout otherwise.
    output: str = "-"
    # The Dask scheduler whose workers read the inputs.
    scheduler: str | None = None


Reading = Query | Export
Action = Config | Answer | Remote | Reading | Diff | Check | Profiling
