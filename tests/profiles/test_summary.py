"""Tests of the summary of what a trace needs: the newest call, and what the trace cannot know."""

from collections.abc import Sequence

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.delta import Delta, Span
from syswatch.model.evidence import EvidenceKey, EvidenceTally
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Ended, Started
from syswatch.model.snapshot import Snapshot
from syswatch.model.times import SECOND_NS
from syswatch.profiles.argument_rules import Level
from syswatch.profiles.gaps import gaps
from syswatch.profiles.needs import Wanted, needed
from syswatch.profiles.newest import newest
from syswatch.profiles.summary import summary
from syswatch.views.profile_records import ProfileRule, ProfileSummary

from .samples import DAY_NS, Rows, refused, seen

_EXACT = Wanted(Level.EXACT)
_MINUTE_NS = 60 * SECOND_NS


def first(call: str, after_s: float, *values: int, program: str = "app") -> Rows:
    """Return evidence of a call that was first made so long after the start."""
    at_ns = DAY_NS + int(after_s * SECOND_NS)
    return {EvidenceKey(call, values, "", program): EvidenceTally(1, at_ns)}


def traced(*rows: Rows, minutes: int = 15, done: bool = False) -> Snapshot:
    """Return a trace with some evidence."""
    aggregator = Aggregator()
    aggregator.started(Started("test"))
    aggregator.add(Delta(span=Span(DAY_NS, DAY_NS + minutes * _MINUTE_NS)))
    for each in rows:
        aggregator.add(Delta(evidence=each))
    if done:
        aggregator.ended(Ended(0))
    return aggregator.snapshot()


def said(*rows: Rows, done: bool = False) -> ProfileSummary:
    """Return the summary of a trace, at the level that adds least."""
    return summary(traced(*rows, done=done), _EXACT)


_START = (first("execve", 0), first("openat", 1))


class NewestTests(SynchronousTestCase):
    """The last new call."""

    def test_while_running(self) -> None:
        """It is said for how long nothing new was seen, and what the last new call was."""
        found = said(*_START, first("socket", 60, 10, 1, 6))
        self.assertEqual("3 system calls needed so far; nothing new for 14m0s.", found.verdict)
        self.assertEqual((_MINUTE_NS, 14 * _MINUTE_NS), (found.after, found.quiet))
        self.assertIn("socket (address family AF_INET6, socket type SOCK_STREAM", found.newest)
        self.assertIn("made by app", found.newest)

    def test_ended(self) -> None:
        """At the end, it is said when it was seen, from the start and from the end."""
        found = said(*_START, first("close", 12), done=True)
        self.assertEqual(
            "3 system calls needed; the last new one appeared after 12s, 14m48s before the end.",
            found.verdict,
        )

    def test_again(self) -> None:
        """A call that was seen before is not new, whoever makes it; new arguments are."""
        rows = (*_START, first("openat", 60, program="other"))
        self.assertEqual(SECOND_NS, said(*rows).after)
        other = first("ioctl", 5, 0x5401), first("ioctl", 70, 0x5413)
        self.assertEqual(70 * SECOND_NS, said(*rows, *other).after)

    def test_refused(self) -> None:
        """A call that a filter refused is not in the profile, so it is not new."""
        self.assertEqual(SECOND_NS, said(*_START, refused("ptrace", 16)).after)

    def test_unknown(self) -> None:
        """Without timestamps it is not known, and nothing else is made of them."""
        found = said({EvidenceKey("read"): EvidenceTally(3)})
        self.assertEqual((None, None, ""), (found.after, found.quiet, found.newest))
        self.assertIn("1 system call needed; when each was first seen is not known", found.verdict)
        self.assertEqual("No call has been seen yet.", said().verdict)
        self.assertEqual("No call was seen.", said(done=True).verdict)

    def test_clock_set_back(self) -> None:
        """No duration is negative."""
        found = said(first("execve", -5), first("read", -3))
        self.assertEqual((0, 15 * _MINUTE_NS + 3 * SECOND_NS), (found.after, found.quiet))

    @given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(1, 99)), min_size=1))
    def test_any_order(self, made: Sequence[tuple[str, int]]) -> None:
        """It is the latest of the first times of each call, however the trace is divided."""
        calls = {"a": "read", "b": "write", "c": "dup", "d": "close"}
        snapshot = traced(*(first(calls[name], at) for name, at in made))
        found = newest(needed(snapshot.sums.evidence, _EXACT))
        assert found is not None
        firsts = {name: min(at for each, at in made if each == name) for name, _ in made}
        self.assertEqual(DAY_NS + max(firsts.values()) * SECOND_NS, found.first_ns)


class RuleTests(SynchronousTestCase):
    """The rules with their reasons."""

    def rules(
        self, *rows: Rows, level: Level = Level.DEFAULT
    ) -> dict[tuple[str, str], ProfileRule]:
        """Return the rules by call and arguments."""
        rules = summary(traced(*rows), Wanted(level)).rules
        return {(rule.call, rule.arguments): rule for rule in rules}

    def test_reasons(self) -> None:
        """A call that was seen has its programs, the busiest first; an added one has a sentence."""
        rules = self.rules(seen("openat", count=2), seen("openat", count=9, program="sh"))
        openat = rules["openat", "any arguments"]
        self.assertEqual((11, ["sh", "server"]), (openat.count, openat.programs))
        self.assertTrue(openat.first)
        added = rules["openat2", "any arguments"]
        self.assertEqual((0, "", []), (added.count, added.first, added.programs))
        self.assertIn("equivalent of openat", added.reasons[0])

    def test_dangers(self) -> None:
        """Only the rule that permits what is dangerous is marked."""
        rules = self.rules(seen("mmap", 0), seen("mmap", 6), seen("ptrace"))
        self.assertTrue(rules["ptrace", "any arguments"].dangers)
        self.assertEqual([], rules["mmap", "memory: neither writable nor executable"].dangers)
        self.assertTrue(rules["mmap", "memory: PROT_WRITE|PROT_EXEC"].dangers)

    def test_effect(self) -> None:
        """A call that shall fail says so."""
        clone3 = self.rules(seen("clone", 0))["clone3", "any arguments"]
        self.assertEqual("it would fail with ENOSYS", clone3.effect)


class GapTests(SynchronousTestCase):
    """What the trace cannot know."""

    def test_none(self) -> None:
        """A program that was traced from its start to its end has none."""
        self.assertEqual((), gaps(traced(*_START, done=True)))

    def test_start(self) -> None:
        """Without its start, calls are missing; that its children start changes nothing."""
        (note,) = gaps(traced(first("read", 1), first("execve", 3)))
        self.assertIn("The start of the program was not traced", note)
        (undated,) = gaps(traced({EvidenceKey("read"): EvidenceTally(1)}))
        self.assertEqual(note, undated)

    def test_values(self) -> None:
        """Calls whose arguments are not known permit any."""
        (note,) = gaps(traced(*_START, first("ioctl", 2), first("socket", 2), first("read", 2)))
        self.assertIn("Of 2 calls", note)
        self.assertIn("any are permitted for ioctl, socket.", note)

    def test_refused(self) -> None:
        """What a filter refuses is not in the profile."""
        (note,) = gaps(traced(*_START, refused("ptrace", 16), refused("mount")))
        self.assertIn("refused 2 calls", note)
        self.assertIn("mount, ptrace", note)

    def test_cut_short(self) -> None:
        """What was lost, left out and cut is said."""
        snapshot = traced(*_START)
        notes = gaps(
            attrs.evolve(
                snapshot,
                trouble="the tracer was killed",
                source=Started("test", only="-e trace=%file"),
                sums=attrs.evolve(
                    snapshot.sums, ledger=Ledger(lost_events=3, untracked_evidence=2)
                ),
            )
        )
        for number, part in enumerate(
            (
                "-e trace=%file",
                "the tracer was killed",
                "3 system calls",
                "2 times that a row of the profile",
            )
        ):
            self.assertIn(part, notes[number])
