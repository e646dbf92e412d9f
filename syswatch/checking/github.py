"""
What GitHub shows of a check: annotations on lines of the budget, and the summary of the job.

An annotation is a line of output in the form of a workflow command.  Its data and the values of its
properties are escaped, so that a path or a name cannot be another command.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from .formats.markdown import as_markdown
from .result import Finding, Result
from .sentences import first_line, in_line

# In data, and in addition to these in properties.
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTIES = {":": "%3A", ",": "%2C"}


def annotations(result: Result, folder: Path) -> Iterator[str]:
    """Yield the lines that annotate the budget, whose path is relative to a directory."""
    failures = result.failures
    for each in (*result.exceeded, *result.undecided):
        yield _annotation("error" if each in failures else "warning", result, each, folder)
    if result.command_failure:
        yield f"::error title=syswatch check::{_data(first_line(result))}"


def _annotation(level: str, result: Result, finding: Finding, folder: Path) -> str:
    properties = {"file": os.path.relpath(result.budget.file.absolute(), folder)}
    if line := result.budget.line(finding.entry):
        properties["line"] = str(line)
    properties["title"] = f"syswatch: {finding.entry.place.text}"
    text = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = "\n".join((finding.sentence, *map(in_line, finding.offenders)))
    return f"::{level} {text}::{_data(message)}"


def append_summary(result: Result, file: Path) -> None:
    """Add the result to the summary of the job."""
    with file.open("a", encoding="utf-8") as out:
        out.write(f"### syswatch check\n\n{as_markdown(result)}\n")


def _data(text: str) -> str:
    return "".join(_DATA.get(character, character) for character in text)


def _property(text: str) -> str:
    return "".join(_PROPERTIES.get(each, each) for each in _data(text))
