"""Markdown, for a comment on a change or the summary of a job."""

from collections.abc import Iterator

from syswatch.comparison.change import Comparison
from syswatch.views.formatting import plural

from .facts import Shown, shown
from .presentation import Presentation
from .words import first_line, notes, side

_MOST_SENTENCES = 20
# A comment on GitHub has at most 65 536 characters.
_MOST_ROWS = 100
_LONGEST_NAME = 200
_SPECIAL = {each: f"\\{each}" for each in "\\`*_{}[]<>#|~"}
_TITLES = ("What", "Figure", "Before", "After", "Change")


def write(comparison: Comparison, how: Presentation) -> str:
    """Return the text, ending with a newline."""
    lines = [
        f"**{_plain(first_line(comparison))}**",
        "",
        f"Before: {_plain(side(comparison.before))}  ",
        f"After: {_plain(side(comparison.after))}",
        *_sentences(comparison),
        *_table(shown(comparison, how)),
        *(f"\n{_plain(note)}" for note in notes(comparison)),
    ]
    return "\n".join(lines) + "\n"


def _sentences(comparison: Comparison) -> Iterator[str]:
    others = comparison.findings[1:]
    if others:
        yield ""
    for finding in others[:_MOST_SENTENCES]:
        yield f"- {_plain(finding.text)}"
    rest = len(others) - _MOST_SENTENCES
    if rest > 0:
        yield f"- {plural(rest, 'other change')} in the table"


def _table(table: Shown) -> Iterator[str]:
    if not table.rows:
        return
    yield ""
    yield f"| {' | '.join(_TITLES)} |"
    yield "|---|---|--:|--:|--:|"
    for row in table.rows[:_MOST_ROWS]:
        cells = (row.figure, row.before, row.after, row.difference)
        indent = "&emsp;" if row.subject.startswith(" ") else ""
        yield f"| {indent}{_code(row.subject.strip())} | {' | '.join(map(_plain, cells))} |"
    rest = len(table.rows) - _MOST_ROWS
    if rest > 0:
        yield f"\n{plural(rest, 'more row')} not shown here."
    if table.note:
        yield f"\n{_plain(table.note)}"


def _plain(text: str) -> str:
    """Return a text without markup; a name may have any character."""
    return "".join(_SPECIAL.get(each, each) for each in text)


def _code(name: str) -> str:
    """Return a name as code; a backtick or a bar would end it."""
    cut = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
    if "`" in cut or "|" in cut:
        return _plain(cut)
    return f"`{cut}`" if cut else ""
