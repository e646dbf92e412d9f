"""`syswatch query`: ask questions about recordings."""

import glob
import os
from collections.abc import Sequence

import attrs

from syswatch.options import checks, engine, reading
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Answer, Query
from syswatch.options.declaration import GENERAL, Clash, Command, Example, Group, Option, Value
from syswatch.options.effects import check_effects
from syswatch.recording.forms import RESULTS


def _run(arguments: Arguments) -> Query | Answer:
    check_effects(arguments)
    if arguments.has("list"):
        from syswatch.recording.query.listing import listing

        return Answer(listing())
    if not arguments.operands:
        raise UsageError("query: missing INPUT, a recording or a log")
    question = checks.name(arguments, "ask")
    *names, sql = (*arguments.operands, "") if question else arguments.operands
    checks.check_named("query", names, "an input")
    _check(names, sql, question)
    inputs = engine.expanded(names)
    if question and len(inputs) > 1:
        raise UsageError("--ask is about one recording: ask several in SQL")
    return Query(
        inputs,
        sql=sql,
        question=question,
        values=dict(_values(arguments)),
        format=checks.choice(arguments, "format"),
        output=reading.destination(arguments),
        scheduler=engine.scheduler(arguments, inputs),
    )


def _check(names: Sequence[str], sql: str, question: str) -> None:
    """Refuse words that cannot be inputs; the first one is checked when it is read."""
    if not names or (question and any(map(_is_missing, names[1:]))):
        raise UsageError(
            "query: expected either a query in SQL or --ask NAME (--list shows the names)"
        )
    if sql and _is_missing(names[0]) and not _is_missing(sql):
        raise UsageError(
            f"query: no such file or directory: '{names[0]}' (the query is the last word)"
        )
    missing = next(filter(_is_missing, names[1:]), None)
    if missing is not None:
        raise UsageError(
            f"query: no such file or directory: '{missing}' (the query must be one argument: put it"
            " into quotes)"
        )


def _is_missing(name: str) -> bool:
    if engine.is_url(name) or name == engine.STDIN:
        return False
    return not (os.path.lexists(name) or glob.glob(name, recursive=True))  # noqa: PTH207


def _values(arguments: Arguments) -> list[tuple[str, str]]:
    """Return the parameters of a question."""
    found = []
    for text in arguments.every("set"):
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"--set: invalid value '{text}' (expected NAME=VALUE)")
        found.append((name, value))
    at = checks.name(arguments, "at")
    return [*found, *([("at", at)] if at else [])]


ENGINE = attrs.evolve(
    engine.OPTION,
    help="Where to read logs and URLs: local, dask for a cluster of this machine's CPUs, or"
    " dask://HOST:PORT for the workers of a scheduler",
    clashes=(Clash("list", "prints text"),),
)
COMMAND = Command(
    "query",
    "Ask questions about recordings of every call",
    "INPUT... QUERY | INPUT --ask NAME | --list [OPTION...]",
    "INPUT is a recording written with --record, which may still be written to, a log of strace, a"
    " URL of either, or a pattern such as 'runs/*'; the column 'recording' tells several apart."
    "  QUERY is SQL of DuckDB over views such as 'calls' and 'processes', which --list shows."
    "  It can read nothing else, and write nothing.\n\nThis needs the extra 'record' (pip install"
    " 'syswatch[record]'); URLs and --engine dask need the extra 'dask', too.",
    (
        Example("syswatch query rec 'SELECT max(duration) FROM calls'", "ask in SQL"),
        Example("syswatch query 'runs/*' 'SELECT count(*) FROM calls'", "ask several"),
        Example("syswatch query app.log --ask slowest-calls", "use a ready-made one"),
        Example("syswatch query rec --ask around --at +2.5", "show a moment"),
    ),
    (
        Option("list", "Show the ready-made questions and the views", Group.OUTPUT),
        Option("ask", "Ask a ready-made question", Group.OUTPUT, metavar="NAME"),
        Option(
            "set",
            "Set a parameter of the question",
            Group.OUTPUT,
            metavar="NAME=VALUE",
            repeatable=True,
            needs=("ask",),
        ),
        Option(
            "at",
            "Set the moment of the question: +SECONDS from the beginning, HH:MM:SS in UTC, or a"
            " date and time",
            Group.OUTPUT,
            metavar="TIME",
            needs=("ask",),
        ),
        Option(
            "format",
            "Format of the result",
            Group.OUTPUT,
            metavar="FORMAT",
            choices=tuple(RESULTS),
            default="table",
            clashes=(Clash("list", "prints text"),),
        ),
        reading.OUTPUT,
        ENGINE,
        *GENERAL,
    ),
    _run,
    Value.FILE,
    options_anywhere=True,
)
