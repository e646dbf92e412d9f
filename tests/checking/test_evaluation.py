"""Tests of whether a run is within a budget."""

import random

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.checking.evaluation import evaluate
from syswatch.checking.observed import observe
from syswatch.checking.result import Command, Verdict
from syswatch.comparison.facts import PathFacts
from syswatch.comparison.of_delta import run_of_delta
from syswatch.comparison.run import Figure, Kind, Run
from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.ledger import Ledger
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.process import ProcessTally

from .samples import LOSSES, a_run, budget_of, call, check, check_one, runs, thing

_EXCEEDED, _UNDECIDED, _WITHIN = Verdict
_RUN = a_run(
    call("openat", 75, 0, ENOENT=12, EACCES=1),
    call("read", 20, 3_000_000),
    call("connect", 3, 2_000_000_000, ECONNREFUSED=2),
    call("read@i386", 2),
    thing(ObjectKind.FILE, "/etc/hosts", openat=(5, 0), read=(5, 0, 5000, 0)),
    thing(ObjectKind.TCP, "10.0.0.1:443", "www.example.org", connect=(3, 2), read=(2, 0, 700, 9)),
    thing(ObjectKind.UNIX, "socket 6 of sh (1)", read=(1, 0)),
    thing(ObjectKind.PATH, "/usr/bin/curl", execve=(2, 1)),
    thing(ObjectKind.PATH, "/usr/bin/wget", execve=(1, 1)),
    PathFacts("secret.txt", 1, 1),
)
# An entry, its verdict, and what was found.
_LIMITS = (
    ("[calls]\ntotal = 100", _WITHIN, "100 calls, within 100"),
    ("[calls]\ntotal = 99", _EXCEEDED, "100 calls, 1 more than the 99 allowed"),
    ("[calls]\nopenat = 70", _EXCEEDED, "75 calls of openat, 5 more than the 70 allowed"),
    ("[calls]\nopenat = { max = 70, tolerance = 5 }", _WITHIN, "75 calls of openat, within 75"),
    ('tolerance = "7 %"\n[calls]\nopenat = 70', _EXCEEDED, "75 calls of openat, 1 more than"),
    ("[calls]\nread = 21", _EXCEEDED, "22 calls of read, 1 more than the 21 allowed"),
    ('[calls]\n"%net" = 0', _EXCEEDED, "3 calls of %net, where none is allowed"),
    ('[calls]\n"%memory" = 0', _WITHIN, "0 calls of %memory, within 0"),
    ("[errors]\ntotal = 14", _EXCEEDED, "15 failed calls, 1 more than the 14 allowed"),
    ("[errors]\nopenat = 12", _EXCEEDED, "13 failed calls of openat, 1 more than the 12"),
    ("[errors]\nENOENT = 11", _EXCEEDED, "12 ENOENT errors, 1 more than the 11 allowed"),
    ("[errors]\nopenat.EACCES = 0", _EXCEEDED, "1 EACCES error of openat, where none is allowed"),
    ("[errors]\nread.EACCES = 0", _WITHIN, "0 EACCES errors of read, within 0"),
    ('[bytes.in]\ntotal = "5 kB"', _EXCEEDED, "5.57 KiB read, 700 B more than the 4.88 KiB"),
    ("[bytes.out]\nread = 9", _WITHIN, "9 B written by read, within 9 B"),
    ('[waiting]\nconnect = "1 s"', _EXCEEDED, "2 s waiting in connect, 1 s more than the 1 s"),
    ('[waiting]\ntotal = "3 s"', _WITHIN, "2 s waiting, within 3 s"),
)
_BANS = (
    ('calls = "connect"', "call connect was used, which is forbidden"),
    ('calls = "%net"', "call connect was used, which is forbidden (%net)"),
    ('calls = "ptrace"', ""),
    ('paths = "/etc/*"', "path /etc/hosts was used, which is forbidden (/etc/*)"),
    ('paths = "/etc/[\\u001bh]*"', r"which is forbidden (/etc/[\x1bh]*)"),
    ('paths = "/\\n"', ""),
    ('paths = "*.txt"', "path secret.txt was used, which is forbidden (*.txt)"),
    ('paths = "/etc/shadow"', ""),
    ('peers = "10.0.0.0/8"', "peer 10.0.0.1:443 was used, which is forbidden (10.0.0.0/8)"),
    ('peers = "*.example.org:443"', "peer 10.0.0.1:443 was used, which is forbidden"),
    ('peers = "*:80"', ""),
    ('programs = "curl"', "program /usr/bin/curl was used, which is forbidden (curl)"),
    # A search of $PATH that fails executes nothing.
    ('programs = "wget"', ""),
    ('peers = "*"\n[allowed]\npeers = ["10.0.0.0/24:443"]', ""),
    ('peers = "*"\n[allowed]\npeers = ["10.0.0.0/24:80"]', "peer 10.0.0.1:443 was used"),
)


class LimitTests(SynchronousTestCase):
    """The most of something."""

    def test_limits(self) -> None:
        """Each limit is compared with its figure."""
        for text, verdict, sentence in _LIMITS:
            finding = check_one(text, _RUN)
            self.assertEqual(verdict, finding.verdict, text)
            self.assertIn(sentence, finding.sentence, text)

    def test_offenders(self) -> None:
        """What has the largest shares is named, with the process where that is known."""
        info = ObjectInfo(ObjectKind.FILE, "/etc/hosts")
        other = ObjectInfo(ObjectKind.TCP, "10.0.0.1:443")
        delta = Delta(
            calls={"read": CallTally(9), "openat": CallTally(1)},
            processes={7: ProcessTally(comm="sh"), 8: ProcessTally(comm="cat")},
            objects={info.id: info, other.id: other},
            activity={
                ActivityKey(7, 7, info.id, "read"): Sums(2),
                ActivityKey(8, 8, info.id, "read"): Sums(5),
                ActivityKey(8, 8, other.id, "read"): Sums(2),
                ActivityKey(0, 0, info.id, "openat"): Sums(1),
            },
        )
        observed = observe(run_of_delta(delta, "a"))
        finding = check_one("[calls]\ntotal = 1", observed)
        self.assertEqual(
            [
                ("calls", ["read", "openat"]),
                ("paths", ["/etc/hosts"]),
                ("peers", ["10.0.0.1:443"]),
                ("processes", ["cat (8)", "sh (7)"]),
            ],
            [(each.title, [share.name for share in each.shares]) for each in finding.offenders],
        )
        ban = check_one('[forbidden]\npeers = "*"', observed)
        self.assertEqual("cat (8)", ban.offenders[-1].shares[0].name)


class BanTests(SynchronousTestCase):
    """What is forbidden."""

    def test_bans(self) -> None:
        """What was used is compared by its real name."""
        for text, sentence in _BANS:
            finding = check_one(f"[forbidden]\n{text}", _RUN)
            self.assertEqual(_EXCEEDED if sentence else _WITHIN, finding.verdict, text)
            self.assertIn(sentence, finding.sentence, text)


class NothingNewTests(SynchronousTestCase):
    """Nothing new since a baseline."""

    budget = '[nothing-new]\nsince = "a"'

    def test_same(self) -> None:
        """A run has nothing that is new to itself."""
        self.assertEqual("nothing is new", check_one(self.budget, _RUN, _RUN).sentence)

    def test_new(self) -> None:
        """Calls, errors, paths, peers and programs are found; one of the baselines suffices."""
        more = a_run(
            *_RUN.facts.calls,
            *(_RUN.facts.objects or ()),
            *_RUN.facts.paths,
            call("bind", 4, EACCES=1),
            thing(ObjectKind.TCP, "10.9.9.9:25", connect=(9, 0)),
            thing(ObjectKind.FILE, "/etc/shadow", openat=(1, 0)),
            thing(ObjectKind.PATH, "/usr/bin/nc", execve=(1, 0)),
            PathFacts("/etc/shadow", 1, 0),
        )
        finding = check_one(self.budget, more, _RUN)
        self.assertEqual(_EXCEEDED, finding.verdict)
        found = {each.title: [share.name for share in each.shares] for each in finding.offenders}
        self.assertEqual(["bind"], found["new calls"])
        self.assertEqual(["EACCES of bind"], found["new errors"])
        self.assertIn("/etc/shadow", found["new paths"])
        self.assertEqual(["10.9.9.9:25"], found["new peers"])
        self.assertEqual(["/usr/bin/nc"], found["new programs"])
        self.assertEqual(_WITHIN, check_one(self.budget, more, _RUN, more).verdict)

    def test_kinds(self) -> None:
        """Only what is asked for is compared, and more of the same is not new."""
        more = a_run(call("openat", 500), call("bind", 1))
        text = f'{self.budget}\nkinds = ["paths", "peers"]'
        self.assertEqual(_WITHIN, check_one(text, more, _RUN).verdict)

    def test_baseline_without_objects(self) -> None:
        """What a baseline does not tell is not new, and not known."""
        for unknown in (Kind.FILE, Kind.PEER, Kind.PROGRAM):
            baseline = attrs.evolve(_RUN, unknown=frozenset({(unknown, Figure.COUNT)}))
            finding = check_one(self.budget, _RUN, baseline)
            self.assertEqual(_UNDECIDED, finding.verdict, unknown)
            self.assertIn("a baseline does not tell which ", finding.sentence)


class InexactTests(SynchronousTestCase):
    """Numbers from which something is missing."""

    def verdict(self, text: str, run: Run) -> Verdict:
        """Return the verdict on an entry."""
        return check_one(text, run).verdict

    def test_lost_calls(self) -> None:
        """A limit is undecided if the lost calls could exceed it."""
        run = attrs.evolve(_RUN, ledger=LOSSES)
        self.assertEqual(_WITHIN, self.verdict("[calls]\ntotal = 103", run))
        self.assertEqual(_UNDECIDED, self.verdict("[calls]\ntotal = 102", run))
        self.assertEqual(_EXCEEDED, self.verdict("[calls]\ntotal = 99", run))
        # One call may read or wait for any amount.
        self.assertEqual(_UNDECIDED, self.verdict('[bytes.in]\ntotal = "1 GiB"', run))
        self.assertEqual(_UNDECIDED, self.verdict('[waiting]\ntotal = "1 h"', run))
        self.assertEqual(_UNDECIDED, self.verdict('[forbidden]\ncalls = "ptrace"', run))
        finding = check_one("[calls]\ntotal = 102", run)
        self.assertIn("may be more: 3 system calls that could not be counted", finding.sentence)

    def test_any_number(self) -> None:
        """Nothing is certain if any number of calls is missing."""
        for run in (
            attrs.evolve(_RUN, ledger=Ledger(unfollowed_processes=1)),
            attrs.evolve(_RUN, is_cut_short=True),
            attrs.evolve(_RUN, only="-e trace=%file"),
        ):
            for text in ("[calls]\ntotal = 10_000", '[forbidden]\ncalls = "ptrace"'):
                self.assertEqual(_UNDECIDED, self.verdict(text, run))
            self.assertEqual(_UNDECIDED, check_one(NothingNewTests.budget, run, run).verdict)

    def test_names(self) -> None:
        """Names that were not kept matter for what is forbidden by name."""
        run = attrs.evolve(_RUN, ledger=Ledger(untracked_paths=1))
        self.assertEqual(_UNDECIDED, self.verdict('[forbidden]\npaths = "/x"', run))
        self.assertEqual(_WITHIN, self.verdict('[forbidden]\npeers = "1.1.1.1"', run))
        run = attrs.evolve(_RUN, ledger=Ledger(untracked_objects=1))
        self.assertEqual(_UNDECIDED, self.verdict('[forbidden]\npeers = "1.1.1.1"', run))
        self.assertEqual(_WITHIN, self.verdict('[forbidden]\ncalls = "ptrace"', run))

    def test_unknown(self) -> None:
        """What a source does not tell cannot be decided."""
        run = a_run(call("read", 1), objects=None)
        for text in ('[forbidden]\npeers = "*"', "[bytes.in]\ntotal = 1"):
            finding = check_one(text, run)
            self.assertEqual(_UNDECIDED, finding.verdict)
            self.assertIn("this source does not tell", finding.sentence)

    def test_second_paths(self) -> None:
        """The second path of a call has a row without calls; without one it is not known."""
        text = '[forbidden]\npaths = "/etc/x"'
        first = thing(ObjectKind.PATH, "/a", rename=(1, 0))
        finding = check_one(text, a_run(call("rename", 1), first, backend="ebpf"))
        self.assertEqual(_UNDECIDED, finding.verdict)
        self.assertIn("the second path of rename is not known", finding.sentence)
        self.assertIn("--backend ptrace", finding.sentence)
        for name, verdict in (("/etc/x", _EXCEEDED), ("/etc/y", _WITHIN)):
            second = thing(ObjectKind.PATH, name, rename=(0, 0))
            finding = check_one(text, a_run(call("rename", 1), first, second))
            self.assertEqual(verdict, finding.verdict)
        self.assertEqual(_WITHIN, self.verdict('[forbidden]\npeers = "*"', a_run(call("link", 1))))

    def test_untold_peers(self) -> None:
        """So is it with the peers of messages; some paths of Unix sockets are not known either."""
        host, path = ('[forbidden]\npeers = "10.0.0.9"', '[forbidden]\npeers = "/x"')
        unconnected = thing(ObjectKind.UDP, "unconnected", sendto=(1, 0))
        first = thing(ObjectKind.UDP, "10.0.0.8:53", sendmmsg=(1, 0))
        connected = thing(ObjectKind.UDP, "10.0.0.8:53", sendmmsg=(1, 0), connect=(1, 0))
        failed = thing(ObjectKind.UNIX, "socket [7]", connect=(1, 1))
        for objects, text, verdict in (
            ((unconnected,), host, _UNDECIDED),
            ((unconnected,), path, _WITHIN),
            ((unconnected, thing(ObjectKind.UDP, "10.0.0.8:5", sendto=(0, 0))), host, _WITHIN),
            ((unconnected, thing(ObjectKind.UDP, "10.0.0.9:5", sendto=(0, 0))), host, _EXCEEDED),
            ((first,), host, _UNDECIDED),
            ((connected,), host, _WITHIN),
            ((failed,), path, _UNDECIDED),
            ((failed,), host, _WITHIN),
            ((thing(ObjectKind.UNIX, "socket pair 3, 4 of sh (1)", sendto=(1, 0)),), path, _WITHIN),
        ):
            finding = check_one(text, a_run(*objects, backend="ebpf"))
            self.assertEqual(verdict, finding.verdict, objects)
            hint = "--backend ptrace records it" if verdict is _UNDECIDED else ""
            self.assertIn(hint, finding.sentence)

    def test_uncertain_paths(self) -> None:
        """What a path without its directory or with `..` leads to is not known."""
        text = '[forbidden]\npaths = "/etc/x"\n[allowed]\npaths = "/b/../etc/x"'
        for name, verdict, why in (
            ("/a/../etc/x", _UNDECIDED, "where /a/../etc/x leads depends on links before '..'"),
            ("/a/../etc/y", _WITHIN, ""),
            ("/b/../etc/x", _WITHIN, ""),
            ("x", _UNDECIDED, "the directory of x is not known"),
            ("../etc/./x", _UNDECIDED, "the directory of ../etc/./x is not known"),
            ("y", _WITHIN, ""),
        ):
            finding = check_one(text, a_run(thing(ObjectKind.PATH, name, stat=(1, 0))))
            self.assertEqual(verdict, finding.verdict, name)
            self.assertIn(why, finding.sentence)

    def test_status(self) -> None:
        """An undecided entry fails the check, unless the budget says otherwise."""
        run = attrs.evolve(_RUN, ledger=LOSSES)
        self.assertEqual(1, check("[calls]\ntotal = 102", run).status)
        self.assertEqual(0, check('inexact = "warn"\n[calls]\ntotal = 102', run).status)
        self.assertEqual(1, check('inexact = "warn"\n[calls]\ntotal = 99', run).status)


class StatusTests(SynchronousTestCase):
    """The exit status."""

    def test_command(self) -> None:
        """A command that failed is told apart from a budget that is exceeded."""
        failed, killed = Command("x", 4), Command("x", signal="SIGKILL")
        for command, limit, status in (
            (Command("x", 0), 100, 0),
            (failed, 100, 3),
            (killed, 100, 3),
            (failed, 99, 1),
        ):
            budget = budget_of(f"[calls]\ntotal = {limit}")
            self.assertEqual(status, evaluate(budget, observe(_RUN), (), command).status)
        self.assertEqual("it exited with 4", failed.failure)
        self.assertEqual("it was killed by SIGKILL", killed.failure)


class OrderTests(SynchronousTestCase):
    """Laws of findings."""

    @given(runs(), st.randoms(use_true_random=False))
    def test_order_of_entries(self, run: Run, chance: random.Random) -> None:
        """The order of the entries does not matter."""
        tables = [
            "[calls]\nread = 50\nopenat = 20\ntotal = 900",
            "[errors]\nENOENT = 20\nread = 3\ntotal = 30",
            '[bytes.in]\ntotal = "1 MiB"',
            '[waiting]\nread = "1 s"',
            '[forbidden]\npeers = ["*:443", "::/0"]\ncalls = ["futex", "%net"]',
        ]
        lines = [table.split("\n") for table in tables]
        for each in lines:
            rest = each[1:]
            chance.shuffle(rest)
            each[1:] = rest
        chance.shuffle(lines)
        other = check("\n".join("\n".join(each) for each in lines), run)
        self.assertEqual(
            [(each.entry.place, each.sentence) for each in check("\n".join(tables), run).findings],
            [(each.entry.place, each.sentence) for each in other.findings],
        )

    @given(runs(), st.integers(0, 600), st.integers(0, 600))
    def test_larger_limit(self, run: Run, one: int, other: int) -> None:
        """A run that is within a limit is within a larger one."""
        low, high = (
            check_one(f"[calls]\nread = {limit}", run).verdict for limit in sorted((one, other))
        )
        self.assertFalse(low is _WITHIN and high is not _WITHIN)
