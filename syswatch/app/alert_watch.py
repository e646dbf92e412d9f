"""Watches for new alerts."""

from collections.abc import Callable

import attrs

from syswatch.base.classes import define
from syswatch.model.snapshot import Snapshot
from syswatch.views.alerts.new import NewAlerts


@define
class AlertWatch:
    """Calls `report` for each alert that was not there before, with a key and a text."""

    report: Callable[[str, str], None]
    _alerts: NewAlerts = attrs.field(factory=NewAlerts, init=False)

    def __call__(self, snapshot: Snapshot) -> None:
        """Look at a snapshot."""
        for key, alert in self._alerts.find(snapshot).items():
            self.report(key, f'alert "{alert.title}"')
