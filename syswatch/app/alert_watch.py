"""Watches for new alerts."""

from collections.abc import Callable

import attrs

from syswatch.model.snapshot import Snapshot
from syswatch.views.alerts import Severity, alerts


@attrs.define
class AlertWatch:
    """
    Calls `report` for each alert that was not there before, with a key and a text.

    Notices, and what is known to be harmless, do not count as alerts here.
    """

    report: Callable[[str, str], None]
    _known: frozenset[str] = attrs.field(default=frozenset(), init=False)

    def __call__(self, snapshot: Snapshot) -> None:
        """Look at a snapshot."""
        found = {
            f"alert:{each.kind}:{each.call}:{each.object}": each.title
            for each in alerts(snapshot)
            if each.severity is not Severity.NOTICE and not each.harmless
        }
        for key, title in found.items():
            if key not in self._known:
                self.report(key, f'alert "{title}"')
        self._known = frozenset(found)
