"""`syswatch check`: compare a command, or a run that exists, with a budget."""

import os
from collections.abc import Mapping
from pathlib import Path

import attrs

from syswatch.checking.forms import CONTENTS
from syswatch.checking.places import BUDGET, PYPROJECT
from syswatch.model.messages import RunCommand, TraceOptions
from syswatch.options import checks, output, reading
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.commands import run
from syswatch.options.config import Check, Config, Reporting
from syswatch.options.declaration import GENERAL, Command, Example, Group, Option, Value
from syswatch.options.effects import check_effects
from syswatch.options.serving import PRESENTED_TOKEN, token
from syswatch.options.tracing import BACKEND, CHILDREN, NO_COLOCATE

# The formats that can be written to a file in addition.
_FILES = ("markdown", "junit")
# What has no effect unless a command is traced.
_TRACING = (*run.TARGET, *CHILDREN, BACKEND, NO_COLOCATE, output.RECORD)


def _run(arguments: Arguments) -> Check:
    check_effects(arguments)
    sources = _sources(arguments)
    checks.check_distinct_files(arguments, ("budget", "output", *_FILES), sources)
    return Check(
        _file_to_write(arguments) if arguments.has("write") else _budget(arguments),
        traced=None if sources else _traced(arguments),
        sources=sources,
        token=token(arguments, "http-token"),
        format=checks.choice(arguments, "format"),
        output=reading.destination(arguments),
        files=_files(arguments),
        writes=arguments.has("write"),
        runs=checks.whole_number(arguments, "runs", 1),
    )


def _sources(arguments: Arguments) -> tuple[str, ...]:
    """Return the runs to read; without any, there is a command."""
    recordings, urls = arguments.every("recording"), arguments.every("url")
    given = [name for name in ("recording", "url") if arguments.has(name)]
    if len(given) + bool(arguments.operands) > 1:
        what = " and ".join(
            [*(f"--{name}" for name in given), *(["COMMAND"] * bool(arguments.operands))]
        )
        raise UsageError(f"check: {what} cannot be given together")
    if not (given or arguments.operands):
        raise UsageError("check: missing COMMAND, as in 'syswatch check -- make test'")
    sources = (*recordings, *urls)
    if len(sources) > 1 and not arguments.has("write"):
        raise UsageError("check: only --write takes several runs")
    if "" in sources:
        raise UsageError(f"{arguments.label(given[0])}: the name is empty")
    for option in _TRACING if sources else ():
        if arguments.has(option.name):
            raise UsageError(f"{arguments.label(option.name)} has no effect with --{given[0]}")
    if sources and arguments.has("runs"):
        raise UsageError(f"--runs has no effect with --{given[0]}")
    return sources


def _budget(arguments: Arguments) -> Path | None:
    """Return the budget that is given; without one, the nearest is looked for later."""
    given = checks.name(arguments, "budget")
    return Path(given) if given else None


def _file_to_write(arguments: Arguments) -> Path:
    file = Path(checks.writable(arguments, "budget") or BUDGET)
    if file.name == PYPROJECT:
        raise UsageError(
            f"check --write: {file} is not written to; write {BUDGET}, or copy its tables to"
            f" {PYPROJECT} as [tool.syswatch.calls] and so on"
        )
    if os.path.lexists(file) and not arguments.has("force"):
        raise UsageError(f"check --write: {file} exists (--force replaces it)")
    if not os.access(file.parent, os.W_OK):
        raise UsageError(f"check --write: cannot write {file}: permission denied")
    return file


def _files(arguments: Arguments) -> Mapping[str, str]:
    return {form: checks.writable(arguments, form) for form in _FILES if arguments.has(form)}


def _traced(arguments: Arguments) -> Config:
    """Return how the command is traced: everything, without a log, and without a summary."""
    checks.need_proc()
    if arguments.has("record") and arguments.has("runs"):
        raise UsageError("--record has no effect with --runs: a recording is of one run")
    options = TraceOptions(
        follow_children=not arguments.has("no-children"),
        colocate=not arguments.has("no-colocate"),
        log_rate=0,
        debug=arguments.has("debug"),
        backend=checks.choice(arguments, "backend"),
    )
    job = RunCommand(
        argv=arguments.operands,
        cwd=checks.directory(arguments, "cwd"),
        environment=run.environment(arguments),
        user=checks.name(arguments, "user"),
        options=options,
    )
    recording = checks.recording(arguments, "record")
    return Config(job, reporting=Reporting(summary=False, recording=recording))


def _also(form: str, title: str) -> Option:
    return Option(
        form,
        f"Also write the result to a file as {title}",
        Group.OUTPUT,
        metavar="FILE",
        value=Value.FILE,
    )


COMMAND = Command(
    "check",
    "Fail if a command exceeds a budget of system calls",
    "[OPTION...] [--] COMMAND [ARGUMENT...]",
    "The budget is a TOML file with the most calls, errors, bytes and time, and with what is"
    f" forbidden.  Without --budget it is the nearest {BUDGET}, or {PYPROJECT} with a table"
    " [tool.syswatch], in this directory or above.  With --recording or --url, a run that exists"
    " is checked instead of COMMAND.\n\n"
    "With GITHUB_ACTIONS set, what exceeds the budget is annotated, and the result is added to the"
    " summary of the job.\n\n"
    "Exit status: 0 within the budget, 1 exceeded, 2 if something cannot be read or started, and 3"
    " if COMMAND failed although it is within the budget.  An entry that cannot be decided because"
    ' calls were lost counts as exceeded, unless the budget says inexact = "warn".',
    (
        Example("syswatch check --write -- make test", "make a first budget"),
        Example("syswatch check -- make test", "fail if it is exceeded"),
        Example("syswatch check --junit out.xml -- make test", "report to CI"),
        Example("syswatch check --recording app.rec", "check a recording"),
    ),
    (
        *run.TARGET,
        *CHILDREN,
        Option(
            "recording",
            "Check a recording, a log of strace, or a summary written with --format json",
            Group.TARGET,
            metavar="FILE",
            value=Value.FILE,
            repeatable=True,
        ),
        Option(
            "url",
            "Check what a running server has traced so far",
            Group.TARGET,
            metavar="URL",
            repeatable=True,
        ),
        Option(
            "budget", "Use this budget", Group.FILTER, metavar="FILE", value=Value.FILE, short="b"
        ),
        Option(
            "write",
            f"Write a budget that the runs are within, by default {BUDGET}",
            Group.OUTPUT,
        ),
        Option(
            "runs",
            "Write it from N runs of the command, which show how much numbers vary",
            Group.OUTPUT,
            metavar="N",
            default="1",
            needs=("write",),
        ),
        Option("force", "Replace a budget that exists", Group.OUTPUT, needs=("write",)),
        Option(
            "format",
            "Format of the result",
            Group.OUTPUT,
            metavar="FORMAT",
            choices=tuple(CONTENTS),
            default="text",
        ),
        attrs.evolve(
            reading.OUTPUT,
            help="Write the result to a file instead of stderr, or stdout without a command",
        ),
        _also("markdown", "Markdown"),
        _also("junit", "JUnit XML"),
        output.RECORD,
        *PRESENTED_TOKEN,
        BACKEND,
        NO_COLOCATE,
        output.DEBUG,
        *GENERAL,
    ),
    _run,
    Value.PROGRAM,
)
