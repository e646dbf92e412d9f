"""
Alerts: what is unusual in a snapshot, and when that is harmless.

Every view shows these and computes none of its own, so that they agree.  To add a rule, write a
module with a `RULE` and list it here: its place is where its alerts are shown among others of the
same severity.
"""

from syswatch.model.snapshot import Snapshot

from . import blocked, exhausted, failing, path, rate_change, slow, storm
from .alert import Alert, Rule, Severity
from .folding import folded

__all__ = ["RULES", "Alert", "Rule", "Severity", "alerts", "folded"]

RULES = (
    exhausted.RULE,
    blocked.RULE,
    failing.RULE,
    storm.RULE,
    rate_change.RULE,
    slow.RULE,
    path.RULE,
)


def alerts(snapshot: Snapshot) -> tuple[Alert, ...]:
    """Return all alerts, the most severe first; the order does not follow changing numbers."""
    ranked = [
        (alert.severity, rank, alert.call, alert.object, alert.title, alert)
        for rank, rule in enumerate(RULES)
        for alert in rule.find(snapshot)
    ]
    return tuple(alert for *_, alert in sorted(ranked, key=lambda each: each[:5]))
