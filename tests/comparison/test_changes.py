"""Tests of what is found between runs, and of what is not."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.changes import Comparison, Options, changes
from syswatch.comparison.facts import Counts, Facts, ObjectFacts, ProcessFacts
from syswatch.comparison.forms import ONLY
from syswatch.comparison.parts import PARTS
from syswatch.comparison.run import Figure, Kind, Run, Subject
from syswatch.comparison.tabulate import run_of_facts
from syswatch.model.objects import ObjectKind

from .made import MISSING, MS, Program, opened, program, with_object


def _compared(after: Program, before: Program | None = None) -> Comparison:
    """Compare a run with three of the program as it was."""
    base = before or program()
    return changes([base.run(f"before {n}") for n in range(3)], [after.run("after")])


def _first(comparison: Comparison) -> str:
    return comparison.findings[0].text


class FoundTests(SynchronousTestCase):
    """Each of these changes is found with three runs before and one after."""

    def test_one_call(self) -> None:
        """One call more is a change, and so is one that was not made before."""
        one = program(others={**program().others, "getppid": 2})
        new = program(others={**program().others, "sysinfo": 1})
        self.assertEqual("+1 call of getppid: 1 → 2", _first(_compared(one)))
        self.assertEqual("+1 call of sysinfo, which was not called before", _first(_compared(new)))

    def test_contended_lock(self) -> None:
        """Threads wait for a lock thousands of times, which they did not before."""
        one = program(others={**program().others, "futex": 30_000})
        self.assertEqual("+29,970 calls of futex: 30 → 30,000", _first(_compared(one)))

    def test_other_object(self) -> None:
        """As many calls on a file instead of a pipe are a change of the file, not of the call."""
        did = {"fcntl": Counts(3)}
        before = with_object(program(), ObjectKind.PIPE, "pipe", did)
        after = with_object(program(), ObjectKind.FILE, "/var/log/app.log", did)
        # The times of a call always differ a little.
        after = attrs.evolve(after, durations={**after.durations, "fcntl": [900] * 3})
        found = {
            (each.subject.kind, each.subject.call) for each in _compared(after, before).changes
        }
        self.assertIn((Kind.FILE, "fcntl"), found)
        self.assertNotIn(Kind.CALL, {kind for kind, _ in found})

    def test_failing_path(self) -> None:
        """A path that can't be opened comes first, with the error as its consequence."""
        after = with_object(program(), ObjectKind.PATH, "/etc/app/extra.conf", MISSING)
        after = attrs.evolve(after, errnos={"openat": {"ENOENT": 2}})
        found = _compared(after)
        self.assertEqual("+1 failing openat of /etc/app/extra.conf: 0 → 1", _first(found))
        self.assertEqual(1, len(found.findings))
        figures = {each.subject.kind for each in found.findings[0].consequences}
        self.assertEqual({Kind.FILE, Kind.PATH, Kind.CALL, Kind.ERROR}, figures)

    def test_peer(self) -> None:
        """A new peer comes first, with how much it was sent."""
        did = {"connect": Counts(1), "sendto": Counts(1, 0, 0, 517)}
        found = _compared(with_object(program(), ObjectKind.TCP, "10.9.8.7:443", did))
        self.assertEqual("new peer 10.9.8.7:443: 2 calls, 517 B sent", _first(found))

    def test_twice_the_bytes(self) -> None:
        """The same calls with twice the bytes are a change of the peer, or of the file."""
        did = {**program().objects[ObjectKind.TCP, "10.0.0.5:5432"]}
        did["recvfrom"] = Counts(14, 0, 80_000)
        found = _compared(with_object(program(), ObjectKind.TCP, "10.0.0.5:5432", did))
        self.assertIn("received from 10.0.0.5:5432", _first(found))
        name = "/usr/lib/app/module3.py"
        found = _compared(with_object(program(), ObjectKind.FILE, name, opened(8192)))
        self.assertIn(f"read from {name}", _first(found))

    def test_slower(self) -> None:
        """A call that takes 30 % longer is found if the runs before agree."""
        slow = [round(1.3 * each) for each in program().durations["fsync"]]
        found = _compared(program(durations={"fsync": slow}))
        self.assertEqual("fsync is 30 % slower: typically 2.16 ms → 2.82 ms", _first(found))
        self.assertEqual({Figure.P50}, {each.figure for each in found.changes})

    def test_slower_than_noise(self) -> None:
        """It is not found if the runs before differ by more among themselves."""
        base = program().durations["fsync"]
        before = [
            program(durations={"fsync": [round(factor * each) for each in base]}).run()
            for factor in (0.8, 1.0, 1.25)
        ]
        slow = program(durations={"fsync": [round(1.3 * 1.25 * each) for each in base]})
        self.assertEqual((), changes(before, [slow.run()]).changes)

    def test_waiting(self) -> None:
        """Waiting for seconds for a server or a timer, where there was no wait, is found."""
        facts = program().facts()
        slow = [
            each._replace(waiting_ns=5000 * MS if each.kind is ObjectKind.TCP else 0)
            for each in facts.objects or ()
        ]
        sleep = ObjectFacts(ObjectKind.SLEEP, "5 s", "", 0, 5000 * MS, {"nanosleep": Counts(1)})
        after = attrs.evolve(facts, objects=[*slow, sleep])
        found = changes([program().run()] * 3, [_run(after)])
        self.assertEqual(
            {"+5 s waiting for 10.0.0.5:5432: 0 ns → 5 s", "+1 nanosleep of sleep: 0 → 1"},
            set(_texts(found)),
        )

    def test_program(self) -> None:
        """A new program is one finding, with how it ended as a consequence."""
        after = with_object(program(), ObjectKind.PATH, "/usr/bin/git", {"execve": Counts(1)})
        after = attrs.evolve(
            after, processes=(*after.processes, ProcessFacts("git", "exited with 0"))
        )
        found = _compared(after)
        self.assertEqual(["new program /usr/bin/git, executed once"], _texts(found))

    def test_call_beside_kills(self) -> None:
        """A call more is found if kills have not changed the number of such calls before."""
        before = [_killed(number, 4).run() for number in (1, 3, 1)]
        for killed in (1, 2, 3):
            found = changes(before, [_killed(killed, 5).run()])
            self.assertEqual(["+1 call of getppid: 4 → 5"], _texts(found))
        self.assertEqual((), changes(before, [_killed(4, 5).run()]).changes)

    def test_ending(self) -> None:
        """How the command ended comes before everything else."""
        after = program(
            ending="exited with 3",
            processes=(ProcessFacts("app", "exited with 3"),),
            others={**program().others, "sysinfo": 1},
        )
        self.assertEqual(
            [
                "exit status: exited with 0 → exited with 3",
                "+1 call of sysinfo, which was not called before",
            ],
            _texts(_compared(after)),
        )

    def test_failing_directories(self) -> None:
        """A directory whose path ends with a slash has a name."""
        after = program()
        for name in ("/a/x/", "/b/y/"):
            after = with_object(after, ObjectKind.PATH, name, {"openat": Counts(2, 2)})
        self.assertNotIn(" of  in ", " ".join(_texts(_compared(after))))

    def test_files_below_a_directory(self) -> None:
        """Many files are one finding, which explains the calls on them."""
        after = program()
        for number in range(40):
            name = f"/usr/lib/extra/part{number % 3}/module{number}.py"
            after = with_object(after, ObjectKind.FILE, name, opened())
        found = _compared(after)
        self.assertEqual(3, len(found.findings))
        self.assertEqual("+14 openat below /usr/lib/extra/part0 (14 files): 0 → 14", _first(found))
        led = [each for finding in found.findings for each in finding.changes]
        shadows = [each for finding in found.findings for each in finding.consequences]
        self.assertEqual(sorted(map(repr, found.changes)), sorted(map(repr, led + shadows)))
        self.assertIn(Subject(Kind.CALL, "openat"), [each.subject for each in shadows])


def _killed(number: int, calls: int) -> Program:
    """Return a program of which a signal kills so many processes."""
    killed = [ProcessFacts("sort", "killed by SIGPIPE")] * number
    return program(
        others={"getppid": calls, "sched_getattr": 3},
        processes=(ProcessFacts("app", "exited with 0"), *killed),
    )


def _texts(comparison: Comparison) -> list[str]:
    return [finding.text for finding in comparison.findings]


class ExitStatusTests(SynchronousTestCase):
    """How the command ended, as far as runs know it."""

    def test_still_running(self) -> None:
        """A run that has not ended did not end otherwise, which the comparison says."""
        running = program(ending="", processes=(ProcessFacts("app", ""),)).run()
        for sides in (([program().run()], [running]), ([running], [program().run()])):
            found = changes(*sides)
            self.assertNotIn("exited with 0", {each.subject.name for each in found.changes})
            self.assertIn("exit status of the command", found.not_compared)
        self.assertNotIn("exit status of the command", changes([running], [running]).not_compared)

    def test_one_process(self) -> None:
        """The command of a log with one process is that process; of several, it is not known."""
        ends = [
            program(ending="", processes=(ProcessFacts("", f"exited with {status}"),))
            for status in (0, 3)
        ]
        text = "exit status: exited with 0 → exited with 3"
        self.assertEqual([text], _texts(_compared(ends[1], ends[0])))
        several = [
            attrs.evolve(each, processes=(*each.processes, ProcessFacts("", "exited with 0")))
            for each in ends
        ]
        self.assertFalse(_texts(_compared(several[1], several[0]))[0].startswith("exit status"))


class NotFoundTests(SynchronousTestCase):
    """None of these differences is a change."""

    def _check(self, *programs: Program) -> None:
        runs = [each.run(f"run {number}") for number, each in enumerate(programs)]
        self.assertEqual((), changes(runs[:3], runs[3:]).changes)

    def test_same(self) -> None:
        """Equal runs."""
        self._check(*[program()] * 4)

    def test_timing(self) -> None:
        """Locks, and the calls that take what a connection has."""
        programs = []
        for number in (14, 17, 15, 19):
            base = program(others={"getppid": 1, "brk": 12, "futex": 2 * number, "poll": number})
            did = {**base.objects[ObjectKind.TCP, "10.0.0.5:5432"]}
            did["recvfrom"] = Counts(number, 0, 40_000)
            did["epoll_wait"] = Counts(number if number < 19 else 50)
            programs.append(with_object(base, ObjectKind.TCP, "10.0.0.5:5432", did))
        self._check(*programs)

    def test_lock(self) -> None:
        """Threads are interrupted while they hold a lock, in one run of several."""
        self._check(*(program(others={"futex": number}) for number in (2, 2, 4, 300)))

    def test_child_not_killed(self) -> None:
        """A pool of processes ends those that have not ended by themselves."""
        ends = [ProcessFacts("app", "exited with 0")] * 3
        usual = attrs.evolve(program(), processes=ends)
        kills = attrs.evolve(usual, others={**usual.others, "kill": 1})
        self._check(usual, usual, usual, kills)

    def test_in_time(self) -> None:
        """A process writes everything before the reader of its pipe ends."""
        last = _killed(2, 8)
        ended = [*last.processes[:-1], ProcessFacts("sort", "exited with 0")]
        self._check(*[_killed(3, 8)] * 3, attrs.evolve(last, processes=ended))

    def test_own_program(self) -> None:
        """A runtime with threads maps its own program where its random address lets it."""
        name = "/usr/bin/node"
        executed = {"execve": Counts(1)}
        did = dict.fromkeys(("openat", "fstat", "mmap", "close", "execve"), Counts(1))
        mapped = with_object(attrs.evolve(program(), threads=5), ObjectKind.FILE, name, did)
        not_mapped = with_object(mapped, ObjectKind.FILE, name, executed)
        self._check(*[mapped] * 3, not_mapped)
        self._check(*[not_mapped] * 3, mapped)

    def test_pieces(self) -> None:
        """A child writes what it gets from a pipe, and its parent polls until it ends."""
        programs = []
        for writes, polls in ((75, 7), (75, 9), (75, 5), (74, 1505)):
            base = program(others={"getppid": 1, "poll": polls, "wait4": polls})
            base = attrs.evolve(
                base, processes=[ProcessFacts(name, "exited with 0") for name in ("app", "child")]
            )
            did = {"write": Counts(writes, 0, 0, 300_000)}
            programs.append(with_object(base, ObjectKind.FILE, "/srv/page", did))
        self._check(*programs)

    def test_names(self) -> None:
        """Temporary names, PIDs, ports of this machine, and names that differ in each run."""
        names = ("k3Jx9Q", "aB3dE9", "Zz81Lw", "iEjcti")
        programs = []
        for number, name in enumerate(names):
            each = with_object(program(), ObjectKind.FILE, f"/tmp/sort{name}", opened())  # noqa: S108
            each = with_object(each, ObjectKind.FILE, f"/proc/{4000 + number}/stat", opened())
            each = with_object(each, ObjectKind.FILE, f"/srv/{name.lower()}/part", opened())
            did = {"connect": Counts(1)}
            peer = f"127.0.0.1:{40_000 + number}"
            programs.append(with_object(each, ObjectKind.TCP, peer, did))
        self._check(*programs)

    def test_shown_by_the_runs(self) -> None:
        """What varies between the runs before may vary a little more after."""
        self._check(*(program(others={"getpid": number}) for number in (239, 288, 249, 321)))

    def test_slow_machine(self) -> None:
        """Most calls take much longer, and none of them even longer than the others."""
        names = ("fsync", "fdatasync", "ftruncate", "fallocate", "rename", "unlink")
        usual = {name: [(2 + at) * MS] * 30 for at, name in enumerate(names)}
        slow = {
            name: [round(each * (8 + at)) for each in times]
            for at, (name, times) in enumerate(usual.items())
        }
        before = [Program(durations=usual).run() for _ in range(3)]
        found = changes(before, [Program(durations=slow).run()])
        self.assertEqual((), found.changes)
        self.assertEqual(1, len(found.notes))
        self.assertIn("most calls took 10.5 times as long after", found.notes[0])
        slow["fsync"] = [3000 * MS] * 30
        texts = _texts(changes(before, [Program(durations=slow).run()]))
        self.assertEqual(1, len(texts))
        self.assertIn("fsync is ", texts[0])

    def test_random(self) -> None:
        """What a program does until a random number fits may be done much more often."""
        self._check(*(program(others={"getpid": number}) for number in (239, 235, 217, 545)))

    def test_killed(self) -> None:
        """A process that is killed now and then skips some calls that it makes otherwise."""
        self._check(*[_killed(0, 8)] * 3, _killed(1, 5))
        self._check(_killed(2, 7), _killed(1, 8), _killed(2, 4), _killed(2, 3))

    def test_loaded_machine(self) -> None:
        """A few calls that took very long, and a sum that is much larger for this reason."""
        usual = program().durations["fsync"]
        self._check(
            *[program()] * 3, program(durations={"fsync": [*usual[:-2], 300 * MS, 400 * MS]})
        )


class OptionTests(SynchronousTestCase):
    """Options of a comparison."""

    def test_only(self) -> None:
        """Only some kinds of subjects are compared."""
        after = with_object(program(), ObjectKind.PATH, "/etc/app/extra.conf", MISSING)
        found = changes([program().run()], [after.run()], Options(only=(PARTS["calls"],)))
        self.assertEqual({Kind.CALL}, {each.subject.kind for each in found.changes})

    def test_only_words(self) -> None:
        """Each word selects its part of a run in which everything changed."""
        before = program()
        after = with_object(before, ObjectKind.PATH, "/etc/app/extra.conf", MISSING)
        after = with_object(after, ObjectKind.PIPE, "pipe", {"write": Counts(99, 0, 0, 9999)})
        after = with_object(after, ObjectKind.PATH, "/usr/bin/git", {"execve": Counts(1)})
        after = with_object(after, ObjectKind.TCP, "10.0.0.7:80", {"connect": Counts(1)})
        after = attrs.evolve(
            after,
            errnos={"openat": {"ENOENT": 2}},
            durations={"fsync": [9 * MS] * 60},
            processes=(*before.processes, ProcessFacts("git", "exited with 0")),
            ending="exited with 3",
        )
        slow = attrs.evolve(
            after.facts(),
            elapsed_ns=10_000 * MS,
            calls=[attrs.evolve(each, waiting_ns=9000 * MS) for each in after.facts().calls],
        )
        sides = [before.run()] * 3, [_run(slow)] * 3
        every = _selected(changes(*sides))
        found = {word: _selected(changes(*sides, Options((part,)))) for word, part in PARTS.items()}
        self.assertEqual(tuple(ONLY), tuple(PARTS))
        self.assertEqual(every, frozenset().union(*found.values()))
        for word, part in PARTS.items():
            self.assertTrue(found[word], word)
            expected = {each for each in every if part.includes(*each)}
            self.assertEqual(expected, found[word], word)
        self.assertEqual(found["endings"], found["processes"] | found["exit-status"])
        self.assertEqual({Kind.ENDING}, {each.kind for each, _ in found["exit-status"]})
        self.assertEqual({Figure.WAITING}, {figure for _, figure in found["waiting"]})
        both = changes(*sides, Options((PARTS["errors"], PARTS["peers"])))
        self.assertEqual(found["errors"] | found["peers"], _selected(both))

    def test_threshold(self) -> None:
        """A change must have at least so many percent; what is new has infinitely many."""
        after = program(others={**program().others, "getppid": 2, "sysinfo": 1})
        found = changes([program().run()], [after.run()], Options(threshold=150))
        self.assertEqual(["sysinfo"], [each.subject.name for each in found.changes])

    def test_unknown(self) -> None:
        """What a source can't know is not compared, and the comparison says so."""
        facts = attrs.evolve(program().facts(), objects=None)
        after = with_object(program(), ObjectKind.PATH, "/etc/app/extra.conf", MISSING).run()
        found = changes([_run(facts)], [after])
        self.assertTrue(any("count of file" in each for each in found.not_compared))
        self.assertNotIn(Kind.FILE, {each.subject.kind for each in found.changes})
        self.assertIn(Kind.PATH, {each.subject.kind for each in found.changes})

    def test_notes(self) -> None:
        """What makes the numbers of a run inexact is told with the name of the run."""
        facts = attrs.evolve(program().facts(), notes=("3 system calls were lost",))
        found = changes([_run(facts)], [program().run()])
        self.assertEqual(("part: 3 system calls were lost",), found.notes)


def _selected(comparison: Comparison) -> frozenset[tuple[Subject, Figure]]:
    return frozenset((each.subject, each.figure) for each in comparison.changes)


def _run(facts: Facts) -> Run:
    return run_of_facts(facts, "part")
