"""Laws of comparisons, for any runs."""

import attrs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.change import Change, Comparison
from syswatch.comparison.changes import changes
from syswatch.comparison.facts import Counts, ProcessFacts
from syswatch.comparison.run import Kind, Run
from syswatch.model.objects import ObjectKind

from .made import MS, Program

_NAMES = st.sampled_from(
    [
        *("/etc/app.conf", "/usr/lib/a.so", "/usr/lib/b.so", "/proc/12/stat", "/proc/345/stat"),
        *("/tmp/sortk3Jx9Q", "/tmp/sortabcdef", "/srv/x/part", "/srv/y/part"),  # noqa: S108
        *("/var/log/a-20240101.log", "/var/log/a-20240102.log", "/o/0a1b2c3d4e", "/o/9f8e7d6c5b"),
    ]
)
_PEERS = st.sampled_from(["10.0.0.1:80", "10.0.0.2:80", "127.0.0.1:40001", "127.0.0.1:40002"])
_KEYS = st.one_of(
    st.tuples(st.sampled_from([ObjectKind.FILE, ObjectKind.PATH]), _NAMES),
    st.tuples(st.just(ObjectKind.TCP), _PEERS),
    st.tuples(st.just(ObjectKind.PIPE), st.sampled_from(["pipe [1]", "pipe [22]"])),
)
_COUNTS = st.builds(
    lambda made, failed, received: Counts(made, min(made, failed), received),
    st.integers(1, 400),
    st.integers(0, 3),
    st.sampled_from([0, 0, 100, 5000, 10_000]),
)
_CALLS = st.sampled_from(["openat", "read", "close", "connect", "futex", "fsync", "execve"])
_PROGRAMS = st.builds(
    Program,
    objects=st.dictionaries(_KEYS, st.dictionaries(_CALLS, _COUNTS, min_size=1), max_size=5),
    others=st.dictionaries(st.sampled_from(["getppid", "brk", "poll"]), st.integers(1, 50)),
    errnos=st.dictionaries(
        _CALLS, st.dictionaries(st.sampled_from(["ENOENT", "EAGAIN"]), st.integers(1, 50))
    ),
    durations=st.dictionaries(
        st.sampled_from(["fsync", "read"]),
        st.lists(st.integers(1, 30 * MS), min_size=20, max_size=30),
        max_size=1,
    ),
    processes=st.lists(
        st.builds(
            ProcessFacts,
            st.sampled_from(["app", "sort"]),
            st.sampled_from(["exited with 0", "exited with 1", "killed by SIGPIPE", ""]),
        ),
        max_size=3,
    ),
    ending=st.sampled_from(["", "exited with 0", "exited with 1"]),
    threads=st.integers(1, 5),
)
_SIDES = st.lists(_PROGRAMS.map(Program.run), min_size=1, max_size=3)
_LAW = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def _as_set(found: Comparison) -> set[Change]:
    return set(found.changes)


class LawTests(SynchronousTestCase):
    """What holds for whatever is compared."""

    @_LAW
    @given(_SIDES)
    def test_nothing_changed(self, runs: list[Run]) -> None:
        """A side compared with itself has not changed."""
        self.assertEqual((), changes(runs, runs).changes)
        self.assertEqual((), changes(runs, runs[::-1]).findings)

    @_LAW
    @given(_SIDES, _SIDES)
    def test_mirrored(self, one: list[Run], other: list[Run]) -> None:
        """The other way round, the same changes are found in the other direction."""
        there = _as_set(changes(one, other))
        back = _as_set(changes(other, one))
        self.assertEqual(there, {each.mirrored for each in back})

    @_LAW
    @given(_SIDES, _SIDES)
    def test_order(self, one: list[Run], other: list[Run]) -> None:
        """The order of the runs of a side does not matter, not even to the sentences."""
        there = changes(one, other)
        again = changes(one[::-1], other[::-1])
        self.assertEqual(_as_set(there), _as_set(again))
        self.assertEqual([each.text for each in there.findings], [e.text for e in again.findings])

    @_LAW
    @given(_SIDES, _SIDES)
    def test_complete(self, one: list[Run], other: list[Run]) -> None:
        """Each change is part of exactly one finding."""
        found = changes(one, other)
        told = [
            each for finding in found.findings for each in (*finding.changes, *finding.consequences)
        ]
        self.assertEqual(len(told), len(found.changes))
        self.assertEqual(set(told), set(found.changes))

    @_LAW
    @given(_SIDES, _SIDES)
    def test_never_within_the_band(self, one: list[Run], other: list[Run]) -> None:
        """What a run of each side has is no change, except of calls, whose parts are compared."""
        for each in changes(one, other).changes:
            apart = each.before.most < each.after.least or each.after.most < each.before.least
            self.assertTrue(apart or each.subject.kind is Kind.CALL, each)

    @_LAW
    @given(_SIDES, _PROGRAMS)
    def test_wider(self, runs: list[Run], program: Program) -> None:
        """What one of the runs before also did is no change of a call."""
        after = attrs.evolve(program).run()
        found = changes([*runs, after], [after])
        self.assertEqual((), found.changes)
