"""Tests that the rows of the objects of a log add up to its calls."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import FilterOptions
from syswatch.model.objects import kind_of_other
from syswatch.tracer.stracelog.log_filter import LogFilter
from tests import samples
from tests.reading import condense


class SumsTests(SynchronousTestCase):
    """The rows add up to the calls."""

    def test_kept_logs(self) -> None:
        """In every real log, the rows of a call add up to its tally, waits included."""
        for name in samples.log_names():
            chunk = (samples.LOGS / name).read_bytes().rstrip(b"\n")
            delta = condense(chunk)
            for call, tally in delta.calls.items():
                rows = [sums for key, sums in delta.activity.items() if key.call == call]
                where = (name, call)
                self.assertEqual(tally.count, sum(row.count for row in rows), where)
                self.assertEqual(tally.errors, sum(row.errors for row in rows), where)
                self.assertEqual(tally.total_ns, sum(row.total_ns for row in rows), where)
                self.assertEqual(tally.waits.count, sum(row.waits for row in rows), where)
                self.assertEqual(tally.waits.waiting_ns, sum(row.waiting_ns for row in rows), where)
            waits = sum(tally.waits.count for tally in delta.calls.values())
            self.assertEqual(waits, delta.ledger.estimated_waits)
            self.assertEqual(waits, sum(each.total for each in delta.object_waits.values()))

    def test_every_object_is_described(self) -> None:
        """Each ID in a row is described, or stands for all others of a kind."""
        for name in samples.log_names():
            delta = condense((samples.LOGS / name).read_bytes().rstrip(b"\n"))
            for key in delta.activity:
                known = key.object in delta.objects or kind_of_other(key.object) is not None
                self.assertTrue(known, (name, key))

    def test_without_objects(self) -> None:
        """With --no-objects there is nothing of it."""
        chunk = (samples.LOGS / "waits.log").read_bytes().rstrip(b"\n")
        delta = condense(chunk, filter=LogFilter(FilterOptions(objects=False)))
        whole = condense(chunk)
        self.assertEqual(({}, {}, {}), (delta.activity, delta.objects, delta.threads))
        self.assertFalse(delta.slowest)
        self.assertEqual(
            {name: tally.count for name, tally in whole.calls.items()},
            {name: tally.count for name, tally in delta.calls.items()},
        )
        self.assertEqual(whole.paths, delta.paths)
