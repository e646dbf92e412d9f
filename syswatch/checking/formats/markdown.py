"""A result as Markdown."""

import re
from collections.abc import Iterator

from syswatch.checking.result import Finding, Result, Verdict
from syswatch.checking.sentences import first_line, where

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_MARKS = {Verdict.EXCEEDED: "❌", Verdict.UNDECIDED: "⚠️", Verdict.WITHIN: "✅"}
_TICKS = re.compile("`+")


def as_markdown(result: Result) -> str:
    """Return the answer, a table of all entries, and what exceeds the budget."""
    lines = [f"**{escaped(first_line(result))}**", "", *_table(result)]
    for finding in (*result.exceeded, *result.undecided):
        lines += ["", *_details(result, finding)]
    lines += ["", *(f"- {escaped(note)}" for note in result.notes)] if result.notes else []
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Return a text in which nothing is markup."""
    return _SPECIAL.sub(r"\\\1", text)


def _code(text: str) -> str:
    """Return a text as code, between more backticks than it has in a row."""
    longest = max((len(each) for each in _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _table(result: Result) -> Iterator[str]:
    yield "| | Entry | Used | Allowed |"
    yield "|---|:--|--:|--:|"
    for each in result.findings:
        cells = (each.entry.place.text, each.used, each.allowed)
        yield f"| {_MARKS[each.verdict]} | {' | '.join(map(escaped, cells))} |"


def _details(result: Result, finding: Finding) -> Iterator[str]:
    yield f"**{escaped(finding.sentence)}**  "
    yield f"{_code(where(result, finding))}"
    if finding.offenders:
        yield ""
    for offenders in finding.offenders:
        names = [f"{_code(each.name)} {each.amount}" for each in offenders.shares]
        more = [f"and {offenders.more} more"] if offenders.more else []
        yield f"- {offenders.title}: {', '.join((*names, *more))}"
