"""`syswatch run`: start a command and trace it."""

from syswatch.model.messages import RunCommand
from syswatch.options import calls, checks
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Config
from syswatch.options.declaration import Command, Example, Group, Option, Value
from syswatch.options.tracing import OPTIONS, trace_options
from syswatch.options.watching import configure

TARGET = (
    Option(
        "env",
        "Set a variable in the environment of the command",
        Group.TARGET,
        short="E",
        metavar="NAME=VALUE",
        repeatable=True,
    ),
    Option(
        "cwd",
        "Start the command in this directory",
        Group.TARGET,
        metavar="DIRECTORY",
        value=Value.DIRECTORY,
    ),
    Option(
        "user",
        "Start the command as this user",
        Group.TARGET,
        short="u",
        metavar="USER",
        value=Value.USER,
    ),
)


def _run(arguments: Arguments) -> Config:
    if not arguments.operands:
        raise UsageError("run: missing COMMAND, as in 'syswatch run ls -l'")
    arguments = calls.with_summary_file(arguments)
    job = RunCommand(
        argv=arguments.operands,
        cwd=checks.directory(arguments, "cwd"),
        environment=environment(arguments),
        user=checks.name(arguments, "user"),
        options=trace_options(arguments),
    )
    return configure(arguments, job)


def environment(arguments: Arguments) -> dict[str, str]:
    """Return the variables that are set in the environment of the command."""
    assignments = [text.partition("=") for text in arguments.every("env")]
    for name, equals, value in assignments:
        if not (name and equals):
            raise UsageError(
                f"{arguments.label('env')}: invalid value '{name}{equals}{value}'"
                " (expected NAME=VALUE)"
            )
    return {name: value for name, _, value in assignments}


COMMAND = Command(
    "run",
    "Start a command and trace it",
    "[OPTION...] [--] COMMAND [ARGUMENT...]",
    "Everything after COMMAND is passed to it, so options of syswatch go before it.  Child"
    " processes are traced as well.\n\n"
    "The exit status is that of COMMAND; if that is 0 and a requested file cannot be written,"
    " it is 1.",
    (
        Example("syswatch run ls -l", "trace a command in the terminal UI"),
        Example("syswatch run -c -e %file ls -l", "summarize its use of files"),
        Example("syswatch run --serve :8080 ls -l", "serve a dashboard"),
    ),
    (*TARGET, *OPTIONS),
    _run,
    Value.PROGRAM,
)
