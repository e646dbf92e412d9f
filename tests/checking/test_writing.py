"""Tests of writing a first budget."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.checking.amounts import Unit
from syswatch.checking.evaluation import evaluate
from syswatch.checking.headroom import limit_for, rounded_up, written
from syswatch.checking.observed import observe
from syswatch.checking.result import Verdict
from syswatch.checking.writing import written_budget
from syswatch.comparison.run import Run
from syswatch.model.objects import ObjectKind

from .samples import a_run, budget_of, call, runs, thing


class WritingTests(SynchronousTestCase):
    """A budget that was written."""

    @given(st.lists(runs(), min_size=1, max_size=3))
    def test_within(self, seen: list[Run]) -> None:
        """The runs that it was written from are within it, with those entries that are off."""
        text = written_budget([observe(each) for each in seen], "true")
        for each in (text, text.replace("# [waiting]\n# ", "[waiting]\n")):
            budget = budget_of(each)
            for run in seen:
                findings = evaluate(budget, observe(run)).findings
                over = [f for f in findings if f.verdict is not Verdict.WITHIN]
                self.assertEqual([], [finding.sentence for finding in over], each)

    def test_text(self) -> None:
        """It has limits above what was seen, and forbids what was not used."""
        before = a_run(
            call("openat", 100, ENOENT=7),
            call("futex", 100),
            call("connect", 3),
            thing(ObjectKind.TCP, "10.0.0.1:443", connect=(3, 0, 0, 3000)),
            thing(ObjectKind.TCP, "127.0.0.1:41234", connect=(1, 0)),
            thing(ObjectKind.PATH, "/usr/bin/[", execve=(1, 0)),
        )
        text = written_budget([observe(before), observe(a_run(call("openat", 90)))], "-- sh x")
        self.assertTrue(text.startswith("# Checked by: syswatch check -- sh x\n"))
        document = tomllib.loads(text)
        self.assertEqual(130, document["calls"]["openat"])
        # How often a lock is waited for is not worth a limit of its own.
        self.assertNotIn("futex", document["calls"])
        self.assertEqual(22, document["errors"]["ENOENT"])
        self.assertIn("was 90 to 100", text)
        self.assertEqual({"peers": ["*"], "programs": ["*"]}, document["forbidden"])
        self.assertEqual(
            {"peers": ["10.0.0.1:443", "127.0.0.1"], "programs": ["[[]"]}, document["allowed"]
        )

    def test_sockets_only(self) -> None:
        """A program that uses sockets of this machine may not begin to use the network."""
        seen = a_run(call("connect", 1), thing(ObjectKind.UNIX, "/dev/log", connect=(1, 0)))
        text = written_budget([observe(seen)], "-- true")
        document = tomllib.loads(text)
        self.assertEqual(["*"], document["forbidden"]["peers"])
        self.assertNotIn("peers", document.get("allowed", {}))
        findings = evaluate(budget_of(text), observe(seen)).findings
        self.assertEqual({Verdict.WITHIN}, {each.verdict for each in findings})

    def test_without_network(self) -> None:
        """A program without a network may not begin to use it."""
        text = written_budget([observe(a_run(call("read", 1)))], "true")
        self.assertEqual(["%net"], tomllib.loads(text)["forbidden"]["calls"])


class HeadroomTests(SynchronousTestCase):
    """How much more is allowed."""

    @given(st.lists(st.integers(0, 1 << 60), min_size=1), st.sampled_from(Unit))
    def test_above(self, seen: list[int], unit: Unit) -> None:
        """A limit is above what was seen, and is read as it was written."""
        limit = limit_for(seen, unit)
        self.assertGreaterEqual(limit, max(seen))
        if limit < 1 << 62:
            (value,) = tomllib.loads(f"a = {written(limit, unit)}").values()
            self.assertEqual(limit, unit.read(value))

    def test_short(self) -> None:
        """A limit is short to write."""
        self.assertEqual("1400", written(rounded_up(1301, Unit.CALLS), Unit.CALLS))
        self.assertEqual('"1400 KiB"', written(rounded_up(1301 << 10, Unit.BYTES), Unit.BYTES))
        self.assertEqual('"13 ms"', written(rounded_up(12_100_000, Unit.TIME), Unit.TIME))
