"""The manual page, in the man macros of roff."""

from collections.abc import Iterable

from syswatch.options.declaration import Command, Group, Option

_DESCRIPTION = (
    "syswatch observes the system calls of programs and shows, for each call, how often it was"
    " made, how often it failed and how long it took, while the program runs. It shows them in a"
    " terminal UI, as a summary, as a web dashboard with an HTTP API, or as an HTML report. It"
    " traces with ptrace(2) or eBPF, or reads logs that strace(1) wrote."
)
_EXIT_STATUS = {
    "0": "Success. run has the exit status of the command that it traced, and ends by the signal"
    " that ended the command.",
    "1": "Tracing failed, a requested file could not be written, nothing was found, or diff found a"
    " change.",
    "2": "The command line is wrong, the listen address cannot be used, or diff cannot read an"
    " input. Nothing was started.",
    "126, 127": "The command cannot be executed, or does not exist.",
    "70": "An internal error.",
    "128+N": "Signal N ended syswatch before tracing started, or while it read a log.",
}
_ENVIRONMENT = {
    "NO_COLOR": "If set and not empty, output has no colours.",
    "TERM": "If unset, empty or dumb, the terminal UI is not shown.",
    "NOTIFY_SOCKET": "The socket of a service manager that is notified when syswatch is ready.",
    "LISTEN_FDS": "The sockets opened by a service manager (--serve systemd:domain=INET:index=0).",
}
_FILES = {
    "/proc": "Must be mounted. It shows the processes that can be traced.",
    "twistd.log": "The log of twistd syswatch when it runs in the background, unless --logfile is"
    " given.",
}
_SEE_ALSO = (("strace", 1), ("twistd", 1), ("ptrace", 2), ("bpf", 2), ("capabilities", 7))


def render(program: Command) -> str:
    """Return the source of the page."""
    blocks: list[Iterable[str]] = [
        [f'.TH {program.name.upper()} 1 "" "{program.name}" "User Commands"'],
        [".SH NAME", f"{_text(program.name)} \\- {_text(program.purpose)}"],
        [".SH SYNOPSIS", *_synopsis(program)],
        [".SH DESCRIPTION", _text(_DESCRIPTION)],
        [".SH COMMANDS", *(line for command in program.commands for line in _command(command))],
        [".SH OPTIONS", *_options(program)],
        [".SH EXAMPLES", *_examples(program)],
        [".SH EXIT STATUS", *_list(_EXIT_STATUS.items())],
        [".SH ENVIRONMENT", *_list(_ENVIRONMENT.items())],
        [".SH FILES", *_list(_FILES.items())],
        [".SH SEE ALSO", *_references()],
    ]
    return "".join(f"{line}\n" for block in blocks for line in block)


def _synopsis(program: Command) -> Iterable[str]:
    for command in program.commands:
        yield f".B {program.name} {command.name}"
        yield _text(command.synopsis) if command.synopsis else "\\&"
        yield ".br"


def _command(command: Command) -> Iterable[str]:
    yield ".TP"
    yield f".B {command.name}"
    yield _text(f"{command.purpose}.")
    for paragraph in command.description.split("\n\n"):
        yield ".IP"
        yield _text(paragraph.replace("  ", " "))


def _options(program: Command) -> Iterable[str]:
    yield _text(
        "The commands that have an option are named in brackets. Options of Output, Serve and"
        " Security may also be given before the command."
    )
    for group in Group:
        owners: dict[Option, list[str]] = {}
        for command in program.commands:
            for option in command.groups.get(group, ()):
                owners.setdefault(option, []).append(command.name)
        yield f".SS {group.value}"
        for option, names in owners.items():
            is_common = len(names) == len([*program.commands])
            suffix = "" if is_common else f" [{', '.join(names)}]"
            yield ".TP"
            yield _spelling(option)
            yield _text(f"{option.description}.{suffix}")


def _spelling(option: Option) -> str:
    value = f" \\fI{_text(option.metavar)}\\fR" if option.metavar else ""
    return ", ".join(f"\\fB{_text(spelling)}\\fR" for spelling in option.spellings) + value


def _examples(program: Command) -> Iterable[str]:
    for command in program.commands:
        for example in command.examples:
            purpose = f"{example.purpose[0].upper()}{example.purpose[1:]}:"
            yield from (".PP", _text(purpose), ".PP", ".RS", ".nf")
            yield from (_text(example.line), ".fi", ".RE")


def _list(items: Iterable[tuple[str, str]]) -> Iterable[str]:
    for term, text in items:
        yield from (".TP", f".B {_text(term)}", _text(text))


def _references() -> Iterable[str]:
    for position, (name, section) in enumerate(_SEE_ALSO, 1):
        comma = "," if position < len(_SEE_ALSO) else ""
        yield f".BR {name} ({section}){comma}"


def _text(text: str) -> str:
    """Escape what roff would interpret; hyphens stay ASCII, so that options can be copied."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped
