"""Whether the terminal UI can be shown here."""

import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TextIO

NO_TEXTUAL = "textual is not installed: pip install 'syswatch[tui]'"


def obstacle(
    stdin: TextIO | None, stdout: TextIO | None, environment: Mapping[str, str] = os.environ
) -> str:
    """Return why the terminal UI cannot be shown here; an empty string where it can."""
    for name, stream in (("standard input", stdin), ("standard output", stdout)):
        if not _is_terminal(stream):
            return f"{name} is no terminal"
    if environment.get("TERM", "dumb") in ("", "dumb"):
        return "the terminal is a dumb one (TERM)"
    if find_spec("textual") is None:
        return NO_TEXTUAL
    return ""


def may_be_wanted(arguments: Sequence[str]) -> bool:
    """Guess, before anything is parsed, whether the terminal UI may come to be shown."""
    ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return not any(word.split("=")[0] == "--serve" for word in ours)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False  # It is closed.
