"""Tests that a run tells what was lost, in numbers, and has its names as they were."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.of_delta import run_of_delta, run_of_snapshot
from syswatch.comparison.of_json import run_of_json
from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Started
from syswatch.views.formats import Presentation, as_json

_LEDGER = Ledger(lost_events=3, untracked_paths=2, unfollowed_processes=1)
_DELTA = Delta(
    calls={"openat": CallTally(2, errnos={})}, paths={"/proc/4711/stat": 2}, ledger=_LEDGER
)


class LossTests(SynchronousTestCase):
    """The ledger of a run."""

    def test_same_from_both(self) -> None:
        """A delta and its summary in JSON tell the same."""
        aggregator = Aggregator()
        aggregator.started(Started(backend="ptrace"))
        aggregator.add(_DELTA)
        aggregator.failed("the tracer was killed")
        snapshot = aggregator.snapshot()
        text = as_json(snapshot, Presentation())
        for run in (run_of_snapshot(snapshot, "a"), run_of_json(text.encode(), "a")):
            self.assertEqual(_LEDGER, run.ledger)
            self.assertTrue(run.is_cut_short)

    def test_whole(self) -> None:
        """A trace that ended is not cut short."""
        self.assertFalse(run_of_delta(_DELTA, "a").is_cut_short)

    def test_unknown_entries(self) -> None:
        """Entries of a newer version, and impossible ones, do no harm."""
        text = (
            b'{"Status": {}, "Stats": [], "Fidelity": {"Ledger": {"Newer": 1, "LostEvents": -1}}}'
        )
        self.assertEqual(Ledger(), run_of_json(text, "a").ledger)

    def test_real_names(self) -> None:
        """The facts have the names before they are aligned."""
        run = run_of_delta(_DELTA, "a")
        self.assertEqual(["/proc/4711/stat"], [each.path for each in run.facts.paths])
        self.assertNotIn("/proc/4711/stat", {subject.name for subject in run.figures})
        self.assertEqual(run, attrs.evolve(run))
