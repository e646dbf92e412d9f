"""`syswatch stats`: analyze strace logs and recordings."""

import os
import sys
from collections.abc import Iterable

import attrs

from syswatch.model.messages import ReadLogs
from syswatch.options import checks, engine, filtering, otlp, output, preferences, serving
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Config
from syswatch.options.declaration import GENERAL, Command, Example, Group, Option, Value
from syswatch.options.watching import configure


def _run(arguments: Arguments) -> Config:
    if not arguments.operands:
        raise UsageError("stats: missing FILE ('-' is standard input)")
    checks.check_named("stats", arguments.operands, "a file")
    checks.options_first(arguments.operands)
    scheduler = engine.scheduler(arguments, arguments.operands)
    files = engine.expanded(arguments.operands)
    notes = [note for file in files for note in _checked(file, is_only_one=len(files) == 1)]
    job = ReadLogs(files, os.cpu_count() or 1, filtering.filters(arguments), scheduler)
    config = configure(arguments, job, files)
    if "-" in files:
        if config.tui_required:
            raise UsageError("--tui always: standard input is the log and cannot be the keyboard")
        config = attrs.evolve(config, tui=False)
    is_on_terminal = sys.stderr.isatty() and sys.stdout.isatty()
    is_summary_all = config.serving is None and not config.tui
    return attrs.evolve(
        config,
        progress=is_on_terminal and is_summary_all,
        notes=(*config.notes, *notes),
    )


def _checked(file: str, *, is_only_one: bool) -> Iterable[str]:
    """Check early that an input can be read; return notes on a recording."""
    if engine.is_url(file):
        return ()  # The tracer connects to it.
    if os.path.isdir(file):  # noqa: PTH112  Path.is_dir() raises an error where it cannot look
        # Most inputs are logs, which need nothing of its format.
        from syswatch.options import recordings

        return recordings.notes(file)
    checks.check_readable(file, is_only_one=is_only_one)
    return ()


COMMAND = Command(
    "stats",
    "Analyze strace logs and recordings",
    "[OPTION...] FILE...",
    "FILE is a log written by strace, which may be compressed (gzip, bzip2, xz, Zstandard), or"
    " a recording made with --record; '-' is standard input.  It may be a pattern such as"
    " 'logs/*.gz', or a URL such as 's3://logs/*.zst'.  Several files are combined into one trace,"
    " whose numbers are sums.  To see what differs between them, use 'syswatch diff'.",
    (
        Example("syswatch stats trace.log", "summarize a log"),
        Example("syswatch stats --record app.rec trace.log", "record every call of a log"),
        Example("syswatch stats --engine dask 'logs/*.gz'", "read many logs on all CPUs"),
        Example("strace -f ls 2>&1 >/dev/null | syswatch stats -", "read strace's output"),
    ),
    (
        *filtering.OPTIONS,
        *output.OPTIONS,
        *output.OF_LOGS,
        filtering.string_limit("all that the log has"),
        filtering.PROFILE,
        *preferences.OPTIONS,
        *serving.OPTIONS,
        otlp.OPTION,
        Option("no-args", "Do not show arguments", Group.ADVANCED),
        filtering.NO_OBJECTS,
        engine.OF_STATS,
        output.DEBUG,
        *GENERAL,
    ),
    _run,
    Value.FILE,
)
