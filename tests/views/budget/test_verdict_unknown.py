"""Tests of the verdict where something is not known, and of that on one process."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger, Reading
from syswatch.model.messages import Started
from syswatch.model.preferences import ShareOf
from syswatch.model.threads import ThreadTally, ThreadTimes
from syswatch.views.budget.bar import legend
from syswatch.views.budget.budget import budget
from syswatch.views.budget.verdict import verdict
from syswatch.views.summary import summary
from syswatch.views.text_table import plain

from .test_verdict import QUERY, QUERY_VERDICT
from .worlds import BEGIN_NS, DATABASE, Did, S, Thread, delta_of, snapshot_of, world


class UnknownTests(SynchronousTestCase):
    """What is not known is not guessed."""

    def test_nothing_yet(self) -> None:
        """Before the first call there is nothing to tell, nor to estimate."""
        self.assertFalse(budget(snapshot_of(Delta())).is_estimated)
        self.assertEqual("no system calls yet", verdict(snapshot_of(Delta())))
        self.assertEqual("no system calls", verdict(snapshot_of(Delta(), done=True)))

    def test_only_begun(self) -> None:
        """A log of a call that never returned is not one without calls."""
        begun = Delta(reading=Reading(lines=2, halves=1))
        self.assertEqual("no system call returned yet", verdict(snapshot_of(begun)))
        self.assertEqual("no system call returned", verdict(snapshot_of(begun, done=True)))
        self.assertIn("no system call returned", summary(snapshot_of(begun, done=True), plain))

    def test_only_waiting(self) -> None:
        """Nor is a program that has been in one call since it was attached to."""
        waiting = world(Thread([Did("recvfrom", DATABASE, current=5 * S)]), done=True)
        self.assertIn("no system call returned in 5 s", summary(waiting, plain))

    def test_no_durations(self) -> None:
        """Without durations, the sentence says how to get them."""
        delta = Delta(calls={"read": CallTally(count=1500)})

        self.assertEqual(
            "1,500 calls; where the time went is not known: "
            "no durations were measured (--mode full measures them)",
            verdict(snapshot_of(delta)),
        )

    def test_log_without_times(self) -> None:
        """A log without times has threads, but not their times."""
        delta = Delta(calls={"read": CallTally(count=5)}, threads={1: ThreadTally(1, "cat")})
        snapshot = attrs.evolve(
            snapshot_of(delta, done=True), source=Started("strace log", total_bytes=99)
        )

        self.assertEqual(
            "5 calls; where the time went is not known: "
            "the log has no durations (strace -T writes them)",
            verdict(snapshot),
        )

    def test_left_out(self) -> None:
        """If a filter leaves calls out, they are not told from what the threads do otherwise."""
        unknown = (
            "75 % outside of the selected calls; 25 % off the CPU outside of the selected calls"
        )
        for only, source, expected in (
            ("-e openat", "ebpf", unknown),
            ("--no-children -P /etc", "ptrace", unknown),
            ("--no-children", "ptrace", "75 % in its own code; 25 % stopped, mostly by ptrace"),
            ("", "ebpf", "75 % in its own code; 25 % stopped"),
        ):
            times = ThreadTimes(user_ns=3 * S, stopped_ns=S)
            delta = Delta(threads={1: ThreadTally(1, "cat", times)})
            snapshot = attrs.evolve(snapshot_of(delta), source=Started(source, only=only))
            self.assertEqual(f"4 s: {expected}", verdict(snapshot), only)
            spent = budget(snapshot)
            left_out = f"calls that are left out by {only}" in spent.note
            self.assertEqual(expected is unknown, left_out)
            titles = "U outside 75 %  S outside, off CPU 25 %"
            usual = "U own code 75 %  S stopped 25 %"
            self.assertEqual(titles if left_out else usual, legend(spent, ShareOf.BUSY))

    def test_estimated(self) -> None:
        """An estimate is called so."""
        ledger = Ledger(estimated_waits=39)

        text = verdict(snapshot_of(attrs.evolve(delta_of(QUERY), ledger=ledger)))

        self.assertIn("4.2 s: about 93 % waiting, 3.1 s of it for 10.0.0.5:5432", text)

    def test_no_threads(self) -> None:
        """Without threads and objects, calls whose purpose is to wait are estimated to wait."""
        delta = Delta(
            calls={
                "recvfrom": _timed(S, 3),
                "read": _timed(10_000, 3),
            },
            span=Span(BEGIN_NS, BEGIN_NS + 4 * S),
        )

        self.assertEqual(
            "4 s: about 75 % waiting, all of it in recvfrom; about 25 % outside of calls",
            verdict(snapshot_of(delta)),
        )

    def test_selected(self) -> None:
        """If calls of a recording are selected, the note of the estimate says so."""
        recorded = attrs.evolve(delta_of(QUERY), threads={})
        without_objects = attrs.evolve(recorded, activity={}, objects={})
        filtered = (
            "the recorded times of threads are those of all calls, and --status failed leaves"
        )
        no_objects = "waits and objects were not recorded"
        for delta, only, expected in (
            (recorded, "--status failed", filtered),
            (without_objects, "--status failed", no_objects),
            (without_objects, "", no_objects),
        ):
            snapshot = attrs.evolve(snapshot_of(delta), source=Started("ebpf", only=only))
            self.assertIn(f"since {expected}", budget(snapshot).note)

    def test_left_out_estimated(self) -> None:
        """An estimate of selected calls does not call the time between them own code."""
        delta = Delta(calls={"read": _timed(S, 1)}, span=Span(BEGIN_NS, BEGIN_NS + 4 * S))
        for only, title, phrase in (
            ("", "own code", "outside of calls"),
            ("--no-children", "own code", "outside of calls"),
            ("-e read", "outside", "outside of the selected calls"),
        ):
            snapshot = attrs.evolve(snapshot_of(delta), source=Started("ebpf", only=only))
            self.assertIn(f"about 75 % {phrase}", verdict(snapshot))
            self.assertIn(f"U {title} ~75 %", legend(budget(snapshot), ShareOf.BUSY))

    def test_lost(self) -> None:
        """If data was lost, the times are too short."""
        delta = attrs.evolve(delta_of(QUERY), ledger=Ledger(lost_events=5))

        self.assertEqual(
            f"{QUERY_VERDICT} (incomplete: data was lost)", verdict(snapshot_of(delta))
        )


class ProcessTests(SynchronousTestCase):
    """The verdict on one process."""

    def test_process(self) -> None:
        """Only the threads of the process count."""
        other = attrs.evolve(QUERY, did=(), user=9 * S, pid=2)

        snapshot = world(QUERY, other)

        self.assertEqual(QUERY_VERDICT, verdict(snapshot, 1))
        self.assertEqual("9 s: 100 % in its own code", verdict(snapshot, 2))
        self.assertEqual("where the time of this process went is not known", verdict(snapshot, 3))


def _timed(each_ns: int, count: int) -> CallTally:
    return CallTally(
        count=count,
        total_ns=count * each_ns,
        min_ns=each_ns,
        max_ns=each_ns,
        histogram=Histogram.of([each_ns] * count),
    )
