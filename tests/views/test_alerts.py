"""Tests of alerts."""

import attrs
from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta, Span
from syswatch.model.entries import Failure
from syswatch.model.ledger import Ledger
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.window import SecondTotals, Window
from syswatch.views.alerts import RULES, Severity, alerts, folded
from syswatch.views.alerts.failing import ENOUGH_CALLS
from syswatch.views.alerts.new import NewAlerts
from syswatch.views.alerts.path import ENOUGH_OPENS
from syswatch.views.alerts.slow import SLOW_AVERAGE_NS
from syswatch.views.alerts.storm import ENOUGH_ERRORS
from tests import strategies

from .budget.worlds import MS, Did, S, Thread, delta_of
from .snapshots import BEGIN_S, per_second, snapshot_of, tally


class CallAlertTests(SynchronousTestCase):
    """Alerts about one call."""

    def test_nothing(self) -> None:
        """A trace without calls, or without problems, has no alerts."""
        self.assertEqual((), alerts(snapshot_of(Delta())))
        self.assertEqual((), alerts(snapshot_of(Delta(calls={"read": tally(1000)}))))

    def test_routine_failures(self) -> None:
        """Half of many calls failing for a routine reason is a notice, with its reason."""
        calls = {"openat": tally(ENOUGH_CALLS, {"ENOENT": ENOUGH_CALLS // 2})}
        (alert,) = alerts(snapshot_of(Delta(calls=calls)))

        self.assertEqual((Severity.NOTICE, "failing"), (alert.severity, alert.kind))
        self.assertEqual("openat: 50 % fail, mostly ENOENT", alert.title)
        self.assertIn("harmless when a success follows", alert.why)
        self.assertEqual("openat", alert.call)

    def test_signals_are_routine(self) -> None:
        """A wait that signals interrupt now and then is no alert."""
        calls = {"futex": tally(ENOUGH_CALLS, {"ERESTART_RESTARTBLOCK": ENOUGH_CALLS // 10})}

        self.assertEqual((), alerts(snapshot_of(Delta(calls=calls))))

    def test_few_calls(self) -> None:
        """A few failures of a few calls are no alert."""
        calls = {"openat": tally(ENOUGH_CALLS - 1, {"ENOENT": ENOUGH_CALLS - 1})}

        self.assertEqual((), alerts(snapshot_of(Delta(calls=calls))))

    def test_odd_failures(self) -> None:
        """An errno that is not part of normal work is a warning from 5 % on."""
        (alert,) = alerts(snapshot_of(Delta(calls={"openat": tally(100, {"EACCES": 5})})))

        self.assertEqual(Severity.WARNING, alert.severity)

    def test_failure_that_matters(self) -> None:
        """A program that cannot drop its groups is a warning, though a container may be why."""
        (alert,) = alerts(snapshot_of(Delta(calls={"setgroups": tally(50, {"EPERM": 50})})))

        self.assertEqual(Severity.WARNING, alert.severity)

    def test_harmless_failures(self) -> None:
        """An errno that is harmless for a call is a notice, and only if half of the calls fail."""
        (alert,) = alerts(snapshot_of(Delta(calls={"readlink": tally(100, {"EINVAL": 50})})))

        self.assertEqual(Severity.NOTICE, alert.severity)
        self.assertEqual(
            (), alerts(snapshot_of(Delta(calls={"readlink": tally(100, {"EINVAL": 49})})))
        )

    def test_exhausted(self) -> None:
        """One failure because of an exhausted resource is a critical alert."""
        calls = {"a": tally(100, {"EACCES": 50}), "write": tally(1000, {"ENOSPC": 1})}
        first, second = alerts(snapshot_of(Delta(calls=calls)))

        self.assertEqual((Severity.CRITICAL, "exhausted"), (first.severity, first.kind))
        self.assertEqual("write failed with ENOSPC once", first.title)
        self.assertEqual("a", second.call)

    def test_slow(self) -> None:
        """A long average is a warning, except for calls whose purpose is to wait."""
        slow = tally(10, each_ns=2 * SLOW_AVERAGE_NS)
        (alert,) = alerts(snapshot_of(Delta(calls={"fsync": slow, "epoll_wait": slow})))

        self.assertEqual(("fsync", "slow"), (alert.call, alert.kind))
        self.assertIn("as long as the disk does", alert.why)

    def test_slow_at_times(self) -> None:
        """A long P99 with a short average is a notice."""
        calls = {"openat": tally(200) + tally(10, each_ns=110_000_000)}
        (alert,) = alerts(snapshot_of(Delta(calls=calls)))

        self.assertEqual(Severity.NOTICE, alert.severity)
        self.assertIn("slow at times", alert.title)

    def test_storm(self) -> None:
        """Many failures within a minute are an alert after the first minute."""
        window = Window({BEGIN_S + 100: {"read": SecondTotals(count=9000, errors=ENOUGH_ERRORS)}})
        calls = {"read": tally(9000, {"EAGAIN": ENOUGH_ERRORS})}
        minute = Span((BEGIN_S) * 10**9, (BEGIN_S + 100) * 10**9)
        delta = Delta(calls=calls, window=window, span=minute)
        (alert,) = alerts(snapshot_of(delta))

        self.assertEqual("storm", alert.kind)
        self.assertIn("600 times within a minute, mostly EAGAIN", alert.title)
        start_up = attrs.evolve(delta, span=Span(minute.last_ns, minute.last_ns))
        self.assertEqual((), alerts(snapshot_of(start_up)))

    def test_storm_of_now(self) -> None:
        """A storm is described by the newest failures, not by those of the whole trace."""
        window = Window({BEGIN_S + 100: {"connect": SecondTotals(9000, ENOUGH_ERRORS)}})
        calls = {"connect": tally(10**7, {"EINPROGRESS": 10**6, "ECONNREFUSED": ENOUGH_ERRORS})}
        newest = Failure((BEGIN_S + 99) * 10**9, 7, "ECONNREFUSED", "")
        minute = Span((BEGIN_S) * 10**9, (BEGIN_S + 100) * 10**9)
        delta = Delta(calls=calls, window=window, span=minute, failures={"connect": (newest,)})
        (alert,) = [each for each in alerts(snapshot_of(delta)) if each.kind == "storm"]

        self.assertEqual((Severity.WARNING, ""), (alert.severity, alert.harmless))
        self.assertIn("mostly ECONNREFUSED", alert.title)

    def test_not_new(self) -> None:
        """An alert is not new because another object has the most failures now."""
        one, other = (ObjectInfo(ObjectKind.PATH, name) for name in ("/a.conf", "/b.conf"))
        known = NewAlerts()
        found = []
        for failures in ((60, 40), (90, 110)):
            did = [
                Did("access", info, working=MS, waits=number, errors=number)
                for info, number in zip((one, other), failures, strict=True)
            ]
            calls = {"access": tally(sum(failures), {"EACCES": sum(failures)})}
            delta = attrs.evolve(delta_of(Thread(did, user=S)), calls=calls)
            found.append(len(known.find(snapshot_of(delta))))
        self.assertEqual([1, 0], found)

    def test_untracked_paths(self) -> None:
        """Opens whose paths are not kept are opens of others."""
        paths, ledger = {"/etc/hosts": ENOUGH_OPENS}, Ledger(untracked_paths=10**6)
        delta = Delta(calls={"openat": tally(101)}, paths=paths, ledger=ledger)
        self.assertEqual((), alerts(snapshot_of(delta)))

    def test_dominant_path(self) -> None:
        """A path that most opens name is an alert, with the call."""
        paths = {"/etc/hosts": ENOUGH_OPENS, "/etc/passwd": 1}
        (alert,) = alerts(snapshot_of(Delta(calls={"openat": tally(101)}, paths=paths)))

        self.assertEqual(("/etc/hosts", "openat"), (alert.path, alert.call))
        self.assertEqual("99 % of all opens are of /etc/hosts", alert.title)

    def test_special_files(self) -> None:
        """Opens of what the kernel makes, such as a device, are known to be harmless."""
        for path, is_harmless in (("/dev/null", True), ("/proc/stat", True), ("/data", False)):
            delta = Delta(calls={"openat": tally(101)}, paths={path: ENOUGH_OPENS})
            (alert,) = alerts(snapshot_of(delta))
            self.assertEqual(is_harmless, bool(alert.harmless), path)

    @given(strategies.windows)
    def test_any_window(self, window: Window) -> None:
        """Every window can be searched for alerts."""
        alerts(snapshot_of(Delta(window=window)))


class FoldingTests(SynchronousTestCase):
    """Alerts that are known to be harmless."""

    def test_together(self) -> None:
        """They are one line after all others, which concerns each of their calls."""
        names = ("getxattr", "ioctl", "lgetxattr", "llistxattr", "readlink", "lseek")
        errnos = ("ENODATA", "ENOTTY", "ENODATA", "ENODATA", "EINVAL", "ESPIPE")
        calls = {
            name: tally(ENOUGH_CALLS, {errno: ENOUGH_CALLS})
            for name, errno in zip(names, errnos, strict=True)
        }
        calls["openat"] = tally(ENOUGH_CALLS, {"ENOENT": ENOUGH_CALLS})
        found = alerts(snapshot_of(Delta(calls=calls)))
        first, last = folded(found)

        self.assertEqual(7, len(found))
        self.assertEqual("openat", first.call)
        self.assertEqual((Severity.NOTICE, "harmless"), (last.severity, last.kind))
        self.assertEqual(
            "6 harmless findings: ENODATA from getxattr, ENOTTY from ioctl, ENODATA from "
            "lgetxattr, ENODATA from llistxattr and 2 more",
            last.title,
        )
        self.assertEqual(set(names), set(last.calls))

    def test_alone(self) -> None:
        """A single one is shown as it is."""
        found = alerts(snapshot_of(Delta(calls={"ioctl": tally(100, {"ENOTTY": 100})})))

        self.assertEqual(1, len(found))
        self.assertEqual(found, folded(found))

    def test_not_harmless(self) -> None:
        """Nothing else is folded, however many there are."""
        calls = {name: tally(100, {"EACCES": 50}) for name in ("mkdir", "unlink", "rename")}
        found = alerts(snapshot_of(Delta(calls=calls)))

        self.assertEqual(3, len(found))
        self.assertEqual(found, folded(found))


class RuleTests(SynchronousTestCase):
    """The registry of rules."""

    def test_described(self) -> None:
        """Every rule has a kind of its own, a trigger, and a sentence on when it is harmless."""
        self.assertEqual(len(RULES), len({rule.kind for rule in RULES}))
        for rule in RULES:
            self.assertTrue(rule.severities and rule.trigger.endswith("."), rule.kind)
            self.assertTrue(rule.harmless.endswith("."), rule.kind)

    @given(strategies.deltas)
    def test_as_declared(self, delta: Delta) -> None:
        """A rule finds alerts of its own kind only, of the severities that it declares."""
        view = snapshot_of(delta)
        for rule in RULES:
            for alert in rule.find(view):
                self.assertEqual(rule.kind, alert.kind)
                self.assertIn(alert.severity, rule.severities)

    def test_order(self) -> None:
        """Alerts are ordered by severity, then by rule."""
        calls = {
            "a": tally(100, {"EACCES": 50}),
            "b": tally(10, each_ns=2 * SLOW_AVERAGE_NS),
            "write": tally(1000, {"ENOSPC": 1}),
        }
        found = alerts(snapshot_of(Delta(calls=calls)))

        self.assertEqual(["exhausted", "failing", "slow"], [alert.kind for alert in found])
        self.assertEqual(["✕", "▲", "▲"], [alert.severity.sign for alert in found])


class RateChangeTests(SynchronousTestCase):
    """Sudden changes of rate."""

    def test_rise(self) -> None:
        """Four times as many calls as in the minutes before are an alert."""
        steady, risen = [100] * 100, [100] * 90 + [400] * 11
        window = per_second({"read": risen, "write": [*steady, 100]})
        found = alerts(snapshot_of(Delta(window=window)))

        self.assertEqual(["read"], [alert.call for alert in found])
        self.assertEqual("read rose from 100/s to 400/s", found[0].title)

    def test_fall(self) -> None:
        """A program that stops making calls is one alert on all calls."""
        window = per_second({"read": [100] * 90 + [0] * 11})
        found = alerts(snapshot_of(Delta(window=window)))

        self.assertEqual([""], [alert.call for alert in found])
        self.assertEqual(Severity.WARNING, found[0].severity)
        self.assertEqual("All calls together fell from 100/s to 0/s", found[0].title)

    def test_fallen_for_a_while(self) -> None:
        """While the rate stays low, the alert keeps the rate before."""
        window = per_second({"read": [100] * 240 + [0] * 61})
        (alert,) = alerts(snapshot_of(Delta(window=window)))
        self.assertEqual("All calls together fell from 100/s to 0/s", alert.title)

    def test_now_and_then(self) -> None:
        """Periodic work every half minute is never an alert."""
        for last in range(30):
            window = per_second({"read": ([3000] + [0] * 29) * 9 + [3000] + [0] * last})
            self.assertEqual((), alerts(snapshot_of(Delta(window=window))), last)

    def test_load_ends(self) -> None:
        """Nine calls whose rate falls together are one alert, shown on all their pages."""
        names = [f"call{number}" for number in range(9)]
        window = per_second({name: [100] * 90 + [0] * 11 for name in names})
        calls = {name: tally(9_000) for name in names}
        (alert,) = alerts(snapshot_of(Delta(calls=calls, window=window)))

        self.assertEqual("All calls together fell from 900/s to 0/s", alert.title)
        self.assertIn("Among them: call0, call1, call2, call3 and 5 more.", alert.why)
        self.assertTrue(all(alert.concerns(name) for name in names))
        self.assertFalse(alert.concerns("read"))

    def test_some_change(self) -> None:
        """Calls whose rates rise together are one alert, named after the commonest."""
        rise = [100] * 90 + [500] * 11
        window = per_second({"read": rise, "recvfrom": rise, "write": [9000] * 101})
        calls = {"read": tally(9), "recvfrom": tally(14), "write": tally(900)}
        (alert,) = alerts(snapshot_of(Delta(calls=calls, window=window)))

        self.assertEqual("recvfrom", alert.call)
        self.assertEqual(
            "recvfrom rose from 100/s to 500/s, and 1 other call just as suddenly", alert.title
        )
        self.assertEqual(("recvfrom", "read"), alert.calls)

    def test_short_past(self) -> None:
        """With less than a minute to compare with, there is no alert."""
        window = per_second({"read": [1] * 50 + [1000] * 11})

        self.assertEqual((), alerts(snapshot_of(Delta(window=window))))

    def test_over(self) -> None:
        """An ended trace has no rate alerts."""
        window = per_second({"read": [100] * 90 + [0] * 11})

        self.assertEqual((), alerts(snapshot_of(Delta(window=window), done=True)))

    def test_small_numbers(self) -> None:
        """A ratio of small numbers is noise."""
        window = per_second({"read": [2] * 90 + [40] * 11})

        self.assertEqual((), alerts(snapshot_of(Delta(window=window))))
