"""The registry of commands."""

from collections.abc import Iterator
from importlib import import_module

from syswatch.base.version import VERSION

from . import output, serving
from .arguments import Arguments, UsageError
from .config import Action, Answer
from .declaration import GENERAL, Command, Example, Value
from .help import command_help, overview
from .parser import parse

# In the order of the help, which begins with those that should start at once.
_MODULES = (
    *("run", "attach", "stats", "replay", "query", "export", "diff", "check", "profile", "top"),
    *("discover", "doctor", "help"),
)


class _Commands:
    """The commands; each is imported when a search or a loop arrives at it."""

    def __iter__(self) -> Iterator[Command]:
        for name in _MODULES:
            yield import_module(f".commands.{name}", __package__).COMMAND


def _run(arguments: Arguments) -> Answer:
    if not arguments.given:
        return Answer(overview(PROGRAM), status=2)
    names = ", ".join(command.name for command in PROGRAM.commands)
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
    _Commands(),
)


def action(words: list[str]) -> Action:
    """Parse a command line, check it, and return what to do."""
    arguments = parse(PROGRAM, words)
    if "help" in arguments.given:
        is_program = arguments.command is PROGRAM
        return Answer(overview(PROGRAM) if is_program else command_help(arguments.command))
    if "version" in arguments.given:
        return Answer(f"syswatch {VERSION}")
    return arguments.command.run(arguments)
