"""Checks for the terminal UI. Does not import Textual, which may not be installed."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TextIO

TEXTUAL_MISSING = "the terminal UI needs Textual (python3 -m pip install textual)"


def unavailable_reason(
    stdin: TextIO | None, stdout: TextIO | None, environment: Mapping[str, str] = os.environ
) -> str:
    """Return the reason that rules out the terminal UI, or an empty string if there is none."""
    for name, stream in (("standard input", stdin), ("standard output", stdout)):
        if not _is_terminal(stream):
            return f"{name} is not a terminal"
    if environment.get("TERM", "dumb") in ("", "dumb"):
        return "TERM is not set, or is 'dumb'"
    if find_spec("textual") is None:
        return TEXTUAL_MISSING
    return ""


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # It is closed.
        return False
