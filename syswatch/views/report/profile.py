"""The section of the profile that the program needs, if evidence for one was counted."""

from syswatch.views.formatting import plural
from syswatch.views.profile_records import ProfileRule, ProfileSummary

from .markup import Markup, tag, text
from .table import NOTHING, Cell, TableColumn, number, table, times

MOST_RULES = 500
_TO_SECONDS = len("2026-01-31T12:34:56")
_COLUMNS = (
    TableColumn("Call", is_word=True),
    TableColumn("With", is_word=True),
    TableColumn("Seen"),
    TableColumn("First seen", is_word=True),
    TableColumn("Why", is_word=True),
)


def profile(summary: ProfileSummary) -> Markup:
    """Return the answer, what weakens the sandbox, what is not known, and all rules."""
    dangers = dict.fromkeys((rule.call, why) for rule in summary.rules for why in rule.dangers)
    weak = [
        tag("li", (tag("b", f"▲ {call}", class_="slow"), f" weakens the sandbox: {why}"))
        for call, why in dangers
    ]
    notes = [tag("li", f"Note: {note}") for note in summary.notes]
    answer = (
        tag("p", tag("b", summary.verdict)),
        tag("p", summary.newest),
        tag("p", summary.about, class_="dim"),
        tag("ul", [*weak, *notes]),
    )
    rest = len(summary.rules) - MOST_RULES
    omitted = tag("p", f"{plural(rest, 'more rule')} omitted here.", class_="dim")
    return text(
        (
            tag("div", answer, class_="long needs"),
            table(_COLUMNS, map(_row, summary.rules[:MOST_RULES]), kind="sortable"),
            omitted if rest > 0 else "",
        )
    )


def _row(rule: ProfileRule) -> tuple[Cell, ...]:
    made = [f"made by {', '.join(rule.programs)}"] if rule.programs else []
    weak = ["▲ weakens the sandbox"] if rule.dangers else []
    effect = [rule.effect] if rule.effect else []
    return (
        Cell(rule.call, rule.call, "code"),
        Cell(rule.arguments, rule.arguments),
        times(rule.count) if rule.count else number(NOTHING, 0),
        Cell(rule.first[:_TO_SECONDS].replace("T", " ") or NOTHING, rule.first, "code"),
        Cell("; ".join([*effect, *made, *rule.reasons, *weak]), kind="wrap"),
    )
