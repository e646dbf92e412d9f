"""The completion script for zsh."""

from collections.abc import Iterable

from syswatch.options.declaration import Command, Option, Value

_SCRIPT = r"""#compdef syswatch

_syswatch() {
    local curcontext=$curcontext state line
    local -a subcommands
    typeset -A opt_args
    subcommands=(
@COMMANDS@
    )
    _arguments -C -s -S \
@OPTIONS@
        '1:command:->command' \
        '*::argument:->arguments' && return 0
    case $state in
        command)
            _describe -t commands command subcommands
            ;;
        arguments)
            curcontext=${curcontext%:*:*}:syswatch-$words[1]:
            case $words[1] in
@CASES@
            esac
            ;;
    esac
}

_syswatch "$@"
"""
_COMPLETERS = {
    Value.TEXT: " ",
    Value.FILE: "_files",
    Value.DIRECTORY: "_files -/",
    Value.PID: "_pids",
    Value.USER: "_users",
}
_OPERANDS = {
    Value.TEXT: "'*:argument: '",
    Value.FILE: "'*:file:_files'",
    Value.DIRECTORY: "'1:directory:_files -/'",
    Value.PID: "'*:process:_pids'",
    Value.PROGRAM: "'(-)1:program: _command_names -e' '*::argument:_normal'",
    Value.COMMAND: "'1:command:($commands_only)'",
}


def render(program: Command) -> str:
    """Return the script."""
    return (
        _SCRIPT.replace("@COMMANDS@", "\n".join(_commands(program)))
        .replace("@OPTIONS@", "\n".join(_specs(program, " " * 8)))
        .replace("@CASES@", "\n".join(_cases(program)))
    )


def _commands(program: Command) -> Iterable[str]:
    for command in program.commands:
        yield f"        '{command.name}:{_quoted(command.purpose)}'"


def _cases(program: Command) -> Iterable[str]:
    names = " ".join(command.name for command in program.commands)
    indent = " " * 16
    for command in program.commands:
        yield f"{indent}{command.name})"
        yield f"{indent}    _arguments -s -S \\"
        yield from _specs(command, indent + " " * 8)
        operand = _OPERANDS[command.operand].replace("$commands_only", names)
        yield f"{indent}        {operand}"
        yield f"{indent}        ;;"


def _specs(command: Command, indent: str) -> Iterable[str]:
    for option in command.options:
        for spelling in option.spellings:
            excluded = "*" if option.repeatable else f"({' '.join(option.spellings)})"
            equals = "=" if option.metavar and spelling.startswith("--") else ""
            text = _quoted(option.help)
            yield f"{indent}'{excluded}{spelling}{equals}[{text}]{_value(option)}' \\"


def _value(option: Option) -> str:
    if not option.metavar:
        return ""
    completer = f"({' '.join(option.choices)})" if option.choices else _COMPLETERS[option.value]
    return f":{option.metavar}:{completer}"


def _quoted(text: str) -> str:
    """Escape a description within single quotes."""
    for character in "\\[]:":
        text = text.replace(character, f"\\{character}")
    return text.replace("'", "'\\''")
