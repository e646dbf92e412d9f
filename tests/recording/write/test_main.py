"""Tests of the recorder as a process: what is on the disk, whatever happens to it."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import attrs
from hypothesis import settings
from twisted.trial.unittest import SkipTest, TestCase

from syswatch.codec.event_frames import Kind, Life, Loss
from syswatch.codec.recorder_reports import ReportDecoder
from syswatch.codec.recording import DELTAS
from syswatch.model.messages import Ended, Failed, Started
from syswatch.model.recording import RecordingState
from syswatch.recording import manifest, segments
from syswatch.recording.extra import load

from .processes import RunningRecorder
from .test_tables import event


def events_now(count: int) -> bytes:
    """Return events that begin now."""
    now_ns = time.time_ns()
    return b"".join(event(now_ns + index, duration_ns=1) for index in range(count))


def starts_in(folder: Path) -> list[int]:
    """Return when the recorded calls began, in the order of the segments."""
    parquet = load("pyarrow.parquet")
    return [
        start
        for number in segments.numbers_in(folder, segments.CALLS)
        for start in parquet.read_table(
            folder / segments.CALLS / segments.name_of(number), columns=["start"]
        )["start"]
        .cast("int64")
        .to_pylist()
    ]


class ProcessTests(TestCase):
    """A recorder that is fed through its pipes."""

    def setUp(self) -> None:
        """Name a directory."""
        self.folder = Path(self.mktemp()).absolute()

    def test_everything(self) -> None:
        """All that is sent is on the disk at the end, and in the last report."""
        with RunningRecorder(self.folder) as recorder:
            recorder.send(Started("ptrace"))
            recorder.send_records(Kind.LIVES, [Life(5, None, 1, "dd", "dd")])
            recorder.send_records(Kind.LOSSES, [Loss(7, 1_700_000_000, 2)])
            for _ in range(3):
                recorder.send_events(events_now(1000))
            (state,) = recorder.end(Ended(exit_signal=9))

        self.assertEqual((3000, 2, ""), (state.calls, state.lost, state.trouble))
        self.assertTrue(state.is_complete)
        self.assertEqual(3000, len(starts_in(self.folder)))
        about = manifest.read(self.folder)
        self.assertEqual(("ptrace", None, 9, 2), _facts(about))

    def test_durable(self) -> None:
        """While it runs, calls reach the disk, and nothing has another name than a final one."""
        with RunningRecorder(self.folder) as recorder:
            recorder.send(Started("ptrace"))
            recorder.send_events(events_now(10))
            while not recorder.next_report()[0].calls:
                pass
            self.assertEqual(10, len(starts_in(self.folder)))
            self.assertIsNone(manifest.read(self.folder).ended_ns)

    def test_ready(self) -> None:
        """It says when the directory has been begun, or cannot be."""
        for folder in (self.folder, self.folder / manifest.NAME / "below"):
            with RunningRecorder(folder) as recorder:
                self.assertEqual(b"", os.read(recorder.ready_fd, 1))
                self.assertTrue((self.folder / manifest.NAME).exists())

    def test_signals(self) -> None:
        """Signals to whole process groups do not end it: the service decides."""
        with RunningRecorder(self.folder) as recorder:
            recorder.next_report()
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
                recorder.process.send_signal(number)
            recorder.send_events(events_now(10))
            (state,) = recorder.end(Ended(0))
        self.assertEqual(10, state.calls)

    def test_service_killed(self) -> None:
        """What a tracer sends after the service was killed is recorded, without an ending."""
        with RunningRecorder(self.folder) as recorder:
            assert recorder.process.stdin is not None
            assert recorder.process.stdout is not None
            recorder.send(Started("ptrace"))
            recorder.process.stdin.close()
            recorder.process.stdout.close()
            recorder.send_events(events_now(10))
            recorder.close_events()
            self.assertEqual(0, recorder.process.wait())
        self.assertEqual(10, len(starts_in(self.folder)))
        self.assertEqual(("ptrace", None, None, 0), _facts(manifest.read(self.folder)))
        self.assertIsNone(manifest.read(self.folder).ended_ns)

    def test_tracer_killed(self) -> None:
        """A frame that is cut short is left out; the manifest says what the service says."""
        with RunningRecorder(self.folder) as recorder:
            recorder.send(Started("ptrace"))
            recorder.send_events(events_now(10))
            os.write(recorder.events_fd, b"\x01\x00\x01")
            (state,) = recorder.end(Failed("the tracer process was killed by signal 9"))
        self.assertEqual((10, True), (state.calls, state.is_complete))
        self.assertIn("killed by signal 9", manifest.read(self.folder).trouble)

    def test_damaged_events(self) -> None:
        """Something else than events ends the recording; what came before stays."""
        with RunningRecorder(self.folder) as recorder:
            recorder.send(Started("ptrace"))
            recorder.send_events(events_now(10))
            os.write(recorder.events_fd, b"x" * 100)
            recorder.process.wait()
        self.assertEqual(10, len(starts_in(self.folder)))
        self.assertIn("not a frame of events", manifest.read(self.folder).trouble)

    def test_removed(self) -> None:
        """If the directory is removed, recording stops with a reason."""
        with RunningRecorder(self.folder) as recorder:
            recorder.send(Started("ptrace"))
            recorder.next_report()
            while not (self.folder / DELTAS).exists():
                recorder.next_report()
            shutil.rmtree(self.folder)
            recorder.send_events(events_now(10))
            recorder.close_events()
            self.assertEqual(0, recorder.process.wait())
            (state,) = recorder.end()
        self.assertEqual(os.strerror(2), state.trouble)

    def test_file_size_limit(self) -> None:
        """A limit on the size of files stops recording with a reason; no part of a file stays."""
        limited = ("sh", "-c", 'ulimit -f 1 && exec "$@"', "sh")
        with RunningRecorder(self.folder, *limited) as recorder:
            with contextlib.suppress(BrokenPipeError):
                for _ in range(10):
                    recorder.send(Started("ptrace", only="x" * 100))
                recorder.send_events(_incompressible(5000))
            (state,) = recorder.end()
        self.assertEqual(os.strerror(27), state.trouble)
        self.assertEqual(os.strerror(27), manifest.read(self.folder).trouble)
        self.assertEqual([], starts_in(self.folder))
        self.assertEqual([], list(self.folder.rglob(".*")))


class FullDiskTests(TestCase):
    """A small file system."""

    def test_full(self) -> None:
        """Recording stops with a reason when the disk is full; what was written can be read."""
        if os.geteuid():
            raise SkipTest("only root can mount a small file system")
        place = Path(self.mktemp()).absolute()
        place.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(place)],
            check=False,
            capture_output=True,
            text=True,
        )
        if mounted.returncode:
            raise SkipTest(f"nothing can be mounted here: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(place)], check=True)
        with RunningRecorder(place) as recorder:
            recorder.send(Started("ptrace"))
            recorder.send_events(events_now(10))
            while not recorder.next_report()[0].calls:
                pass
            recorder.send_events(_incompressible(20_000))
            (state,) = recorder.end(Ended(0))
        self.assertEqual((10, os.strerror(28)), (state.calls, state.trouble))
        self.assertEqual(10, len(starts_in(place)))
        self.assertEqual(os.strerror(28), manifest.read(place).trouble)


class KilledTests(TestCase):
    """Recorders that are killed at any time."""

    def test_killed(self) -> None:
        """What was reported is there, and the rest is missing only at the end."""
        chosen = random.Random(15)  # noqa: S311  reproducible
        with subprocess.Popen(
            [sys.executable, "-m", "tests.recording.write.forking"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as server:
            # As often as a property is tried.
            for _ in range(settings().max_examples):
                folder = Path(self.mktemp()).absolute()
                # In the middle of a segment, most of the time.
                killed = _Killed(chosen.randrange(4), chosen.uniform(0, 0.05))
                self._check(folder, killed.record(server, folder))

    def _check(self, folder: Path, reported: int) -> None:
        """Check what is left, of which so many calls were reported as written."""
        self.assertIsNone(manifest.read(folder).ended_ns)
        for name in ("processes.parquet", "objects.parquet"):
            if (folder / name).exists():
                load("pyarrow.parquet").read_table(folder / name)
        starts = starts_in(folder)
        self.assertEqual(list(range(len(starts))), starts)
        self.assertGreaterEqual(len(starts), reported)


@attrs.frozen
class _Killed:
    """A recorder that is killed some time after it has written some segments."""

    segments: int
    after_s: float

    def record(self, server: subprocess.Popen[bytes], folder: Path) -> int:
        """Record to a directory; return how many calls were reported as written."""
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(os.fsencode(folder) + b"\n")
        server.stdin.flush()
        pid = int(server.stdout.readline())
        state = RecordingState("")
        while state.segments < self.segments or not state.written_bytes:
            state = _state(server.stdout.readline()) or state
        threading.Event().wait(self.after_s)
        os.kill(pid, signal.SIGKILL)
        while after := _state(server.stdout.readline()):
            state = after
        return state.calls


def _state(line: bytes) -> RecordingState | None:
    """Return what a line reports, or None for the empty line at the end."""
    return ReportDecoder().receive_data(line)[0][0] if line.strip() else None


def _incompressible(count: int) -> bytes:
    chosen = random.Random(1)  # noqa: S311  reproducible
    return b"".join(
        event(
            chosen.randrange(1 << 60), chosen.randrange(1 << 60), object=chosen.randrange(1 << 50)
        )
        for _ in range(count)
    )


def _facts(about: manifest.Manifest) -> tuple[Any, ...]:
    return about.backend, about.exit_code, about.exit_signal, about.lost
