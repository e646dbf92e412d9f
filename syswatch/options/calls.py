"""Options for a line of each call, as strace writes them to a file."""

from typing import Final

import attrs

from . import checks
from .arguments import Arguments, UsageError
from .declaration import Clash, Group, Option, Value

# Among the values of the option, this is standard output.
STANDARD_OUTPUT: Final = "-"
FORMATS: Final = ("text", "ndjson")
OPTIONS: Final = (
    Option(
        "calls",
        "Write a line for each call to a file, as strace does; '-' is standard output; with -c or"
        " --format, -o names the file of the summary instead",
        Group.OUTPUT,
        short="o",
        metavar="FILE",
        value=Value.FILE,
        clashes=(Clash("mode", "only counts calls", "counts"),),
    ),
    Option(
        "calls-format",
        "Format of these lines",
        Group.OUTPUT,
        metavar="FORMAT",
        choices=FORMATS,
        default=FORMATS[0],
        needs=("calls",),
    ),
)
_SHORT = "-o"
_COMMAND_MARKS = ("|", "!")


def with_summary_file(arguments: Arguments) -> Arguments:
    """Let -o name the file of the summary if there is one, as in `strace -c -o FILE`."""
    if not (arguments.has("summary") or arguments.has("format")):
        return arguments
    if arguments.has("output") and _SHORT in dict(arguments.given.get("calls", ())):
        raise UsageError(
            "-o and --output both name the file of the summary (to write calls, use --calls FILE)"
        )
    given = {name: list(each) for name, each in arguments.given.items()}
    calls = given.pop("calls", [])
    for label, file in calls:
        given.setdefault("output" if label == _SHORT else "calls", []).append((label, file))
    return attrs.evolve(arguments, given=given)


def file_of(arguments: Arguments) -> str:
    """Return the file for a line of each call, `-` for standard output, or an empty string."""
    file = arguments.value("calls")
    spellings = dict(arguments.occurrences("calls"))
    if _SHORT in spellings and len(set(spellings.values())) > 1:
        raise UsageError(
            "-o and --calls both name the file of the calls (with -c, -o names that of the summary)"
        )
    if file == STANDARD_OUTPUT:
        return file
    if file is not None and file.startswith(_COMMAND_MARKS):
        label = arguments.label("calls")
        raise UsageError(f"{label}: cannot write to a command (use a pipe: --calls - ... {file})")
    if arguments.label("calls") == _SHORT and len(arguments.every("follow-forks")) > 1:
        raise UsageError("-ff -o: one file has the calls of all processes (use -f -o)")
    return checks.writable(arguments, "calls")


def why_no_ui(arguments: Arguments) -> str:
    """Return why there is no terminal UI because of these options, or an empty string."""
    if arguments.value("calls") == STANDARD_OUTPUT:
        return "calls are written to standard output"
    # As in strace, that is all.
    if arguments.has("calls") and arguments.label("calls") == _SHORT:
        return "-o is given instead"
    return ""
