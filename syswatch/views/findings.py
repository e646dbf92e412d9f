"""The alerts of the summary: the most important ones, one line each."""

import re
from collections.abc import Iterator

from syswatch.model.objects import NO_OBJECT
from syswatch.model.snapshot import Snapshot

from .alerts import Alert, Severity, alerts
from .alerts.blocked import KIND as BLOCKED
from .alerts.slow import KIND as SLOW
from .budget.budget import budget
from .budget.calls import call_costs
from .budget.costs import NO_COSTS
from .budget.lines import cut_end, with_short_names
from .budget.scope import info_of
from .budget.verdict import verdict
from .formatting import plural
from .text_table import Paint

MOST_FINDINGS = 3
# A slow call matters if calls of its name have this share of the busy time.
_MATTERS = 0.05


def findings(snapshot: Snapshot, paint: Paint, width: int | None) -> Iterator[str]:
    """Yield the most important alerts that tell more than the verdict does."""
    sentence = verdict(snapshot)
    found = [each for each in alerts(snapshot) if _adds_to(sentence, snapshot, each)]
    for alert in found[:MOST_FINDINGS]:
        line = f"{alert.severity.sign} {alert.title}"
        if width is not None:
            line = cut_end(with_short_names(line, width), width)
        yield paint(line, alert.severity.style)
    more = len(found) - MOST_FINDINGS
    if more > 0:
        yield paint(f"  and {plural(more, 'more finding')}", "dim")


def _adds_to(sentence: str, snapshot: Snapshot, alert: Alert) -> bool:
    if alert.harmless or (alert.severity is Severity.NOTICE and alert.object == NO_OBJECT):
        return False
    # The verdict speaks of time: it says nothing of failures.
    name = info_of(snapshot, alert.object).name if alert.object != NO_OBJECT else ""
    if alert.kind in (SLOW, BLOCKED) and name and _names(sentence, name):
        return False
    if alert.kind != SLOW:
        return True
    is_named = re.search(rf"\b{re.escape(alert.call)}\b", sentence)
    spent_ns = call_costs(snapshot).get(alert.call, NO_COSTS).not_idle_ns
    return not is_named and spent_ns >= _MATTERS * budget(snapshot).busy_ns


def _names(sentence: str, name: str) -> bool:
    """Return whether a name is in a sentence as a whole: not /data for /data/log."""
    return re.search(rf"(?<!\S){re.escape(name)}(?![^\s,;:)])", sentence) is not None
