"""Whether the terminal UI is shown."""

import sys

from twisted.python import usage

from syswatch.options.config import Config
from syswatch.terminal.availability import TEXTUAL_MISSING, unavailable_reason

from .checks import one_of

_CHOICES = ("never", "auto", "always")


def wants_screen(choice: str, *, serving: bool, summary_asked: bool) -> bool:
    """Decide; who wants a server or a summary does not want a screen as well."""
    one_of("tui", choice, _CHOICES)
    if choice == "never":
        return False
    why_not = (
        "--serve takes its place" if serving else unavailable_reason(sys.__stdin__, sys.__stdout__)
    )
    if choice == "always" and why_not:
        raise usage.UsageError(f"--tui always: {why_not}")
    return not why_not and (choice == "always" or not summary_asked)


def how_to_see_it_live(choice: str, config: Config) -> str:
    """Return what a screen lacks, if that can be installed: without it nothing is seen for long."""
    if choice != "auto" or config.serving or config.reporting.summary_asked:
        return ""
    why_not = unavailable_reason(sys.__stdin__, sys.__stdout__)
    return why_not if why_not == TEXTUAL_MISSING else ""
