"""The configuration: what the user asked for, checked, and unchanging from then on."""

import attrs

from syswatch.codec.frames import Job
from syswatch.settings.access import Access, Token
from syswatch.settings.address import Address


@attrs.frozen
class Serving:
    """How the HTTP server is reached."""

    address: Address
    access: Access = attrs.field(factory=Access)


@attrs.frozen
class Reporting:
    """What is written when the watching ends."""

    summary_format: str = "text"
    summary: bool = True
    # Whether somebody asked for it: after a screen it is printed only then.
    summary_asked: bool = False
    output: str = ""
    report: str = ""
    report_top_files: int = 0
    recording: str = ""
    odd_lines: bool = False


@attrs.frozen
class Config:
    """One run of syswatch."""

    job: Job
    serving: Serving | None = None
    reporting: Reporting = attrs.field(factory=Reporting)
    exit_with_target: bool = False
    progress: bool = False
    tui: bool = False
    # What to say to somebody who might wait in vain for something to be seen.
    hint: str = ""
    log_format: str = "text"


@attrs.frozen
class Answer:
    """A command that is over as soon as it is asked: what it prints, and its status."""

    text: str = ""
    status: int = 0
    complaint: str = ""


@attrs.frozen
class Remote:
    """Another server to look at."""

    url: str
    token: Token | None = None


Action = Config | Answer | Remote
