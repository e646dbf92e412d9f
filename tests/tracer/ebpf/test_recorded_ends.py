"""Tests of recorded calls that have no beginning or no end, of texts, and of processes."""

import os
import signal

from syswatch.codec.events import Flag
from syswatch.model.messages import Attach, Detach, RunCommand
from syswatch.tracer.event_pipe import EventPipe
from tests.tracer.contract.targets import Target
from tests.tracer.harness import Outcome, Tracer, start
from tests.tracer.programs import program
from tests.tracer.recorded import sums_of

from .case import EbpfCase


class EndTests(EbpfCase):
    """Calls without a beginning or an end."""

    def record_attached(self, target: Target) -> Outcome:
        """Attach to a target that waits for input, and detach."""
        tracer = start(Attach((target.pid,), options=self.options()), records=True)
        tracer.await_start()
        tracer.await_now(target.pid, "read")
        tracer.send(Detach())
        return tracer.finish()

    def test_in_progress(self) -> None:
        """A call in progress when tracing ends, which began before it did."""
        target = Target.begin("sh", "-c", "echo ready; read line; read other; exit 42")
        self.addCleanup(target.process.kill)
        (event,) = self.record_attached(target).recorded.unfinished
        self.assertEqual((target.pid, target.pid, "read"), (event.pid, event.tid, event.name))
        self.assertTrue(event.flags & Flag.UNTIMED)
        self.assertEqual(0, event.arguments[0])

    def test_timed(self) -> None:
        """A call in progress that began in the trace, with its object and text."""
        tracer, write_end = self.start_recording("cat")
        pid = tracer.await_start().process.pid
        thread = tracer.await_now(pid, "read")
        tracer.send(Detach())
        os.close(write_end)
        outcome = tracer.finish()
        ended = [e for e in outcome.recorded.unfinished if e.name == "read"]
        # The end of its input may have ended it first.
        for event in ended:
            self.assertEqual((thread.object, thread.since_ns), (event.object, event.start_ns))
            text = outcome.recorded.text_of(event)
            assert text is not None
            self.assertTrue(text.arguments.startswith("0, "))
        self.assertEqual(sums_of(outcome.delta.calls), outcome.recorded.sums)

    def start_recording(self, *command: str) -> tuple[Tracer, int]:
        """Start a command whose input is a pipe; return also the end to write to."""
        read_end, write_end = os.pipe()
        job = RunCommand(argv=command, options=self.options())
        tracer = start(job, stdin=read_end, records=True)
        os.close(read_end)
        return tracer, write_end


class TextTests(EbpfCase):
    """Texts of calls."""

    def test_all(self) -> None:
        """Every call has its text if all are decoded."""
        outcome = self.record("cat", "/etc/hosts", decode_all=True, log_rate=0)
        self.assertGreater(len(outcome.recorded.events), 20)
        texts = [outcome.recorded.text_of(event) for event in outcome.recorded.events]
        self.assertNotIn(None, texts)
        opened = [text.arguments for text in texts if text and '"/etc/hosts"' in text.arguments]
        self.assertTrue(opened)

    def test_too_many(self) -> None:
        """Calls that are made faster than they are decoded are recorded without texts."""
        outcome = self.record(program("total"), "20000", decode_all=True)
        recorded = outcome.recorded
        lost = sum(loss.calls for loss in recorded.losses)
        self.assertGreaterEqual(len(recorded.named("getppid")) + lost, 160_000)
        self.assertGreater(len(recorded.named("getppid")), 60_000)
        self.assertTrue(recorded.texts)
        starts = {(event.tid, event.start_ns) for event in recorded.events}
        self.assertEqual([], [text for text in recorded.texts if text[:2] not in starts][lost:])

    def test_recorder_ends(self) -> None:
        """Tracing continues if the recorder ends."""
        read_end, write_end = os.pipe()
        os.close(read_end)
        script = "echo ready; read line; echo ok; read line; cat /etc/hosts; exit 42"
        target = Target.begin("sh", "-c", script)
        self.addCleanup(target.process.kill)
        pipe = EventPipe(write_end)
        trace = self.prepare_recording(pipe)
        self.addCleanup(trace.reader.close)
        trace.following.take(target.pid, 0)
        trace.following.begin()
        recording = trace.reader.recording
        assert recording is not None
        assert target.process.stdin is not None
        target.process.stdin.write(b"go\n")
        target.process.stdin.flush()
        self.assertEqual(b"ok\n", target.output.readline())
        recording.read()
        self.assertFalse(pipe.is_open)
        self.assertEqual(42, target.end())
        recording.read()
        ring = recording._ring
        self.assertEqual(list(ring.ends()), ring._rings[8::16].tolist()[: trace.program.cpus])
        self.assertGreater(sum(ring.ends()), 20)
        self.assertEqual(1, trace.finish().processes[target.pid].lives)
        pipe.finish()

    def test_order(self) -> None:
        """What is logged has its text, too."""
        outcome = self.record("cat", "/etc/hosts")
        logged = {(entry.pid, entry.time_ns) for entry in outcome.delta.log}
        texts = {(text.tid, text.start_ns) for text in outcome.recorded.texts}
        self.assertTrue(logged)
        self.assertEqual(set(), logged - texts)


class LifeTests(EbpfCase):
    """Processes."""

    def test_endings(self) -> None:
        """Commands, parents and endings, also of a process that runs no other program."""
        script = "(exit 3); sh -c 'kill -9 $$'; cat /dev/null; exit 7"
        outcome = self.record("sh", "-c", script)
        lives = {life.pid: outcome.recorded.life_of(life.pid) for life in outcome.recorded.lives}
        (shell,) = (life for life in lives.values() if life.exit_code == 7)
        self.assertEqual(f"sh -c {script}", shell.command_line)
        (subshell,) = (life for life in lives.values() if life.exit_code == 3)
        self.assertEqual((shell.pid, shell.command_line), (subshell.parent, subshell.command_line))
        (killed,) = (life for life in lives.values() if life.exit_signal == signal.SIGKILL)
        self.assertEqual("sh -c kill -9 $$", killed.command_line)
        (cat,) = (life for life in lives.values() if life.command == "cat")
        self.assertEqual("cat /dev/null", cat.command_line)
        self.assertEqual(4, len(lives))
        for life in lives.values():
            events = [e for e in outcome.recorded.calls if e.pid == life.pid]
            assert life.start_ns is not None
            assert life.end_ns is not None
            self.assertLessEqual(shell.start_ns or 0, life.start_ns)
            self.assertGreaterEqual(life.end_ns, max(event.end_ns for event in events))

    def test_long(self) -> None:
        """A long command line is cut if the process does not live long enough."""
        outcome = self.record("sh", "-c", f"true {'x' * 1000}; exec sleep 0.5")
        life = outcome.recorded.life_of(outcome.recorded.events[0].pid)
        self.assertEqual("sleep 0.5", life.command_line)

    def test_secrets(self) -> None:
        """Secrets are masked."""
        outcome = self.record("sh", "-c", "true password=1234", redact=("password=\\S+",))
        self.assertNotIn("1234", str(outcome.recorded.lives))
