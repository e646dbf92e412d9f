"""Whether the terminal UI is shown."""

import sys

from syswatch.terminal.availability import TEXTUAL_MISSING, unavailable_reason

from . import calls, checks
from .arguments import Arguments, UsageError
from .output import asks_for_summary


def wants_ui(arguments: Arguments) -> bool:
    """Return whether to show the terminal UI: a server or a summary takes its place."""
    when = checks.choice(arguments, "tui")
    if when == "never":
        return False
    why_not = _obstacle(arguments)
    if when == "always" and why_not:
        raise UsageError(f"--tui always: {why_not}")
    return not why_not and (when == "always" or not asks_for_summary(arguments))


def missing_textual(arguments: Arguments) -> str:
    """Return how to get the terminal UI, if all it lacks is a package."""
    if checks.choice(arguments, "tui") == "never" or asks_for_summary(arguments):
        return ""
    return TEXTUAL_MISSING if _obstacle(arguments) == TEXTUAL_MISSING else ""


def _obstacle(arguments: Arguments) -> str:
    if arguments.has("serve"):
        return "--serve is given instead"
    if reason := calls.why_no_ui(arguments):
        return reason
    return unavailable_reason(sys.__stdin__, sys.__stdout__)
