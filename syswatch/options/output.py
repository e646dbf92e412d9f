"""Options that choose what is shown and what is written."""

import attrs

from syswatch.views.forms import FORMATS, CallSort

from . import calls, checks, flight
from .arguments import Arguments
from .config import Reporting
from .declaration import Clash, Group, Option, Value

NO_ARGUMENTS = (
    Clash("mode", "reads no arguments", "counts"),
    Clash("no-args", "reads no arguments"),
)
_SORTS = {each.value: each for each in CallSort}
_SUMMARY_FILE = Option(
    "output",
    "Write the summary to a file",
    Group.OUTPUT,
    metavar="FILE",
    value=Value.FILE,
)
# The short form of the option of a log; `run` and `attach` have it for every call.
OF_LOGS = (attrs.evolve(_SUMMARY_FILE, short="o"),)
OF_TRACES = (attrs.evolve(_SUMMARY_FILE, help="Write the summary to a file, as -c -o FILE"),)
RECORD = Option(
    "record",
    "Record every call to a new directory, which 'syswatch stats' and others read",
    Group.OUTPUT,
    metavar="DIR",
    value=Value.DIRECTORY,
    clashes=(Clash("mode", "records no calls", "counts"),),
)
OPTIONS = (
    Option(
        "summary",
        "Print a summary at the end instead of showing the terminal UI, or in addition to serving",
        Group.OUTPUT,
        short="c",
    ),
    Option(
        "format",
        "Format of the summary",
        Group.OUTPUT,
        metavar="FORMAT",
        choices=tuple(FORMATS),
        default="text",
    ),
    Option(
        "sort",
        "Sort the calls of summary and terminal UI; by time means time that was not idle",
        Group.OUTPUT,
        metavar="KEY",
        choices=tuple(_SORTS),
        default=CallSort.TIME.value,
        clashes=tuple(
            Clash("format", "has an order of its own", name) for name in FORMATS if name != "text"
        ),
    ),
    Option(
        "report",
        "Write an HTML report to a file at the end",
        Group.OUTPUT,
        metavar="FILE",
        value=Value.FILE,
    ),
    Option(
        "report-top-files",
        "Include the N most opened files in the report",
        Group.OUTPUT,
        metavar="N",
        default="0",
        needs=("report",),
        clashes=NO_ARGUMENTS,
    ),
    RECORD,
    Option(
        "tui",
        "When to show the terminal UI",
        Group.OUTPUT,
        metavar="WHEN",
        choices=("never", "auto", "always"),
        default="auto",
    ),
    Option("per-pid", "Add a table for each process", Group.OUTPUT),
)
DEBUG = Option(
    "debug", "Print what could not be decoded, and details of the tracer", Group.ADVANCED
)


def asks_for_summary(arguments: Arguments) -> bool:
    """Return whether an option asks for a summary."""
    return any(map(arguments.has, ("summary", "format", "output")))


def sort(arguments: Arguments) -> CallSort:
    """Return the order of the calls."""
    return _SORTS[checks.choice(arguments, "sort")]


def reporting(arguments: Arguments) -> Reporting:
    """Check the options and return what to write."""
    is_asked = asks_for_summary(arguments)
    return Reporting(
        summary=is_asked or not (arguments.has("serve") or arguments.has("calls")),
        summary_asked=is_asked,
        output=checks.writable(arguments, "output"),
        summary_format=checks.choice(arguments, "format"),
        sort=sort(arguments),
        report=checks.writable(arguments, "report"),
        calls=calls.file_of(arguments),
        calls_format=checks.choice(arguments, "calls-format"),
        report_top_files=checks.whole_number(arguments, "report-top-files"),
        recording=checks.recording(arguments, "record"),
        keep=flight.keep(arguments),
        odd_lines=arguments.has("debug"),
    )
