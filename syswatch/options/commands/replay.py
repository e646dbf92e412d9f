"""`syswatch replay`: show a recording of every call."""

import os

import attrs

from syswatch.model.messages import ReadLogs
from syswatch.options import checks, output, preferences, serving
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Config, Reporting
from syswatch.options.declaration import GENERAL, Command, Example, Value
from syswatch.options.watching import configure

_OF_OUTPUT = ("sort", "tui")


def _run(arguments: Arguments) -> Config:
    checks.options_first(arguments.operands)
    if not arguments.operands:
        raise UsageError("replay: missing DIR, as in 'syswatch replay recording'")
    checks.check_named("replay", arguments.operands, "a recording")
    folder, *others = arguments.operands
    if others:
        raise UsageError("replay takes a single recording ('syswatch stats' combines several)")
    if os.path.isfile(folder):  # noqa: PTH113  Path.is_file() raises an error where it cannot look
        raise UsageError(f"{folder}: it is a file, not a recording of every call; try stats")
    # Other commands need nothing of its format.
    from syswatch.options import recordings

    notes = recordings.notes(folder)
    recordings.check_packages()
    # Without a server and a terminal, the summary is all that can be shown.
    reporting = Reporting(summary=not arguments.has("serve"), sort=output.sort(arguments))
    config = configure(arguments, ReadLogs((folder,)), (folder,), reporting)
    return attrs.evolve(config, replay=folder, notes=(*config.notes, *notes))


COMMAND = Command(
    "replay",
    "Show a recording in the dashboard or the terminal UI",
    "[OPTION...] DIR",
    "DIR is a recording made with --record.  A range of time that is selected in the dashboard or"
    " the terminal UI is computed from its calls, so that all numbers are those of the range.",
    (
        Example("syswatch replay --serve :8080 recording", "serve the dashboard"),
        Example("syswatch replay recording", "show it in the terminal UI"),
    ),
    (
        *(attrs.evolve(each, clashes=()) for each in output.OPTIONS if each.name in _OF_OUTPUT),
        *preferences.OPTIONS,
        *serving.OPTIONS,
        output.DEBUG,
        *GENERAL,
    ),
    _run,
    Value.DIRECTORY,
)
