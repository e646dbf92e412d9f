"""The configuration: what the command line asks for, checked and frozen."""

from collections.abc import Mapping

import attrs

from syswatch.codec.frames import Job
from syswatch.model.preferences import Preferences
from syswatch.recording.keeping import Keep
from syswatch.settings.access import Access, Token
from syswatch.settings.address import Address
from syswatch.views.budget.calls import CallSort


@attrs.frozen
class Serving:
    """How the HTTP server is reached."""

    address: Address
    access: Access = attrs.field(factory=Access)


@attrs.frozen
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
    keep: Keep | None = None
    odd_lines: bool = False


@attrs.frozen
class Config:
    """One run of syswatch that traces or reads."""

    job: Job
    serving: Serving | None = None
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


@attrs.frozen
class Answer:
    """A command that has finished: what it prints, and its exit status."""

    text: str = ""
    status: int = 0
    error: str = ""


@attrs.frozen
class Remote:
    """Another server whose numbers are shown."""

    url: str
    token: Token | None = None


@attrs.frozen
class Query:
    """A question about a recording, in SQL or by name."""

    folder: str
    sql: str = ""
    question: str = ""
    values: Mapping[str, str] = attrs.field(factory=dict)
    format: str = "table"
    # Or "-" for standard output.
    output: str = "-"


@attrs.frozen
class Export:
    """A recording to be written in another format."""

    folder: str
    format: str
    output: str = "-"
    # The range of time, as typed.
    since: str = ""
    until: str = ""


Reading = Query | Export
Action = Config | Answer | Remote | Reading
