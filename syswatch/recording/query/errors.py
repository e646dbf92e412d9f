"""The messages of DuckDB as one sentence each."""

import re

from syswatch.base.text import escape_text


class QueryError(Exception):
    """A query cannot be answered; the message is one sentence for the user."""


class ParameterError(QueryError):
    """A question, or the value of one of its parameters, is not valid."""


_CLASS = re.compile(r"^(?:[A-Z]\w+ )+Error: ")
_EXCERPT = re.compile(r"^LINE (\d+): (.*)\n( *)\^", re.MULTILINE)
_HINT = re.compile(r"^(Candidate bindings|Did you mean)[: ]+(.*?)\??$", re.MULTILINE)
_PREFIX = "LINE {}: "
_LONGEST = 300


def explained(error: Exception, sql: str = "", lines_before: int = 0) -> str:
    """Return what is wrong, and where in the query, before which there may have been lines."""
    text = str(error)
    if "Out of Memory" in text:
        return "the query needs more memory than it may use (aggregate, or add a LIMIT)"
    sentence = _CLASS.sub("", text.partition("\n")[0]).rstrip("!.")
    hint = _HINT.search(text)
    if hint:
        sentence += f" (did you mean {hint[2]}?)"
    shown = escape_text(sentence)
    if len(shown) > _LONGEST:
        shown = f"{shown[:_LONGEST]}..."
    return shown + _place(text, sql, lines_before)


def _place(text: str, sql: str, lines_before: int) -> str:
    """Return the line and column that a message points at."""
    found = _EXCERPT.search(text)
    if found is None:
        return ""
    number, lines = int(found[1]) - lines_before, sql.split("\n")
    if not 0 < number <= len(lines):
        return ""
    # A long line is cut, with an ellipsis on either side.
    excerpt = found[2].removesuffix("...")
    shown = excerpt.removeprefix("...")
    at = len(found[3]) - len(f"LINE {found[1]}: ") - (len(excerpt) - len(shown))
    begin = lines[number - 1].find(shown)
    return f", at line {number}, column {begin + at + 1}" if begin >= 0 else f", in line {number}"
