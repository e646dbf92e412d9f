"""The table of a comparison with a row for each fact, below which its parts are."""

from collections.abc import Iterator, Sequence

import attrs

from syswatch.base.classes import frozen
from syswatch.comparison.bands import Band
from syswatch.comparison.change import Change, Comparison, Finding
from syswatch.comparison.parts import OF_COMMAND
from syswatch.comparison.run import Figure, Kind, Subject
from syswatch.views.formatting import plural

from .presentation import Presentation
from .words import Row, row_of, rows

# Of many files, the first ones are enough to see which they are.
_MOST_PARTS = 3


@frozen
class Shown:
    """The rows of a table, and how many changes are not among them."""

    rows: Sequence[Row]
    folded: int = 0

    @property
    def note(self) -> str:
        """A sentence on what is not shown; empty if that is nothing."""
        if not self.folded:
            return ""
        return f"{plural(self.folded, 'more number')} changed with these; --all lists them"


def shown(comparison: Comparison, how: Presentation) -> Shown:
    """Return the rows to show: one for each fact, or all."""
    every = rows(comparison)
    if how.has_all:
        return Shown(every)
    found: list[Row] = []
    visible: set[Change] = set()
    for finding in comparison.findings:
        parts = list(_parts(finding))
        visible.update(parts if len(finding.changes) > 1 else (*parts, *finding.changes))
        found += (_main(finding), *(_indented(row_of(each)) for each in parts))
    return Shown(found, len(every) - len(visible))


def _main(finding: Finding) -> Row:
    """Return the row of what the sentence says, with the sums of many files."""
    lead = finding.changes[0]
    if len(finding.changes) > 1:
        before, after = (
            _sum([each.before for each in finding.changes]),
            _sum([each.after for each in finding.changes]),
        )
        lead = Change(Subject(lead.subject.kind, finding.title), lead.figure, before, after)
    row = row_of(lead)
    if not lead.difference:
        # These take the place of those.
        row = attrs.evolve(row, difference="same")
    return attrs.evolve(row, subject=finding.title) if finding.title else row


def _sum(bands: Sequence[Band]) -> Band:
    return Band(
        sum(each.least for each in bands),
        sum(each.middle for each in bands),
        sum(each.most for each in bands),
        bands[0].runs,
    )


def _parts(finding: Finding) -> Iterator[Change]:
    """Yield some of many files, and the total of the calls if that is another number."""
    if len(finding.changes) > 1 and _is_one_way(finding.changes):
        yield from finding.changes[:_MOST_PARTS]
    lead = finding.changes[0].subject
    for each in finding.consequences:
        is_total = each.subject == Subject(Kind.CALL, lead.call) and each.figure is Figure.COUNT
        # How the command ended before, and how after.
        is_other_end = lead.name.startswith(OF_COMMAND) and each.subject.name.startswith(OF_COMMAND)
        if is_total or is_other_end:
            yield each


def _is_one_way(changes: Sequence[Change]) -> bool:
    return len({each.difference > 0 for each in changes}) == 1


def _indented(row: Row) -> Row:
    return attrs.evolve(row, subject=f"  {row.subject}")
