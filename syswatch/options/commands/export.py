"""`syswatch export`: write a recording in the format of another tool."""

from syswatch.options import checks, reading
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Export
from syswatch.options.declaration import GENERAL, Command, Example, Group, Option, Value
from syswatch.recording.forms import EXPORTS


def _run(arguments: Arguments) -> Export:
    folder = reading.recording(arguments)
    if len(arguments.operands) > 1:
        raise UsageError(f"export: expected one DIR, and not '{arguments.operands[1]}' as well")
    if not arguments.has("to"):
        raise UsageError(f"export: missing --to; choose from: {', '.join(EXPORTS)}")
    return Export(
        folder,
        checks.choice(arguments, "to"),
        reading.destination(arguments),
        checks.name(arguments, "since"),
        checks.name(arguments, "until"),
    )


COMMAND = Command(
    "export",
    "Write a recording of every call in the format of another tool",
    "[OPTION...] DIR --to FORMAT",
    "DIR is a recording written with --record; it may still be written to.  Where calls are"
    " missing, a line on stderr says so, and so do the formats that can: a counter in those of"
    " Perfetto and Chrome, and lines in that of strace.\n\n"
    "This needs the extra 'record' (pip install 'syswatch[record]').",
    (
        Example("syswatch export rec --to perfetto -o rec.pftrace", "for Perfetto"),
        Example("syswatch export rec --to strace -o rec.log", "for readers of strace"),
    ),
    (
        Option(
            "to",
            "Format to write",
            Group.OUTPUT,
            metavar="FORMAT",
            choices=tuple(EXPORTS),
        ),
        Option(
            "since",
            "Leave out calls that ended before: +SECONDS from the beginning, HH:MM:SS in UTC, or"
            " a date and time",
            Group.OUTPUT,
            metavar="TIME",
        ),
        Option("until", "Leave out calls that began at or after", Group.OUTPUT, metavar="TIME"),
        reading.OUTPUT,
        *GENERAL,
    ),
    _run,
    Value.DIRECTORY,
    options_anywhere=True,
)
