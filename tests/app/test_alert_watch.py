"""Tests of the alerts that a flight recorder is saved on."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.app.alert_watch import AlertWatch
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.views.alerts import Severity, alerts
from tests.web.served import snapshot_of

_FULL = Delta(calls={"write": CallTally(count=90, errors=50, errnos={"ENOSPC": 50})})


class AlertWatchTests(SynchronousTestCase):
    """New alerts."""

    def test_once(self) -> None:
        """An alert is reported when it appears, and again when it has been away."""
        found: list[tuple[str, str]] = []
        watch = AlertWatch(lambda key, text: found.append((key, text)))
        usual, full = snapshot_of(Delta(calls={"getpid": CallTally(9)})), snapshot_of(_FULL)
        for snapshot in (usual, full, full):
            watch(snapshot)
        severe = [each for each in alerts(full) if each.severity is not Severity.NOTICE]
        self.assertTrue(severe)
        self.assertEqual([f'alert "{each.title}"' for each in severe], [text for _, text in found])
        self.assertEqual(len(found), len({key for key, _ in found}))
        watch(usual)
        watch(full)
        self.assertEqual(2 * len(severe), len(found))
