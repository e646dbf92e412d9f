"""The parser of command lines: from words to the arguments of a command."""

from collections.abc import Sequence
from contextlib import suppress
from getopt import GetoptError, getopt, gnu_getopt
from pathlib import Path
from typing import NoReturn

from .arguments import Arguments, UsageError
from .declaration import Command, Group, Option
from .strace_habits import STRACE_OPTIONS
from .suggestions import did_you_mean, most_similar


def parse(program: Command, words: Sequence[str]) -> Arguments:
    """Parse a command line; a mistake is a UsageError."""
    before = _parse_options(program, words)
    if asks_for_help(before) or not before.operands:
        return before
    name, *rest = before.operands
    arguments = _parse_options(find_command(program, name), rest, before)
    if not asks_for_help(arguments):
        _check_inherited(arguments, before)
    return arguments


def asks_for_help(arguments: Arguments) -> bool:
    """Return whether the help or the version is all that is wanted."""
    return "help" in arguments.given or "version" in arguments.given


def _parse_options(
    command: Command, words: Sequence[str], before: Arguments | None = None
) -> Arguments:
    spellings = {spelling: option for option in command.options for spelling in option.spellings}
    short = "".join(o.short + (":" if o.metavar else "") for o in command.options if o.short)
    program = before.command if before is not None else command
    long = [
        option.name + ("=" if option.metavar else "")
        for option in (*command.options, *_shadowed(command, program, words))
    ]
    try:
        split = gnu_getopt if command.options_anywhere else getopt
        occurrences, operands = split(list(words), short, long)
        separator = _separator(words, short, long) if command.options_anywhere else None
    except GetoptError as error:
        _explain(command, program, words, error)
    given: dict[str, list[tuple[str, str]]] = {}
    for spelling, text in occurrences:
        if spelling not in spellings:
            _refuse_option(command, program, spelling, words)
        option = spellings[spelling]
        name, value = option.alias_of or (option.name, text)
        given.setdefault(option.name, []).append((spelling, text))
        if name != option.name:
            given.setdefault(name, []).append((spelling, value))
    return Arguments(command, tuple(operands), given, before, separator)


def _shadowed(command: Command, program: Command, words: Sequence[str]) -> Sequence[Option]:
    """
    Return options of other commands that are typed and that getopt would take for abbreviations.

    `--all` of `attach` is the beginning of `--allow-host`, which takes a value: the command to run.
    """
    own = [option.name for option in command.options]
    typed = {word[2:].split("=")[0] for word in words if word.startswith("--")} - {"", *own}
    # Without one, the other commands are not imported.
    if not any(name.startswith(word) for word in typed for name in own):
        return ()
    foreign = {o.name: o for other in program.commands for o in other.options}
    return [foreign[name] for name in sorted(typed & foreign.keys())]


def _separator(words: Sequence[str], short: str, long: Sequence[str]) -> int | None:
    """Return how many operands precede `--`, which getopt removes; None if it is not there."""
    for at, word in enumerate(words):
        if word == "--":
            # If it is the value of an option, the words before it lack a value.
            with suppress(GetoptError):
                return len(gnu_getopt(list(words[:at]), short, long)[1])
    return None


def _check_inherited(arguments: Arguments, before: Arguments) -> None:
    """Refuse options before a command that the command does not have."""
    for name, occurrences in before.given.items():
        # They are harmless beside any command.
        if arguments.command.option(name) is None and name not in {"debug", "log-format"}:
            label = occurrences[-1][0]
            raise UsageError(f"{label} has no effect with {arguments.command.name}")


def _explain(
    command: Command, program: Command, words: Sequence[str], error: GetoptError
) -> NoReturn:
    """Raise a UsageError for what getopt refuses."""
    is_long = f"--{error.opt}" in error.msg
    label = f"--{error.opt}" if is_long else f"-{error.opt}"
    known = {f"--{option.name}": option for option in command.options}
    known |= {f"-{option.short}": option for option in command.options if option.short}
    candidates = [name for name in known if is_long and name.startswith(label)]
    if label in known:
        _refuse_value(known[label], label)
    if candidates and error.opt:
        raise UsageError(f"ambiguous option '{label}': {', '.join(candidates)}")
    _refuse_option(command, program, label, words)


def _refuse_value(option: Option, label: str) -> NoReturn:
    if option.metavar:
        raise UsageError(f"{label}: missing value {option.metavar}")
    raise UsageError(f"{label} takes no value")


def _refuse_option(
    command: Command, program: Command, label: str, words: Sequence[str]
) -> NoReturn:
    """Raise a UsageError that names what was probably meant."""
    if label in STRACE_OPTIONS and command.name in {"run", "attach", program.name}:
        raise UsageError(f"{label} of strace is not supported: {STRACE_OPTIONS[label]}")
    owners = [
        (other.name, option)
        for other in program.commands
        for option in other.options
        if label in option.spellings
    ]
    if owners:
        names, (first, option) = ", ".join(name for name, _ in owners), owners[0]
        typed = _typed(words, label, option)
        meant = _of_same(command, typed[len(label) :].lstrip(" =")) or f"syswatch {first} {typed}"
        raise UsageError(f"{label} is an option of {names}; did you mean '{meant}'?")
    accepted = [f"--{option.name}" for option in command.options]
    hint = did_you_mean(label, accepted) or _of_another(program, label)
    where = f"syswatch help {command.name}" if command is not program else "syswatch help"
    raise UsageError(f"unknown option '{label}'{hint or f' (see: {where})'}")


def _of_same(command: Command, value: str) -> str:
    """Return the option of a command that takes a word which another option was given."""
    if value.isdigit():
        return ""  # Any option may take a number.
    found = (f"--{each.name} {value}" for each in command.options if value in each.choices)
    return next(found, "")


def _of_another(program: Command, label: str) -> str:
    """Suggest an option of another command, which is named: the present one would refuse it."""
    owners = {
        f"--{each.name}": other.name
        for other in reversed([*program.commands])
        for each in other.options
    }
    found = most_similar(label, owners)
    return f"; did you mean '{found}' of {owners[found]}?" if found else ""


def _typed(words: Sequence[str], label: str, option: Option) -> str:
    """Return an option and its value as typed; a short one may follow others in one word."""
    if option.group is Group.SECURITY:  # The value may be a secret.
        return f"{label} {option.metavar}".rstrip()
    for word, following in zip(words, (*words[1:], ""), strict=True):
        if word.split("=")[0] == label and label.startswith("--"):
            is_apart = option.metavar and "=" not in word
            return f"{word} {following}".rstrip() if is_apart else word
        if word[:1] == "-" and word[:2] != "--" and label[1] in word and len(label) == len("-x"):
            value = (word.partition(label[1])[2] or following) if option.metavar else ""
            return f"{label} {value}".rstrip()
    return label


def find_command(program: Command, name: str) -> Command:
    """Return the command with a name; raise a UsageError that suggests one if there is none."""
    command = program.command(name)
    if command is None:
        names = [command.name for command in program.commands]
        hint = did_you_mean(name, names) or _meant(name) or f"; choose from: {', '.join(names)}"
        raise UsageError(f"unknown command '{name}'{hint}")
    return command


def _meant(word: str) -> str:
    """Return which command takes a word that is a PID, a file or a program."""
    if word.isdecimal():
        return f"; did you mean 'syswatch attach {word}'?"
    # It loads decompressors, which only this mistake would be slower for.
    from shlex import quote
    from shutil import which

    if word and which(word) is not None:
        return f"; did you mean 'syswatch run {quote(word)}'?"
    if _is_file(word):
        return f"; did you mean 'syswatch stats {quote(word)}'?"
    return ""


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False
