"""Options of the commands that read recordings of every call."""

from . import checks
from .arguments import Arguments, UsageError
from .declaration import Group, Option, Value

OUTPUT = Option(
    "output",
    "Write to a file instead of standard output",
    Group.OUTPUT,
    short="o",
    metavar="FILE",
    value=Value.FILE,
)


def recording(arguments: Arguments) -> str:
    """Return the directory of the recording, which is the first operand."""
    command = arguments.command.name
    if not arguments.operands:
        raise UsageError(f"{command}: missing DIR, the directory of a recording")
    checks.check_named(command, arguments.operands, "a recording")
    return arguments.operands[0]


def destination(arguments: Arguments) -> str:
    """Return the file to write, or '-' for standard output."""
    return "-" if arguments.value("output") in (None, "-") else checks.writable(arguments, "output")
