"""`syswatch help`: show the help."""

from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Answer
from syswatch.options.declaration import GENERAL, Command, Example, Value
from syswatch.options.help import command_help, overview
from syswatch.options.parser import find_command


def _run(arguments: Arguments) -> Answer:
    if arguments.before is None:
        raise UsageError("help is a command of syswatch")
    program = arguments.before.command
    if not arguments.operands:
        return Answer(overview(program))
    name, *others = arguments.operands
    if others:
        raise UsageError("help takes a single COMMAND")
    return Answer(command_help(find_command(program, name)))


COMMAND = Command(
    "help",
    "Show the help of a command",
    "[COMMAND]",
    "Without COMMAND, list the commands.",
    (
        Example("syswatch help", "list the commands"),
        Example("syswatch help run", "show the options of a command"),
    ),
    GENERAL,
    _run,
    Value.COMMAND,
)
