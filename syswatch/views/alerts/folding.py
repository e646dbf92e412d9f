"""Folding: alerts that are known to be harmless share one line, so that the others are seen."""

from collections.abc import Sequence

from .alert import Alert, Severity

KIND = "harmless"
# How many of them the line names.
MOST_NAMED = 4
_WHY = (
    "These are part of normal work. Each is explained on the page of its call, and in /api/alerts."
)


def folded(found: Sequence[Alert]) -> tuple[Alert, ...]:
    """Return alerts with those that are known to be harmless as one, the last."""
    harmless = [alert for alert in found if alert.harmless]
    if len(harmless) <= 1:
        return tuple(found)
    return (*(alert for alert in found if not alert.harmless), _folded(harmless))


def _folded(harmless: Sequence[Alert]) -> Alert:
    names = ", ".join(alert.harmless for alert in harmless[:MOST_NAMED])
    rest = len(harmless) - MOST_NAMED
    more = f" and {rest} more" if rest > 0 else ""
    title = f"{len(harmless)} harmless findings: {names}{more}"
    calls = tuple(dict.fromkeys(alert.call for alert in harmless if alert.call))
    return Alert(Severity.NOTICE, KIND, title, _WHY, calls=calls)
