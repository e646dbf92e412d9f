"""Tests of recorded calls: they agree with what is counted, and what is missing is known."""

import ctypes
import os
import re
from collections import Counter
from pathlib import Path

from syswatch.codec.events import EVENT, Flag
from syswatch.model.activity import Activity
from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectKind, object_id
from syswatch.tracer.ebpf import event_layout, maps, reuse
from syswatch.tracer.ebpf.relocated import OBJECT
from syswatch.tracer.ebpf.trace import Trace
from syswatch.tracer.event_pipe import EventPipe
from tests.tracer.contract.abis import program_32
from tests.tracer.contract.targets import Target
from tests.tracer.harness import PATIENCE_S
from tests.tracer.programs import program
from tests.tracer.recorded import EventReader, Recorded, sums_of
from tests.unmeasured import unmeasured

from .case import EbpfCase

_SCRIPT = "cat /etc/hosts /none | wc; (exit 3); kill -TERM $$"


def check_sums(case: EbpfCase, recorded: Recorded, delta: Delta) -> None:
    """Compare counts, errors, times and waits of each call."""
    case.assertEqual(sums_of(delta.calls), recorded.sums)
    case.assertEqual((), recorded.losses)
    case.assertEqual(0, delta.ledger.lost_events)


def check_total(case: EbpfCase, recorded: Recorded, delta: Delta) -> None:
    """Check that each call was recorded or counted as lost, also those that never returned."""
    counted = sum(tally.count for tally in delta.calls.values())
    exits = sum(thread.has_ended for thread in delta.threads.values())
    held = len(recorded.calls) + len(recorded.unfinished)
    case.assertEqual(counted + exits, held + sum(loss.calls for loss in recorded.losses))


def by_row(recorded: Recorded) -> dict[tuple[int, int, int, str], tuple[int, int]]:
    """Return count and bytes of the calls of each row of the activity."""
    found: dict[tuple[int, int, int, str], tuple[int, int]] = {}
    for event in recorded.events:
        if not event.flags & Flag.UNFINISHED:
            key = event.pid, event.tid, event.object, event.name
            count, size = found.get(key, (0, 0))
            found[key] = count + event.has_returned, size + event.bytes
    return found


def of_activity(activity: Activity) -> dict[tuple[int, int, int, str], tuple[int, int]]:
    """Return the same of an activity."""
    return {
        (key.pid, key.tid, key.object, key.call): (row.count, row.bytes_in + row.bytes_out)
        for key, row in activity.items()
    }


def gaps(recorded: Recorded) -> int:
    """Return how many sequence numbers are missing, of which there are none at the end."""
    missing = 0
    for cpu in {event.cpu for event in recorded.events}:
        numbers = [event.sequence for event in recorded.events if event.cpu == cpu]
        missing += numbers[-1] + 1 - len(numbers)
        assert numbers == sorted(set(numbers))
    return missing


class LayoutTests(EbpfCase):
    """The header and the codec describe the same."""

    def test_flags(self) -> None:
        """Flags have the same numbers, and an event the same size."""
        text = OBJECT.with_name("event_layout.h").read_text()
        numbers = {name: int(value) for name, value in re.findall(r"#define (\w+) (\d+)", text)}
        # Only the ptrace backend knows what a call names besides its object.
        for flag in set(Flag) - {Flag.NAMED}:
            self.assertEqual(flag, numbers[f"EVENT_{flag.name}"])
        self.assertEqual(EVENT.size, ctypes.sizeof(event_layout.Event))
        self.assertEqual(event_layout.COMMAND_LINE, numbers["COMMAND_LINE"])
        self.assertEqual(event_layout.UNKNOWN_NUMBER, numbers["UNKNOWN_NUMBER"])

    def test_sizes(self) -> None:
        """The rings of all CPUs have a limit, those of each CPU a minimum."""
        self.assertEqual(
            [131072, 65536, 32768, 4096], [maps.events_of_cpu(n) for n in (1, 4, 8, 64)]
        )
        self.assertEqual(4096, maps.events_of_cpu(512))


class AgreementTests(EbpfCase):
    """Every call is recorded as it is counted."""

    def test_processes(self) -> None:
        """Processes, pipes, errors and signals."""
        outcome = self.record("sh", "-c", f"{program('storm')} 200; {_SCRIPT}")
        check_sums(self, outcome.recorded, outcome.delta)
        self.assertEqual(0, gaps(outcome.recorded))
        self.assertEqual(of_activity(outcome.delta.activity), by_row(outcome.recorded))
        known = outcome.delta.objects.keys()
        self.assertEqual(
            set(), {e.object for e in outcome.recorded.events if e.object > 31} - known
        )

    def test_threads(self) -> None:
        """Threads on several CPUs."""
        outcome = self.record(program("short_threads"), "300")
        check_sums(self, outcome.recorded, outcome.delta)
        self.assertEqual(of_activity(outcome.delta.activity), by_row(outcome.recorded))
        calls = Counter(event.tid for event in outcome.recorded.named("getppid"))
        self.assertEqual((300, {100}), (len(calls), set(calls.values())))

    @unmeasured()
    def test_many(self) -> None:
        """A million calls of eight threads, of which each makes one after the other."""
        outcome = self.record(program("total"), "125000")
        self.assertEqual(outcome.counts["getppid"], (1_000_000, 0))
        recorded = outcome.recorded
        check_total(self, recorded, outcome.delta)
        self.assertLess(30_000, len(recorded.named("getppid")))
        latest: dict[int, int] = {}
        for event in sorted(recorded.events, key=lambda event: event.start_ns):
            self.assertGreaterEqual(event.start_ns, latest.get(event.tid, 0))
            latest[event.tid] = event.end_ns if event.has_returned else event.start_ns

    def test_waits(self) -> None:
        """A call that waits says for how long."""
        outcome = self.record(program("waiting"))
        check_sums(self, outcome.recorded, outcome.delta)
        waits = outcome.recorded.named("recvfrom")
        self.assertEqual(20, sum(bool(event.flags & Flag.WAITED) for event in waits))
        self.assertGreater(sum(event.waiting_ns for event in waits), 20 * 4_000_000)
        self.assertEqual(0, sum(event.waiting_ns for event in outcome.recorded.named("getppid")))

    def test_bytes(self) -> None:
        """Bytes are those of the objects, also of the second one of a copy."""
        source = Path(self.mktemp()).absolute()
        source.write_bytes(b"x" * 5000)
        outcome = self.record(program("copies"), str(source), f"{source}.copy")
        check_sums(self, outcome.recorded, outcome.delta)
        self.assertEqual(of_activity(outcome.delta.activity), by_row(outcome.recorded))
        moved = [event for event in outcome.recorded.events if event.flags & Flag.MOVED]
        calls = {(event.tid, event.start_ns, event.name) for event in outcome.recorded.calls}
        self.assertTrue(moved)
        self.assertEqual(set(), {(e.tid, e.start_ns, e.name) for e in moved} - calls)

    def test_32_bits(self) -> None:
        """Calls of a 32-bit program, and of the other interfaces of a 64-bit one."""
        outcome = self.record(program_32())
        check_sums(self, outcome.recorded, outcome.delta)
        self.assertIn("write@i386", outcome.recorded.sums)
        outcome = self.record(program("x32"))
        check_sums(self, outcome.recorded, outcome.delta)

    def test_filters(self) -> None:
        """What is not counted is not recorded."""
        for options in (
            {"trace": "read,openat"},
            {"status": "failed"},
            {"status": "successful"},
            {"paths": ("/etc/hosts",)},
            {"follow_children": False},
        ):
            outcome = self.record("sh", "-c", _SCRIPT, **options)
            check_sums(self, outcome.recorded, outcome.delta)
            self.assertTrue(outcome.recorded.events)

    def test_counts_only(self) -> None:
        """Without objects or details, calls are recorded all the same."""
        for options in ({"objects": False}, {"mode": "counts"}):
            outcome = self.record("cat", "/etc/hosts", **options)
            check_sums(self, outcome.recorded, outcome.delta)
            self.assertEqual({0}, {event.object for event in outcome.recorded.events})
            self.assertEqual(0, sum(bool(e.flags & Flag.UNTIMED) for e in outcome.recorded.calls))

    def test_arguments(self) -> None:
        """Raw arguments are those of the call, unless they are not read."""
        read = self.record("cat", "/etc/hosts", trace="openat").recorded.events[-1]
        self.assertEqual((0xFFFFFF9C, 0), (read.arguments[0] & 0xFFFFFFFF, read.arguments[2]))
        for event in self.record("cat", "/etc/hosts", read_arguments=False).recorded.events:
            self.assertEqual((0,) * 6, event.arguments)
            self.assertTrue(event.flags & Flag.NO_ARGUMENTS)


class LossTests(EbpfCase):
    """A reader that is late."""

    def begin(self, *command: str) -> tuple[Trace, Target]:
        """Trace a command without reading."""
        read_end, write_end = os.pipe()
        self.reader = EventReader(read_end)
        self.pipe = EventPipe(write_end)
        script = " ".join(command)
        target = Target.begin("sh", "-c", f"echo ready; read line; {script}; exit 42")
        self.addCleanup(target.process.kill)
        trace = self.prepare_recording(self.pipe)
        self.addCleanup(trace.reader.close)
        trace.following.take(target.pid, 0)
        trace.following.begin()
        return trace, target

    def test_stalled(self) -> None:
        """What does not fit is counted exactly, and the gaps of the numbers are as large."""
        self.patch(maps, "MOST_EVENTS", 512)
        cpus = sorted(os.sched_getaffinity(0))
        later = [f"echo ok; read line; taskset -c {cpu} true" for cpu in cpus]
        trace, target = self.begin("; ".join((f"{program('total')} 50000", *later)))
        recording = trace.reader.recording
        assert recording is not None
        assert target.process.stdin is not None
        for _ in (None, *cpus):
            target.process.stdin.write(b"go\n")
            target.process.stdin.flush()
            if target.output.readline():
                recording.read()
        self.assertEqual(42, target.end())
        delta = trace.finish()
        self.pipe.finish()
        recorded = self.reader.finish(PATIENCE_S)
        missing = sum(loss.calls for loss in recorded.losses)
        self.assertGreater(missing, 100_000)
        self.assertEqual(missing, gaps(recorded))
        check_total(self, recorded, delta)

    def test_reused_objects(self) -> None:
        """The number of an object may be used for another one; its calls keep theirs."""
        self.patch(reuse, "_MOST_OBJECTS", 20)
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        trace, target = self.begin(f"while read name; do echo x > {folder}/$name; echo ok; done")
        assert target.process.stdin is not None
        names = [f"{turn}-{number}" for turn in range(6) for number in range(20)]
        target.process.stdin.write(b"go\n")
        for place, name in enumerate(names):
            target.process.stdin.write(f"{name}\n".encode())
            target.process.stdin.flush()
            self.assertEqual(b"ok\n", target.output.readline())
            if place % 10 == 9:
                trace.reader.read(everything=True)
        self.assertEqual(42, target.end())
        trace.finish()
        self.pipe.finish()
        recorded = self.reader.finish(PATIENCE_S)
        found = Counter(event.object for event in recorded.named("write"))
        for name in names:
            self.assertEqual(1, found[object_id(ObjectKind.FILE, f"{folder}/{name}")], name)
        self.assertLess(trace.program.totals.unused_objects, 32 + 80)
