"""The help, rendered for a terminal from the declarations of commands and options."""

import textwrap
from collections.abc import Iterable, Sequence

from .declaration import VERSION, Command, Example, Group, Option

_WIDTH = 79
_INDENT = "  "
# Long enough for most options; the help of a longer one starts on the next line.
_OPTION_WIDTH = 27

_COMMAND_HELP = "'syswatch help COMMAND' shows the options of one"


def overview(program: Command) -> str:
    """Return the page that lists the commands; it fits a terminal of 24 lines."""
    width = max(len(command.name) for command in program.commands)
    commands = [f"{_INDENT}{c.name:<{width}}  {c.purpose}" for c in program.commands]
    return _joined(
        [f"{program.name} - {program.purpose}"],
        [usage(program)],
        ["Commands:", *commands],
        # Without a line between them, which would be one too many.
        [
            *_examples(program.examples),
            f"{_COMMAND_HELP}, 'syswatch {VERSION.spellings[0]}' the version.",
        ],
    )


def command_help(command: Command) -> str:
    """Return the page of a command."""
    return _joined(
        [usage(command)],
        [f"{command.purpose}."],
        *(textwrap.wrap(text, _WIDTH) for text in command.description.split("\n\n")),
        _examples(command.examples),
        _groups(command.groups),
    )


def usage(command: Command) -> str:
    """Return the synopsis of a command."""
    name = command.name if command.commands else f"syswatch {command.name}"
    return f"Usage: {name} {command.synopsis}".rstrip()


def option_column(option: Option) -> str:
    """Return an option with its short form and the name of its value."""
    short = f"-{option.short}, " if option.short else "    "
    value = f" {option.metavar}" if option.metavar else ""
    return f"{short}--{option.name}{value}"


def _examples(examples: Sequence[Example]) -> list[str]:
    width = max(len(example.line) for example in examples)
    return ["Examples:", *(f"{_INDENT}{e.line:<{width}}  # {e.purpose}" for e in examples)]


def _groups(groups: dict[Group, list[Option]]) -> list[str]:
    blocks = []
    for group, options in groups.items():
        blocks.append([f"{group.value}:", *(line for o in options for line in _option(o))])
    return _joined(*blocks).split("\n")


def _option(option: Option) -> Iterable[str]:
    column = f"{_INDENT}{option_column(option)}"
    indent = " " * (len(_INDENT) + _OPTION_WIDTH + 2)
    lines = textwrap.wrap(
        option.description, _WIDTH, initial_indent=indent, subsequent_indent=indent
    )
    if len(column) + 2 <= len(indent):
        return [column.ljust(len(indent)) + lines[0].lstrip(), *lines[1:]]
    return [column, *lines]


def _joined(*blocks: Sequence[str]) -> str:
    return "\n\n".join("\n".join(block) for block in blocks if block)
