"""Tests of the screen for another server."""

import re

import attrs
import msgspec
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.messages import Started
from syswatch.model.now import Now
from syswatch.model.process import ProcessInfo
from syswatch.views import record_builders, time_builders
from syswatch.views.text_table import plain
from syswatch.views.top import Answers, screen
from tests.terminal.ui.example_server import running
from tests.views.budget.worlds import DATABASE, Did, S, Thread, delta_of, snapshot_of


class ScreenTests(SynchronousTestCase):
    """The lines above the table."""

    def test_only(self) -> None:
        """The filters of the server are shown."""
        aggregator = Aggregator()
        aggregator.started(Started("ptrace", only="-P /"))
        snapshot = aggregator.snapshot()

        headline = screen(
            Answers(record_builders.status(snapshot), []), plain, width=None, height=24
        )[1]

        self.assertIn("tracing · ptrace, only -P /", headline)

    def test_nothing_known(self) -> None:
        """Before the trace begins, there is no PID and no backend to show."""
        status = record_builders.status(Aggregator().snapshot())

        self.assertEqual(
            "a trace  starting · 0s", screen(Answers(status, []), plain, width=None, height=24)[1]
        )

    def test_narrow(self) -> None:
        """No line is wider than the terminal, nor are there more: the first ones are shown."""
        aggregator = Aggregator()
        aggregator.started(Started("ptrace", ProcessInfo(pid=7, cmdline="python3 " + "x" * 200)))
        aggregator.add(Delta(calls={"clock_nanosleep": CallTally(count=3, errors=3)}))
        aggregator.failed("the tracer process was killed by signal 9; the results are incomplete")
        snapshot = aggregator.snapshot()

        for width in (200, 80, 60, 40):
            lines = screen(
                Answers(record_builders.status(snapshot), record_builders.stats(snapshot)),
                plain,
                width=width,
                height=24,
            )
            self.assertLessEqual(max(map(len, lines)), width)
            self.assertTrue(lines[1].startswith("python3"))
            self.assertIn("  PID 7  stopped", lines[1])
            self.assertIn("clock_nanosleep", lines[-1])
            low = screen(
                Answers(record_builders.status(snapshot), record_builders.stats(snapshot)),
                plain,
                width=width,
                height=2,
            )
            self.assertEqual(lines[:2], low)

    def test_cut_short(self) -> None:
        """A trace that was cut short is marked, with the reason."""
        aggregator = Aggregator()
        aggregator.started(Started("ptrace"))
        aggregator.failed("the tracer process was killed by signal 9; the results are incomplete")

        status = record_builders.status(aggregator.snapshot())

        self.assertFalse(status.exact)
        trouble, note = screen(Answers(status, []), plain, width=None, height=24)[3:5]
        self.assertEqual(
            "the tracer process was killed by signal 9; the results are incomplete", trouble
        )
        self.assertEqual("cut short: see /api/fidelity", note)


class TimeTests(SynchronousTestCase):
    """Where the time went."""

    def answers(self) -> Answers:
        """Return what a server answers."""
        snapshot = running()
        return Answers(
            record_builders.status(snapshot),
            record_builders.stats(snapshot),
            time_builders.time(snapshot),
            time_builders.now(snapshot),
        )

    def test_order(self) -> None:
        """The verdict comes first, then the bar, the threads, and the costliest calls."""
        lines = screen(self.answers(), plain, width=100, height=30)
        self.assertTrue(lines[0].startswith("idle 92 % of 12m4s"), lines[0])
        (bar,) = (at for at, line in enumerate(lines) if re.match("^B+U+R?$", line))
        self.assertTrue(all(line.startswith("  ") for line in lines[1:bar]), lines)
        self.assertIn("B blocked 35 %", lines[bar + 1])
        (threads,) = (at for at, line in enumerate(lines, 1) if line.startswith("THREAD "))
        self.assertRegex(lines[threads], r"^worker\[4713\] +blocked +16s +recvfrom +db\.internal")
        (title,) = (line for line in lines if line.startswith("CALL "))
        self.assertIn("WAITING", title)
        self.assertRegex(lines[lines.index(title) + 1], r"^recvfrom .* 77 s ")
        self.assertLessEqual(len(lines), 30)

    def test_narrow(self) -> None:
        """No line is wider than the terminal."""
        for width in (40, 60, 80, 120):
            lines = screen(self.answers(), plain, width=width, height=30)
            self.assertLessEqual(max(map(len, lines)), width)
            self.assertTrue(any(line.startswith("worker[4713]") for line in lines))

    def test_left_out(self) -> None:
        """The legend has the titles of the server's filter."""
        snapshot = running()
        filtered = attrs.evolve(snapshot, source=attrs.evolve(snapshot.source, only="-e read"))
        answers = attrs.evolve(self.answers(), time=time_builders.time(filtered))
        text = "\n".join(screen(answers, plain, width=100, height=30))
        self.assertIn("U outside ", text)
        self.assertNotIn("own code", text)

    def test_too_old(self) -> None:
        """An older server cannot tell: one sentence says so, and the calls keep their order."""
        answers = attrs.evolve(self.answers(), time=None, now=None)
        first, *others = screen(answers, plain, width=100, height=30)
        self.assertEqual("the server is too old to tell where the time goes", first)
        self.assertNotIn("THREAD", "\n".join(others))

    def test_newer(self) -> None:
        """States and kinds that this version does not know are no error."""
        answers = self.answers()
        assert answers.time is not None
        assert answers.now is not None
        parts = [msgspec.structs.replace(each, state="dreaming") for each in answers.time.parts]
        threads = [msgspec.structs.replace(each, state="dreaming") for each in answers.now.threads]
        answers = attrs.evolve(
            answers,
            time=msgspec.structs.replace(answers.time, parts=parts, share_of="new"),
            now=msgspec.structs.replace(answers.now, threads=threads),
        )
        text = "\n".join(screen(answers, plain, width=100, height=30))
        self.assertIn("worker[4713]      dreaming", text)

    def test_began_before(self) -> None:
        """Of a call that began before the trace, it is shown how long it has taken at least."""
        delta = delta_of(Thread([Did("recvfrom", DATABASE, current=16 * S)]))
        thread = attrs.evolve(delta.now.threads[1], since_ns=None)
        snapshot = snapshot_of(attrs.evolve(delta, now=Now(delta.now.at_ns, {1: thread})))
        now = time_builders.now(snapshot)

        lines = screen(
            Answers(record_builders.status(snapshot), [], time_builders.time(snapshot), now),
            plain,
            width=100,
            height=24,
        )

        self.assertEqual((None, 16 * S), (now.threads[0].elapsed, now.threads[0].least_elapsed))
        self.assertTrue(any(" >16s " in line for line in lines), lines)
