"""Tests of the notes of comparisons."""

import math

from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.changes import changes
from syswatch.comparison.notes import notes_on
from syswatch.comparison.of_delta import run_of_delta, run_of_snapshot
from syswatch.comparison.of_json import run_of_json
from syswatch.comparison.run import Run
from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.messages import Started
from syswatch.views.formats import FORMATS, Presentation

_DELTA = Delta(calls={"read": CallTally(3)})
_EFFECT = (
    "names of files and other objects, how processes ended and times may differ because of that"
    " alone"
)


def _run(backend: str) -> Run:
    return run_of_delta(_DELTA, backend, started=Started(backend))


class TracingTests(SynchronousTestCase):
    """Runs that were traced in different ways."""

    def test_different(self) -> None:
        """The ways of both sides are named, before the speed is blamed on the machine."""
        ebpf, log = _run("ebpf"), _run("strace log")
        (note,) = changes([ebpf], [log, log]).notes
        self.assertEqual(
            f"the runs were traced differently (before: ebpf, after: strace log); {_EFFECT}", note
        )
        (note, speed) = notes_on([ebpf], [_run("ptrace"), log], math.log(3))
        self.assertIn("(before: ebpf, after: ptrace and strace log)", note)
        self.assertIn("3.0 times as long after, which the different tracing may explain;", speed)

    def test_same(self) -> None:
        """There is no note if both were traced in the same way, or if one way is not known."""
        for before, after in (("ebpf", "ebpf"), ("", "ebpf"), ("ptrace", "")):
            self.assertEqual((), changes([_run(before)], [_run(after)]).notes)
        (speed,) = notes_on([_run("ebpf")], [_run("ebpf")], -math.log(2))
        self.assertIn("2.0 times as long before, so the machine was slower", speed)

    def test_summary(self) -> None:
        """A summary in JSON tells how it was traced, too."""
        aggregator = Aggregator()
        aggregator.started(Started("ptrace"))
        aggregator.add(_DELTA)
        snapshot = aggregator.snapshot()
        text = FORMATS["json"].write(snapshot, Presentation())
        self.assertEqual("ptrace", run_of_json(text.encode(), "a").backend)
        self.assertEqual("ptrace", run_of_snapshot(snapshot, "a").backend)
