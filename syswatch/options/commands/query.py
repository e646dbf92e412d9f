"""`syswatch query`: ask questions about a recording."""

from syswatch.options import checks, reading
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
    folder = reading.recording(arguments)
    words = arguments.operands[1:]
    question = checks.name(arguments, "ask")
    if bool(words) == bool(question):
        raise UsageError(
            "query: expected either a query in SQL or --ask NAME (--list shows the names)"
        )
    if len(words) > 1:
        raise UsageError("query: the query must be one argument: put it into quotes")
    return Query(
        folder,
        sql="".join(words),
        question=question,
        values=dict(_values(arguments)),
        format=checks.choice(arguments, "format"),
        output=reading.destination(arguments),
    )


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


COMMAND = Command(
    "query",
    "Ask questions about a recording of every call",
    "DIR 'SELECT ...' | DIR --ask NAME | --list [OPTION...]",
    "DIR is a recording written with --record; it may still be written to.  The query is SQL of"
    " DuckDB over views such as 'calls' and 'processes', which --list shows.  It can read nothing"
    " else, and write nothing.\n\nThis needs the extra 'record' (pip install 'syswatch[record]').",
    (
        Example("syswatch query rec 'SELECT max(duration) FROM calls'", "ask in SQL"),
        Example("syswatch query rec --ask slowest-calls", "use a ready-made one"),
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
            needs="ask",
        ),
        Option(
            "at",
            "Set the moment of the question: +SECONDS from the beginning, HH:MM:SS in UTC, or a"
            " date and time",
            Group.OUTPUT,
            metavar="TIME",
            needs="ask",
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
        *GENERAL,
    ),
    _run,
    Value.DIRECTORY,
    options_anywhere=True,
)
