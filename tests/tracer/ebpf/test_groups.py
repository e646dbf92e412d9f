"""Tests of the sums of groups of processes, in real control groups."""

import tempfile
from pathlib import Path
from shutil import rmtree

from syswatch.machine.runtime_sockets import RuntimeSockets
from syswatch.model.activity import NO_SUMS, Sums
from syswatch.model.delta import Delta
from syswatch.model.groups import OTHER_CALLS, OTHER_GROUPS, GroupKind, by_group
from syswatch.model.messages import Attach, Detach, TraceOptions
from syswatch.tracer.ebpf import groups as tables
from syswatch.tracer.ebpf import maps
from syswatch.tracer.ebpf.following import Following
from syswatch.tracer.ebpf.scope import ControlGroup
from syswatch.tracer.ebpf.trace import Trace
from tests.machine.docker_server import DockerServer, listed
from tests.machine.fake_proc import CONTAINER
from tests.tracer.harness import start
from tests.tracer.programs import program

from .case import EbpfCase
from .test_scopes import begin, new_group, remove

_SCOPE = f"docker-{CONTAINER}.scope"


def _calls(delta: Delta, call: str = "getppid") -> dict[str, int]:
    """Return how often the groups made a call."""
    return {key.group: sums.count for key, sums in delta.groups.items() if key.call == call}


class GroupCase(EbpfCase):
    """A control group with some below it."""

    def setUp(self) -> None:
        """Create the group."""
        super().setUp()
        self.root = new_group()
        self.addCleanup(remove, self.root)

    def inner(self, name: str) -> Path:
        """Create a group below."""
        group = self.root / name
        group.mkdir()
        return group

    def key(self, name: str) -> str:
        """Return the key of a group below."""
        return f"cgroup:/{self.root.name}/{name}"

    def storm(self, name: str, count: int) -> None:
        """Run a program in a new group, which is removed then."""
        group = self.inner(name)
        process = begin(program("storm"), str(count), group=group)
        process.communicate("go\n")
        self.assertEqual(0, process.returncode)
        remove(group)

    def assert_complete(self, delta: Delta) -> None:
        """Check that the groups together have done what all processes have."""
        total = sum(delta.groups.values(), NO_SUMS)
        calls = delta.calls.values()
        self.assertEqual(
            (
                sum(tally.count for tally in calls),
                sum(tally.errors for tally in calls),
                sum(tally.total_ns for tally in calls),
                sum(tally.waits.waiting_ns for tally in calls),
                sum(tally.waits.ready_ns for tally in calls),
            ),
            (total.count, total.errors, total.total_ns, total.waiting_ns, total.ready_ns),
        )
        timed = sum(tally.timed for tally in calls)
        self.assertEqual(timed, sum(each.total for each in delta.group_times.values()))


class GroupTests(GroupCase):
    """The whole tracer."""

    def test_sums(self) -> None:
        """The sums of each group are exact, and those of all groups are those of all calls."""
        programs = {
            name: [begin(program("storm"), str(count), group=group) for count in (20, each)]
            for name, each in (("a", 20), ("b", 40), ("c", 60))
            for group in (self.inner(name),)
        }
        options = TraceOptions(backend="ebpf", group_by="container")
        tracer = start(Attach(group=str(self.root), options=options))
        tracer.await_start()
        for each in programs.values():
            for process in each:
                process.communicate("go\n")
        tracer.await_calls("getppid", 180)
        tracer.send(Detach())
        delta = tracer.finish().delta
        counts = _calls(delta)
        self.assertEqual(
            {"a": 40, "b": 60, "c": 80}, {name: counts[self.key(name)] for name in programs}
        )
        self.assert_complete(delta)
        info = delta.group_infos[self.key("a")]
        self.assertEqual((GroupKind.CGROUP, 1), (info.kind, info.lives))
        for name in programs:
            remove(self.root / name)

    def test_modes(self) -> None:
        """Without times, the calls are counted all the same."""
        options = TraceOptions(backend="ebpf", group_by="cgroup", mode="counts")
        tracer = start(Attach(group=str(self.root), options=options))
        tracer.await_start()
        self.storm("a", 20)
        tracer.await_calls("getppid", 20)
        tracer.send(Detach())
        delta = tracer.finish().delta
        self.assertEqual({self.key("a"): 20}, _calls(delta))
        self.assertEqual(0, by_group(delta.groups)[self.key("a")].total_ns)
        self.assert_complete(delta)

    def test_process_names(self) -> None:
        """Processes with the same name are one group, whatever their control group."""
        options = TraceOptions(backend="ebpf", group_by="process-name")
        tracer = start(Attach(group=str(self.root), options=options))
        tracer.await_start()
        self.storm("a", 20)
        self.storm("b", 40)
        tracer.await_calls("getppid", 60)
        tracer.send(Detach())
        delta = tracer.finish().delta
        self.assertEqual({"process:storm": 60}, _calls(delta))
        self.assertEqual({"process:sh", "process:storm"}, set(delta.group_infos))
        self.assert_complete(delta)

    def test_redacted(self) -> None:
        """A name that is masked elsewhere is masked as that of a group, too."""
        options = TraceOptions(backend="ebpf", group_by="process-name", redact=("sto.m",))
        tracer = start(Attach(group=str(self.root), options=options))
        tracer.await_start()
        self.storm("a", 20)
        tracer.await_calls("getppid", 20)
        tracer.send(Detach())
        self.assertEqual({"process:[redacted]": 20}, _calls(tracer.finish().delta))

    def test_renamed(self) -> None:
        """A process that changes its name is in another group then, however long both are."""
        names = ("fifteen-letters", "seven--", "eight---", "nine-----", "a")
        turns = f"for name in {' '.join(names)}; do printf %s $name >/proc/self/comm; cd /; done"
        options = TraceOptions(backend="ebpf", group_by="process-name")
        tracer = start(Attach(group=str(self.root), options=options))
        tracer.await_start()
        process = begin("sh", "-c", turns, group=self.root)
        process.communicate("go\n")
        self.assertEqual(0, process.returncode)
        tracer.await_calls("chdir", len(names))
        tracer.send(Detach())
        delta = tracer.finish().delta
        self.assertEqual({f"process:{name}": 1 for name in names}, _calls(delta, "chdir"))
        self.assert_complete(delta)


class ReadingTests(GroupCase):
    """The reader, without a service."""

    def begin_trace(self, **options: object) -> Trace:
        """Begin to trace the group."""
        scope = ControlGroup.open(str(self.root))
        trace = self.prepare_scope(scope, **{"group_by": "cgroup", **options})
        self.addCleanup(trace.reader.close)
        trace.following.begin()
        return trace

    def test_before_the_reader(self) -> None:
        """Calls that were made while the reader was imported count for their groups, too."""

        def begin(following: Following) -> None:
            following.begin()
            self.storm("a", 20)

        scope = ControlGroup.open(str(self.root))
        trace = self.prepare_scope(scope, None, begin, group_by="cgroup")
        self.addCleanup(trace.reader.close)
        delta = trace.reader.read(everything=True)
        self.assertEqual({self.key("a"): 20}, _calls(delta))
        self.assertEqual(0, delta.ledger.ungrouped_calls)
        self.assert_complete(delta)

    def test_gone(self) -> None:
        """A group that was removed before the first reading has its name."""
        trace = self.begin_trace()
        self.storm("a", 20)
        delta = trace.reader.read(everything=True)
        self.assertEqual({self.key("a"): 20}, _calls(delta))
        self.assertEqual(f"/{self.root.name}/a", delta.group_infos[self.key("a")].path)

    def test_restart(self) -> None:
        """A group that is made again under the same name continues its row."""
        trace = self.begin_trace()
        deltas = []
        for count in (20, 40):
            self.storm("a", count)
            deltas.append(trace.reader.read(everything=True))
        self.assertEqual([{self.key("a"): 20}, {self.key("a"): 40}], list(map(_calls, deltas)))
        total = deltas[0] + deltas[1]
        self.assertEqual(2, total.group_infos[self.key("a")].lives)

    def test_move(self) -> None:
        """What a process does counts for the group that it is in."""
        trace = self.begin_trace()
        first, second = self.inner("a"), self.inner("b")
        script = f"{program('storm')} 20; echo; read line; {program('storm')} 40"
        process = begin("sh", "-c", script, group=first)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        process.stdout.readline()
        (second / "cgroup.procs").write_text(str(process.pid))
        process.communicate("go\n")
        counts = _calls(trace.reader.read(everything=True))
        # A shell calls this when it begins.
        self.assertEqual(40, counts[self.key("b")])
        self.assertIn(counts[self.key("a")], (20, 21))
        for group in (first, second):
            remove(group)

    def test_depth(self) -> None:
        """Of a group at a great depth, the innermost names are known."""
        trace, folders = self.begin_trace(), [self.root]
        for each in range(14):
            folders.append(folders[-1] / f"{each}")
            folders[-1].mkdir()
        process = begin(program("storm"), "20", group=folders[-1])
        process.communicate("go\n")
        counts = _calls(trace.reader.read(everything=True))
        expected = "cgroup:/.../" + "/".join(str(each) for each in range(2, 14))
        self.assertEqual({expected: 20}, counts)
        for folder in reversed(folders[1:]):
            remove(folder)

    def test_most_groups(self) -> None:
        """The groups beyond the limit are added up, exactly, with each of their calls."""
        trace = self.begin_trace(most_groups=2)
        for name, count in (("a", 20), ("b", 40), ("c", 60), ("d", 80)):
            self.storm(name, count)
        trace.program.detach()
        delta = trace.reader.read(everything=True, is_last=True)
        self.assertEqual(
            {self.key("a"): 20, self.key("b"): 40, OTHER_GROUPS: 60 + 80}, _calls(delta)
        )
        self.assertEqual(by_group(delta.groups)[OTHER_GROUPS].count, delta.ledger.ungrouped_calls)
        self.assertTrue(delta.ledger.is_lossless)
        self.assert_complete(delta)

    def test_reuse(self) -> None:
        """A group without calls is freed for new ones, however many come and go."""
        trace, total = self.begin_trace(most_groups=4), Delta()
        for turn in range(12):
            self.storm(f"group{turn}", 20 * (turn + 1))
            for _ in range(2):
                total += trace.reader.read(everything=True)
        self.storm("group0", 40)
        trace.program.detach()
        total += trace.reader.read(everything=True, is_last=True)
        expected = {self.key(f"group{turn}"): 20 * (turn + 1) for turn in range(12)}
        expected[self.key("group0")] += 40
        self.assertEqual(expected, _calls(total))
        self.assertEqual(0, total.ledger.ungrouped_calls)
        self.assert_complete(total)

    def test_sums_alone(self) -> None:
        """While only sums are read, groups come and go as well, and their durations are kept."""
        trace, total = self.begin_trace(most_groups=4), Delta()
        for turn in range(12):
            self.storm(f"group{turn}", 20)
            for _ in range(2):
                news = trace.reader.read_sums()
                self.assertEqual({}, news.processes)
                total += news
        self.assertEqual({self.key(f"group{turn}"): 20 for turn in range(12)}, _calls(total))
        trace.program.detach()
        total += trace.reader.read(everything=True, is_last=True)
        self.assertEqual(0, total.ledger.ungrouped_calls)
        self.assert_complete(total)

    def test_return(self) -> None:
        """A group that was freed and makes calls again continues its row, as the same one."""
        trace, total, kept = self.begin_trace(most_groups=2), Delta(), self.inner("kept")
        for turn in range(3):
            process = begin(program("storm"), "20", group=kept)
            process.communicate("go\n")
            total += trace.reader.read(everything=True)
            for name in ("a", "b"):
                self.storm(f"{name}{turn}", 20)
                for _ in range(2):
                    total += trace.reader.read(everything=True)
        remove(kept)
        self.assertEqual(60, _calls(total)[self.key("kept")])
        self.assertEqual(1, total.group_infos[self.key("kept")].lives)

    def runtime(self) -> DockerServer:
        """Start a container runtime that does not answer yet."""
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(rmtree, folder)
        sockets = RuntimeSockets((folder / "docker.sock",))
        self.patch(tables, "RuntimeSockets", lambda: sockets)
        docker = DockerServer.start(self, folder / "docker.sock", listed(CONTAINER, "web"))
        docker.may_answer.clear()
        return docker

    def test_runtime(self) -> None:
        """What a container does is held back until its runtime tells the name; the rest is not."""
        docker = self.runtime()
        trace = self.begin_trace(group_by="container")
        self.storm(_SCOPE, 20)
        self.storm("a", 40)
        total = trace.reader.read(everything=True)
        self.assertEqual({self.key("a"): 40}, _calls(total))
        self.storm(_SCOPE, 60)
        total += trace.reader.read(everything=True)
        self.assertEqual({self.key("a"): 40}, _calls(total))
        docker.may_answer.set()
        # The answer may come while the first of two groups has just been looked up.
        while sum(_calls(total).values()) < 40 + 80:
            total += trace.reader.read(everything=True)
        self.assertEqual({self.key("a"): 40, "docker:web": 80}, _calls(total))
        self.assertEqual(2, total.group_infos["docker:web"].lives)
        trace.program.detach()
        total += trace.reader.read(everything=True, is_last=True)
        self.assert_complete(total)

    def test_runtime_at_the_end(self) -> None:
        """A trace that ends before the answer waits a moment, and is complete without it, too."""
        docker = self.runtime()
        for key in (f"docker:{CONTAINER[:12]}", "docker:web"):
            trace = self.begin_trace(group_by="container")
            self.storm(_SCOPE, 20)
            trace.program.detach()
            delta = trace.reader.read(everything=True, is_last=True)
            self.assertEqual({key: 20}, _calls(delta))
            self.assert_complete(delta)
            docker.may_answer.set()
            sockets = RuntimeSockets((docker.path,))
            self.patch(tables, "RuntimeSockets", lambda sockets=sockets: sockets)

    def test_rows(self) -> None:
        """Calls beyond the rows of a group are in one row, and its sums are complete."""
        self.patch(maps, "_ROWS_OF_GROUP", 1)
        trace = self.begin_trace(most_groups=2)
        self.storm("a", 20)
        trace.program.detach()
        delta = trace.reader.read(everything=True, is_last=True)
        rows = {key.call: sums for key, sums in delta.groups.items()}
        self.assertEqual(3, len(rows) - 1)
        self.assertIsInstance(rows[OTHER_CALLS], Sums)
        self.assertEqual({self.key("a")}, {key.group for key in delta.groups})
        self.assert_complete(delta)
