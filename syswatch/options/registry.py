"""The registry of commands."""

from . import output, serving
from .arguments import Arguments, UsageError
from .commands import (
    attach,
    check,
    diff,
    discover,
    doctor,
    export,
    profile,
    query,
    replay,
    run,
    stats,
    top,
)
from .commands import help as help_command
from .config import Action, Answer
from .declaration import GENERAL, Command, Example, Value
from .help import command_help, overview
from .parser import parse

COMMANDS = (
    run.COMMAND,
    attach.COMMAND,
    stats.COMMAND,
    replay.COMMAND,
    query.COMMAND,
    export.COMMAND,
    diff.COMMAND,
    check.COMMAND,
    profile.COMMAND,
    top.COMMAND,
    discover.COMMAND,
    doctor.COMMAND,
    help_command.COMMAND,
)


def _run(arguments: Arguments) -> Answer:
    if not arguments.given:
        return Answer(overview(PROGRAM), status=2)
    names = ", ".join(command.name for command in COMMANDS)
    raise UsageError(f"missing command; choose from: {names}")


PROGRAM = Command(
    "syswatch",
    "see a program's system calls: how many, how slow, and which fail",
    "COMMAND [OPTION...] [ARGUMENT...]",
    "",
    (
        Example("syswatch run ls -l", "trace a command"),
        Example("syswatch run --serve :8080 ls -l", "show it in a browser"),
    ),
    (*output.OPTIONS, *serving.OPTIONS, output.DEBUG, *GENERAL),
    _run,
    Value.COMMAND,
    COMMANDS,
)


def action(words: list[str]) -> Action:
    """Parse a command line, check it, and return what to do."""
    arguments = parse(PROGRAM, words)
    if "help" in arguments.given:
        is_program = arguments.command is PROGRAM
        return Answer(overview(PROGRAM) if is_program else command_help(arguments.command))
    if "version" in arguments.given:
        # It takes a tenth of the time to start, and nothing else needs it.
        from importlib.metadata import version

        return Answer(f"syswatch {version('syswatch')}")
    return arguments.command.run(arguments)
