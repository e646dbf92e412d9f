"""Tests that what is recorded of each call adds up to what is counted."""

import os
import signal
import tempfile
from collections import Counter
from pathlib import Path

from syswatch.codec.events import Flag
from syswatch.model.activity import ActivityKey
from syswatch.model.messages import Attach, Detach, RunCommand
from tests.tracer.harness import Outcome, start
from tests.tracer.programs import program
from tests.tracer.recorded import sums_of
from tests.unmeasured import unmeasured

from .abis import program_32
from .case import BackendCase
from .targets import Target

_SCRIPT = "cat /etc/hosts /none | wc -c; (exit 3); kill -TERM $$"
_CHANGING = frozenset({"getrandom", "set_tid_address"})
Row = tuple[int, int, int, int, int]


class RecordingCase(BackendCase):
    """Compares events with deltas."""

    def assert_adds_up(self, outcome: Outcome) -> None:
        """Check counts, errors, times, waits, objects and bytes, and that nothing is missing."""
        recorded, delta = outcome.recorded, outcome.delta
        self.assertEqual(sums_of(delta.calls), recorded.sums)
        self.assertEqual((), recorded.losses)
        for cpu in {event.cpu for event in recorded.events}:
            numbers = sorted(event.sequence for event in recorded.events if event.cpu == cpu)
            self.assertEqual(list(range(len(numbers))), numbers)
        if delta.activity:
            self.assertEqual(rows_of_delta(outcome), rows_of_events(outcome))


def rows_of_delta(outcome: Outcome) -> dict[ActivityKey, Row]:
    """Return calls, errors, bytes and times of each row of the activity."""
    return {
        key: (row.count, row.errors, row.bytes_in + row.bytes_out, row.waiting_ns, row.ready_ns)
        for key, row in outcome.delta.activity.items()
    }


def rows_of_events(outcome: Outcome) -> dict[ActivityKey, Row]:
    """Return the same of the events."""
    found: dict[ActivityKey, Row] = {}
    for event in outcome.recorded.events:
        if event.flags & Flag.UNFINISHED:
            continue
        key = ActivityKey(event.pid, event.tid, event.object, event.name)
        row = (
            int(event.has_returned),
            int(bool(event.flags & Flag.FAILED)),
            event.bytes,
            event.waiting_ns,
            event.ready_ns,
        )
        former = found.get(key, (0,) * len(row))
        found[key] = tuple(map(sum, zip(former, row, strict=True)))  # type: ignore[assignment]
    return found


class RecordingContract(RecordingCase):
    """Every call that is counted, and no other one."""

    def test_processes(self) -> None:
        """Processes, pipes and errors."""
        outcome = self.record("sh", "-c", f"{program('storm')} 40; {_SCRIPT}")
        self.assert_adds_up(outcome)
        failed = [event for event in outcome.recorded.named("openat") if event.error == "ENOENT"]
        self.assertEqual(outcome.delta.calls["openat"].errnos["ENOENT"], len(failed))

    @unmeasured()
    def test_order(self) -> None:
        """The calls of a thread follow each other."""
        outcome = self.record(program("threads"))
        self.assert_adds_up(outcome)
        latest: dict[int, int] = {}
        for event in sorted(outcome.recorded.calls, key=lambda event: event.start_ns):
            self.assertLessEqual(latest.get(event.tid, 0), event.start_ns)
            latest[event.tid] = event.end_ns
        calls = Counter(event.tid for event in outcome.recorded.named("getppid"))
        self.assertEqual((200, {10}), (len(calls), set(calls.values())))

    def test_exec_by_thread(self) -> None:
        """After execve by another thread, its calls are those of the leader."""
        outcome = self.record(program("thread_exec"))
        # The rows of the activity may have the calls since the last flush under the new ID.
        self.assertEqual(sums_of(outcome.delta.calls), outcome.recorded.sums)
        *_, replaced = outcome.recorded.named("execve")
        self.assertEqual(replaced.pid, replaced.tid)

    def test_waits(self) -> None:
        """A call that waited says for how long."""
        outcome = self.record(program("waiting"))
        self.assert_adds_up(outcome)
        waited = [event for event in outcome.recorded.calls if event.flags & Flag.WAITED]
        self.assertEqual({True}, {event.waiting_ns > 0 for event in waited})

    def test_copies(self) -> None:
        """What is copied is recorded for both objects."""
        source = Path(self.mktemp()).absolute()
        source.write_text("x" * 100_000)
        outcome = self.record(program("copies"), str(source), f"{source}.copy")
        self.assert_adds_up(outcome)
        moved = [event for event in outcome.recorded.events if event.flags & Flag.MOVED]
        calls = {(event.tid, event.start_ns, event.name) for event in outcome.recorded.calls}
        self.assertEqual({"sendfile", "copy_file_range"}, {event.name for event in moved})
        self.assertEqual(set(), {(e.tid, e.start_ns, e.name) for e in moved} - calls)

    def test_other_interfaces(self) -> None:
        """Calls of 32-bit programs, and those of 64-bit programs through other interfaces."""
        outcome = self.record(program_32())
        self.assert_adds_up(outcome)
        self.assertIn("write@i386", outcome.recorded.sums)
        outcome = self.record(program("x32"))
        self.assert_adds_up(outcome)
        self.assertTrue(any(name.endswith("@x32") for name in outcome.recorded.sums))

    def test_filters(self) -> None:
        """What is not counted is not recorded."""
        for options in (
            {"trace": "read,openat"},
            {"status": "failed"},
            {"status": "successful"},
            {"paths": ("/etc/hosts",)},
            {"follow_children": False},
            {"objects": False},
        ):
            outcome = self.record("sh", "-c", _SCRIPT, **options)
            self.assert_adds_up(outcome)
            self.assertTrue(outcome.recorded.calls)

    def test_arguments(self) -> None:
        """The raw arguments are those of the call."""
        event = next(
            event
            for event in self.record("cat", "/etc/hosts").recorded.named("openat")
            if event.result >= 0
        )
        directory, _, flags, *_ = event.arguments
        self.assertEqual((0xFFFFFF9C, os.O_CLOEXEC), (directory & 0xFFFFFFFF, flags))
        self.assertFalse(event.flags & Flag.NO_ARGUMENTS)

    def test_no_arguments(self) -> None:
        """Without arguments there are neither raw ones nor texts of them."""
        outcome = self.record("cat", "/etc/hosts", read_arguments=False, decode_all=True)
        self.assert_adds_up(outcome)
        for event in outcome.recorded.events:
            self.assertEqual((0,) * 6, event.arguments)
            self.assertTrue(event.flags & Flag.NO_ARGUMENTS)
        self.assertFalse("hosts" in str((outcome.recorded.texts, outcome.recorded.lives)))

    def test_exit(self) -> None:
        """The call in which a thread ends has not returned."""
        outcome = self.record("true")
        (event,) = outcome.recorded.unfinished
        self.assertEqual("exit_group", event.name)
        text = outcome.recorded.text_of(event)
        assert text is not None
        self.assertEqual(("0", "?"), (text.arguments, text.result))

    def test_killed(self) -> None:
        """So has the call in which a process is killed."""
        wait = "until grep -q nanosleep /proc/$!/wchan; do :; done"
        outcome = self.record("sh", "-c", f"sleep 1000 & {wait}; kill -KILL $!")
        self.assert_adds_up(outcome)
        names = {event.name for event in outcome.recorded.unfinished}
        self.assertIn("clock_nanosleep", names)

    def test_attached(self) -> None:
        """A call from before the trace to after it has neither a beginning nor an end."""
        target = Target.begin("sh", "-c", "echo ready; read line; exit 42")
        self.addCleanup(target.end)
        tracer = start(Attach((target.pid,), options=self.options()), records=True)
        tracer.await_start()
        tracer.await_now(target.pid, "read")
        tracer.send(Detach())
        outcome = tracer.finish()
        self.assert_adds_up(outcome)
        (event,) = outcome.recorded.unfinished
        self.assertEqual((target.pid, target.pid, "read"), (event.pid, event.tid, event.name))
        self.assertTrue(event.flags & Flag.UNTIMED)
        self.assertEqual(0, event.arguments[0])
        (life,) = outcome.recorded.lives
        self.assertEqual((target.pid, None), (life.pid, life.start_ns))
        self.assertEqual("sh -c echo ready; read line; exit 42", life.command_line)

    def test_untimed(self) -> None:
        """A call from before the trace that returns is counted without its duration."""
        target = Target.begin("sh", "-c", "echo ready; read line; exit 42")
        tracer = start(Attach((target.pid,), options=self.options()), records=True)
        tracer.await_start()
        tracer.await_now(target.pid, "read")
        self.assertEqual(42, target.end())
        outcome = tracer.finish()
        self.assert_adds_up(outcome)
        first = min(outcome.recorded.calls, key=lambda event: event.end_ns)
        self.assertEqual("read", first.name)
        self.assertTrue(first.flags & Flag.UNTIMED)
        (life,) = {life.pid: life for life in outcome.recorded.lives}.values()
        self.assertEqual(42, life.exit_code)

    def test_in_progress(self) -> None:
        """A call in progress when the trace ends began when it was reported to."""
        read_end, write_end = os.pipe()
        job = RunCommand(("cat",), options=self.options())
        tracer = start(job, stdin=read_end, records=True)
        os.close(read_end)
        pid = tracer.await_start().process.pid
        now = tracer.await_now(pid, "read")
        tracer.send(Detach())
        # A tracer that stays with the command does so until the input ends.
        tracer.receive_all()
        os.close(write_end)
        outcome = tracer.finish()
        self.assert_adds_up(outcome)
        (event,) = outcome.recorded.unfinished
        self.assertEqual((now.object, now.since_ns), (event.object, event.start_ns))
        text = outcome.recorded.text_of(event)
        assert text is not None
        self.assertTrue(text.arguments.startswith("0, "))


class RecordedTextContract(RecordingCase):
    """The texts of recorded calls."""

    def test_logged(self) -> None:
        """What is logged has the same text."""
        outcome = self.record("cat", "/etc/hosts", "/none")
        texts = {(text.tid, text.start_ns): text for text in outcome.recorded.texts}
        self.assertTrue(outcome.delta.log)
        for entry in outcome.delta.log:
            assert entry.time_ns is not None
            text = texts[entry.pid, entry.time_ns]
            self.assertEqual((entry.args, entry.ret), (text.arguments, text.result))

    @unmeasured()
    def test_all(self) -> None:
        """Every call has a text if all are decoded, even if nothing is logged."""
        logged = self.record("cat", "/etc/hosts", "/none").delta.log
        outcome = self.record("cat", "/etc/hosts", "/none", decode_all=True, log_rate=0)
        self.assert_adds_up(outcome)
        self.assertEqual((), outcome.delta.log)
        shown: Counter[tuple[str, str, str]] = Counter()
        for event in outcome.recorded.events:
            text = outcome.recorded.text_of(event)
            assert text is not None, event
            shown[event.name, text.arguments, text.result] += 1
        # Addresses and random bytes differ from one process to the next.
        expected = Counter(
            (entry.name, entry.args, entry.ret)
            for entry in logged
            if "0x" not in entry.args + entry.ret and entry.name not in _CHANGING
        )
        self.assertTrue(any("/etc/hosts" in arguments for _, arguments, _ in expected))
        self.assertEqual(Counter(), expected - shown)

    def test_secrets(self) -> None:
        """Masked and shortened texts are so before they are recorded."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "password=TopSecret"
            path.write_text("x" * 100)
            outcome = self.record(
                *("cat", str(path)),
                redact=("password=\\S+",),
                string_limit=7,
                decode_all=True,
                log_rate=0,
            )
        found = "TopSecret" in str((outcome.recorded.texts, outcome.recorded.lives))
        self.assertFalse(found)
        reads = [outcome.recorded.text_of(event) for event in outcome.recorded.named("read")]
        self.assertTrue(any(text and '"xxxxxxx"...' in text.arguments for text in reads))


class LifeContract(RecordingCase):
    """What is recorded of processes."""

    def test_endings(self) -> None:
        """Parents, command lines, and how they ended."""
        script = "(exit 3); sh -c 'kill -9 $$'; cat /dev/null; exit 7"
        recorded = self.record("sh", "-c", script).recorded
        lives = [recorded.life_of(pid) for pid in {life.pid for life in recorded.lives}]
        by_code = {life.exit_code: life for life in lives}
        shell, subshell = by_code[7], by_code[3]
        self.assertEqual(f"sh -c {script}", shell.command_line)
        self.assertEqual((shell.pid, shell.command_line), (subshell.parent, subshell.command_line))
        killed = next(life for life in lives if life.exit_signal == signal.SIGKILL)
        self.assertEqual("sh -c kill -9 $$", killed.command_line)
        cat = by_code[0]
        self.assertEqual(("cat", "cat /dev/null"), (cat.command, cat.command_line))
        self.assertEqual(4, len(lives))
        assert shell.start_ns is not None
        for life in lives:
            assert life.start_ns is not None
            assert life.end_ns is not None
            ends = [event.end_ns for event in recorded.calls if event.pid == life.pid]
            self.assertLessEqual(shell.start_ns, life.start_ns)
            self.assertLessEqual(max(ends), life.end_ns)
