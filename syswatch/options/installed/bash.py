"""The completion script for bash."""

from collections.abc import Iterable

from syswatch.options.declaration import Command, Option, Value

_SCRIPT = r"""# bash completion for syswatch

_syswatch()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local command= operand=0 index word
    local -a pids
    COMPREPLY=()
    # Bash splits --format=json into three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((index = 1; index < COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        case $word in
            @COMMANDS@) command=$word; break ;;
        esac
    done
    for ((index++; index < COMP_CWORD; index++)); do
        case $command:${COMP_WORDS[index]} in
            @VALUED@)
                ((index++))
                # Bash splits :8080 and =json, too.
                while [[ ${COMP_WORDS[index]} =~ ^[=:]+$ ]]; do ((index++)); done
                while [[ ${COMP_WORDS[index+1]} =~ ^[=:]+$ ]]; do ((index += 2)); done
                ;;
            *:--)
                ((operand = index + 1))
                break
                ;;
            *:-*) ;;
            *)
                operand=$index
                break
                ;;
        esac
    done
    if ((operand && operand <= COMP_CWORD)) && [[ $command == run ]]; then
        if ((operand < COMP_CWORD)); then
            if declare -F _comp_command_offset >/dev/null; then
                _comp_command_offset "$operand"
            elif declare -F _command_offset >/dev/null; then
                _command_offset "$operand"
            fi
        else
            COMPREPLY=($(compgen -c -- "$current"))
        fi
        return
    fi
    case $command:$previous in
@VALUES@
    esac
    case $command:$current in
@OPTIONS@
@OPERANDS@
    esac
}

complete -o default -F _syswatch syswatch
"""
_WORDS = 'COMPREPLY=($(compgen -W "{}" -- "$current"))'
# What completes a value.  Where there are no replies, bash completes files, unless told otherwise.
_COMPLETERS = {
    Value.TEXT: "compopt +o default 2>/dev/null",
    Value.FILE: "",
    Value.DIRECTORY: "compopt +o default -o dirnames 2>/dev/null",
    Value.PID: f"pids=(/proc/[0-9]*); {_WORDS.format('${pids[*]#/proc/}')}",
    Value.USER: 'COMPREPLY=($(compgen -u -- "$current"))',
    Value.PROGRAM: 'COMPREPLY=($(compgen -c -- "$current"))',
}


def render(program: Command) -> str:
    """Return the script."""
    names = [command.name for command in program.commands]
    return (
        _SCRIPT.replace("@COMMANDS@", "|".join(names))
        .replace("@VALUED@", "|".join(_valued(program)))
        .replace("@VALUES@", "\n".join(_values(program)))
        .replace("@OPTIONS@", "\n".join(_options(program)))
        .replace("@OPERANDS@", "\n".join(_operands(program)))
    )


def _valued(program: Command) -> Iterable[str]:
    for command in program.commands:
        for option in command.options:
            if option.metavar:
                yield from (f"{command.name}:{spelling}" for spelling in option.spellings)


def _values(program: Command) -> Iterable[str]:
    patterns: dict[str, list[str]] = {}
    for command in (program, *program.commands):
        name = "" if command is program else command.name
        for option in command.options:
            if option.metavar:
                found = patterns.setdefault(_completer(option), [])
                found += (f"{name}:{spelling}" for spelling in option.spellings)
    for completer, labels in patterns.items():
        yield from _clause("|".join(labels), completer, "return")


def _completer(option: Option) -> str:
    return _WORDS.format(" ".join(option.choices)) if option.choices else _COMPLETERS[option.value]


def _clause(pattern: str, *statements: str) -> Iterable[str]:
    yield f"        {pattern})"
    yield from (f"            {statement}" for statement in statements if statement)
    yield "            ;;"


def _options(program: Command) -> Iterable[str]:
    for command in (program, *program.commands):
        name = "" if command is program else command.name
        words = " ".join(spelling for option in command.options for spelling in option.spellings)
        yield from _clause(f"{name}:-*", _WORDS.format(words))


def _operands(program: Command) -> Iterable[str]:
    names = " ".join(command.name for command in program.commands)
    for command in program.commands:
        is_command = command.operand is Value.COMMAND
        completer = _WORDS.format(names) if is_command else _COMPLETERS[command.operand]
        yield from _clause(f"{command.name}:*", completer)
    yield from _clause("*", _WORDS.format(names))
