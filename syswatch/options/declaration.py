"""Declarations of commands and options: what help, man page and completions are rendered from."""

from collections.abc import Callable, Iterable
from enum import Enum
from typing import TYPE_CHECKING

from syswatch.base.classes import frozen
from syswatch.model.backends import Capability, needed_backend

if TYPE_CHECKING:
    from .arguments import Arguments
    from .config import Action


class Group(Enum):
    """A heading of the help, in the order in which the headings appear."""

    TARGET = "Target"
    FILTER = "Filter"
    OUTPUT = "Output"
    SERVE = "Serve"
    SECURITY = "Security"
    ADVANCED = "Advanced"
    GENERAL = "General"


class Value(Enum):
    """What kind of value an option or an argument has; a shell completes it accordingly."""

    TEXT = "text"
    FILE = "file"
    DIRECTORY = "directory"
    PID = "pid"
    USER = "user"
    PROGRAM = "program"
    COMMAND = "command"


@frozen
class Clash:
    """Another option, or one value of it, beside which an option has no effect, and the reason."""

    option: str
    reason: str
    value: str = ""


@frozen
class Option:
    """One option of one or more commands."""

    name: str
    help: str
    group: Group
    short: str = ""
    # Empty for an option that takes no value.
    metavar: str = ""
    value: Value = Value.TEXT
    choices: tuple[str, ...] = ()
    default: str = ""
    repeatable: bool = False
    # Another option and its value, for which this one is a short form.
    alias_of: tuple[str, str] | None = None
    # Other options; without all of them, this one has no effect.
    needs: tuple[str, ...] = ()
    # Other options that contradict this one.
    excludes: tuple[str, ...] = ()
    clashes: tuple[Clash, ...] = ()
    # What a backend must be capable of for this option.
    capability: Capability | None = None
    # One line printed when the option is given, where it changes nothing.
    note: str = ""

    @property
    def description(self) -> str:
        """The help text with choices, default and whatever else is declared."""
        text = f"{self.help}: {', '.join(self.choices)}" if self.choices else self.help
        details = [
            f"default: {self.default}" if self.default else "",
            "repeatable" if self.repeatable else "",
            needed_backend(self.capability) if self.capability else "",
        ]
        given = "; ".join(filter(None, details))
        return f"{text} ({given})" if given else text

    @property
    def spellings(self) -> tuple[str, ...]:
        """The option as it is typed, the short form first."""
        return (*([f"-{self.short}"] if self.short else []), f"--{self.name}")


@frozen
class Example:
    """A command line that works, and what it does."""

    line: str
    purpose: str


@frozen
class Command:
    """A command; that of `syswatch` itself has the others as its `commands`."""

    name: str
    purpose: str
    synopsis: str
    # Paragraphs, separated by an empty line.
    description: str
    examples: tuple[Example, ...]
    options: tuple[Option, ...]
    run: "Callable[[Arguments], Action]"
    operand: Value = Value.TEXT
    commands: "Iterable[Command]" = ()
    # Whether options may follow operands, which is wrong where those are another command line.
    options_anywhere: bool = False

    @property
    def groups(self) -> dict[Group, list[Option]]:
        """The options by heading; headings without an option are left out."""
        groups = {group: [o for o in self.options if o.group is group] for group in Group}
        return {group: options for group, options in groups.items() if options}

    def option(self, name: str) -> Option | None:
        """Return the option with a long name."""
        return next((option for option in self.options if option.name == name), None)

    def command(self, name: str) -> "Command | None":
        """Return the command with a name."""
        return next((command for command in self.commands if command.name == name), None)


HELP = Option("help", "Print this help and exit", Group.GENERAL, short="h")
VERSION = Option("version", "Print the version and exit", Group.GENERAL, short="V")
GENERAL = (HELP, VERSION)
