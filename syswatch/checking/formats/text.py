"""A result as text for people."""

from collections.abc import Iterator

from syswatch.checking.result import Finding, Offenders, Result, Verdict
from syswatch.checking.sentences import first_line, where
from syswatch.views.text_table import GAP, Cell, TextColumn, align

# The others are in the table.
_MOST_DETAILS = 5
_COLUMNS = (
    TextColumn("ENTRY", is_number=False),
    TextColumn("USED"),
    TextColumn("ALLOWED"),
    TextColumn("VERDICT", is_number=False),
)


def as_text(result: Result) -> str:
    """Return the answer, what exceeds the budget, and a table of all entries."""
    lines = [first_line(result)]
    found = (*result.exceeded, *result.undecided)
    for finding in found[:_MOST_DETAILS]:
        lines += ["", *_details(result, finding)]
    # A run that is within the budget takes one line of a log.
    lines += ["", *_table(result)] if found else []
    lines += ["", *result.notes] if result.notes else []
    return "\n".join(lines) + "\n"


def _details(result: Result, finding: Finding) -> Iterator[str]:
    yield finding.sentence
    yield f"{GAP}{where(result, finding)}"
    for offenders in finding.offenders:
        yield from _offenders(offenders)


def _offenders(offenders: Offenders) -> Iterator[str]:
    yield f"{GAP}{offenders.title}:"
    width = max(len(each.amount) for each in offenders.shares)
    for each in offenders.shares:
        yield f"{GAP * 2}{each.amount:>{width}}{GAP}{each.name}"
    if offenders.more:
        yield f"{GAP * 2}and {offenders.more} more"


def _table(result: Result) -> Iterator[str]:
    rows = [
        [Cell(each.entry.place.text), Cell(each.used), Cell(each.allowed), Cell(_word(each))]
        for each in result.findings
    ]
    for row in align(_COLUMNS, rows):
        yield GAP.join(cell.text for cell in row).rstrip()


def _word(finding: Finding) -> str:
    return "" if finding.verdict is Verdict.WITHIN else finding.verdict.value
