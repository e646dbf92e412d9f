"""Finds new alerts."""

from collections.abc import Mapping

import attrs

from syswatch.base.classes import define
from syswatch.model.snapshot import Snapshot

from . import alerts, blocked
from .alert import Alert, Severity


@define
class NewAlerts:
    """
    Compares the alerts of each snapshot with those of the one before.

    Notices, and what is known to be harmless, do not count as alerts here.
    """

    _known: frozenset[str] = attrs.field(default=frozenset(), init=False)

    def find(self, snapshot: Snapshot) -> Mapping[str, Alert]:
        """Return the alerts that were not there before, by key."""
        found = {
            _key(each): each
            for each in alerts(snapshot)
            if each.severity is not Severity.NOTICE and not each.harmless
        }
        new = {key: each for key, each in found.items() if key not in self._known}
        self._known = frozenset(found)
        return new


def _key(alert: Alert) -> str:
    # Of several objects on which a call fails, now one and now another has the most failures.
    place = alert.object if alert.kind == blocked.KIND else ""
    return f"alert:{alert.kind}:{alert.call}:{place}"
