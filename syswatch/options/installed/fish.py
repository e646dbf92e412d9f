"""The completion script for fish."""

from collections.abc import Iterable

from syswatch.options.declaration import Command, Option, Value

_HEADER = """# fish completion for syswatch

complete -c syswatch -f
"""
# Whether files are offered, and what else.
_COMPLETERS = {
    Value.TEXT: "-x",
    Value.FILE: "-r -F",
    Value.DIRECTORY: "-x -a '(__fish_complete_directories)'",
    Value.PID: "-x -a '(__fish_complete_pids)'",
    Value.USER: "-x -a '(__fish_complete_users)'",
}
_OPERANDS = {
    Value.FILE: "-F",
    Value.DIRECTORY: "-a '(__fish_complete_directories)'",
    Value.PID: "-a '(__fish_complete_pids)'",
}


def render(program: Command) -> str:
    """Return the script."""
    return _HEADER + "".join(f"{line}\n" for line in _lines(program))


def _lines(program: Command) -> Iterable[str]:
    first = "-n __fish_use_subcommand"
    for command in program.commands:
        yield f"complete -c syswatch {first} -a {command.name} -d {_quoted(command.purpose)}"
    for option in program.options:
        yield f"complete -c syswatch {first} {_option(option)}"
    commands: dict[str, list[str]] = {}
    for command in program.commands:
        for completion in _completions(command, program):
            commands.setdefault(completion, []).append(command.name)
    for completion, names in commands.items():
        within = f"-n '__fish_seen_subcommand_from {' '.join(names)}'"
        yield f"complete -c syswatch {within} {completion}"


def _completions(command: Command, program: Command) -> Iterable[str]:
    """Return what completes the words after a command; several commands may share each line."""
    yield from map(_option, command.options)
    if command.operand is Value.COMMAND:
        yield f"-a '{' '.join(other.name for other in program.commands)}'"
    elif command.operand is Value.PROGRAM:
        yield f"-a '(__fish_complete_subcommand {_skip(command)})'"
    elif command.operand in _OPERANDS:
        yield _OPERANDS[command.operand]


def _skip(command: Command) -> str:
    """Return what precedes the program: two words, options, and the values of some options."""
    valued = [s for o in command.options if o.metavar for s in o.spellings]
    # A short one first, because fish takes leading long ones for options of its own function.
    return " ".join(["--fcs-skip=2", *sorted(valued, key=len)])


def _option(option: Option) -> str:
    short = [f"-s {option.short}"] if option.short else []
    value = []
    if option.choices:
        value = [f"-x -a '{' '.join(option.choices)}'"]
    elif option.metavar:
        value = [_COMPLETERS[option.value]]
    return " ".join([*short, f"-l {option.name}", *value, f"-d {_quoted(option.help)}"])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
