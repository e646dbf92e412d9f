"""Tests of what a recording is made of."""

import shutil
from pathlib import Path
from typing import Any

from twisted.trial.unittest import TestCase

from syswatch.codec.event_frames import Life, Loss, Text
from syswatch.codec.events import UNFINISHED_NS
from syswatch.codec.frames import encode
from syswatch.codec.recording import MAGIC
from syswatch.machine.folder_locks import is_locked
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, Started
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.process import ProcessInfo
from syswatch.recording import manifest, segments
from syswatch.recording.columns import LOSSES, OBJECTS, PROCESSES
from syswatch.recording.extra import load
from syswatch.recording.manifest import Manifest
from syswatch.recording.write.recorder import Recorder

from .test_tables import event

_START = 1_700_000_000_000_000_000


class RecorderTests(TestCase):
    """The directory that is written."""

    def test_segments(self) -> None:
        """Each segment is a Parquet file, and has the texts that came with its events."""
        folder = Path(self.mktemp())
        recorder = Recorder(folder, Manifest(begun_ns=_START))
        recorder.begin()
        for number in range(2):
            recorder.receive_texts([Text(7, _START + number, f"number {number}", "1")])
            recorder.receive_events(event(_START + number))
            recorder.close_segment()
        self.assertEqual([0, 1], segments.numbers_in(folder, segments.CALLS))
        rows = [
            load("pyarrow.parquet").read_table(folder / "calls" / segments.name_of(number))["args"]
            for number in range(2)
        ]
        self.assertEqual([["number 0"], ["number 1"]], [each.to_pylist() for each in rows])
        self.assertEqual((2, 0), (recorder.calls, recorder.state().unfinished))
        recorder.receive_events(event(_START + 9, duration_ns=UNFINISHED_NS))
        recorder.close_segment()
        self.assertEqual((2, 1), (recorder.state().calls, recorder.state().unfinished))

    def test_early_texts(self) -> None:
        """A segment that is closed between texts and their events does not lose the texts."""
        folder = Path(self.mktemp())
        recorder = Recorder(folder, Manifest(begun_ns=_START))
        recorder.begin()
        recorder.receive_texts([Text(7, _START, "here", "1")])
        recorder.close_segment()
        recorder.receive_events(event(_START))
        recorder.close_segment()
        table = load("pyarrow.parquet").read_table(folder / "calls" / segments.name_of(0))
        self.assertEqual(["here"], table["args"].to_pylist())

    def test_locked(self) -> None:
        """The directory is locked until the recording has ended, also because of an error."""
        for end in (lambda each: each.finish(Ended(0)), lambda each: each.stop("it broke")):
            folder = Path(self.mktemp())
            recorder = Recorder(folder, Manifest(begun_ns=_START))
            recorder.begin()
            recorder.receive_events(event(_START))
            self.assertTrue(is_locked(folder))
            end(recorder)
            self.assertFalse(is_locked(folder))

    def test_mode(self) -> None:
        """Only its owner may read a recording."""
        folder = Path(self.mktemp())
        recorder = Recorder(folder, Manifest(begun_ns=_START))
        recorder.begin()
        recorder.receive_events(event(_START))
        recorder.close_segment()
        for each in (folder, *folder.rglob("*")):
            self.assertEqual(0, each.stat().st_mode & 0o077, each)

    def test_manifest(self) -> None:
        """The manifest is read as it was written."""
        folder = Path(self.mktemp())
        about = Manifest(begun_ns=_START, command="dd bs=1", exit_code=3)
        Recorder(folder, about).begin()
        self.assertEqual(about, manifest.read(folder))

    def test_ending(self) -> None:
        """The manifest says how the command ended and how many calls are missing."""
        folder = Path(self.mktemp())
        recorder = Recorder(folder, Manifest(begun_ns=_START))
        recorder.begin()
        process = ProcessInfo(5, "dd", cmdline="dd if=a")
        for message in (Started("ptrace", process), Ended(exit_code=3)):
            recorder.receive_frame(encode(message))
        recorder.receive_losses([Loss(7, 1_700_000_000, 2), Loss(8, 1_700_000_000, 3)])
        recorder.receive_losses([Loss(7, 1_700_000_000, 1)])
        recorder.finish(Ended(exit_code=3))

        about = manifest.read(folder)
        self.assertEqual((3, None, 6), (about.exit_code, about.exit_signal, about.lost))
        self.assertEqual(("ptrace", "dd if=a"), (about.backend, about.command))
        self.assertIsNotNone(about.ended_ns)
        losses = load("pyarrow.parquet").read_table(folder / "losses" / segments.name_of(0))
        self.assertEqual([each.name for each in LOSSES], losses.column_names)
        self.assertEqual([(7, 3), (8, 3)], _tuples(losses, "tid", "count"))
        self.assertEqual({1_700_000_000_000}, set(losses["second"].cast("int64").to_pylist()))
        deltas = (folder / "deltas").read_bytes()
        self.assertEqual(MAGIC + encode(Started("ptrace", process)) + encode(Ended(3)), deltas)

    def test_processes_and_objects(self) -> None:
        """What several reports say about one process or object is in one row."""
        folder = Path(self.mktemp())
        recorder = Recorder(folder, Manifest(begun_ns=_START))
        recorder.begin()
        recorder.receive_lives([Life(5, None, 1, "sh", ""), Life(6, _START, 5, "", "ls -l")])
        recorder.receive_lives([Life(5, None, 0, "dd", "dd", _START + 9, exit_signal=9)])
        recorder.receive_lives([Life(6, _START + 7, 5, "cp", "cp a b")])
        for detail in ("", "deleted"):
            info = ObjectInfo(ObjectKind.FILE, "/a", detail)
            recorder.receive_frame(encode(Delta(objects={info.id: info})))
        recorder.receive_events(event(_START))
        recorder.finish(None)

        parquet = load("pyarrow.parquet")
        processes = parquet.read_table(folder / "processes.parquet")
        self.assertEqual([each.name for each in PROCESSES], processes.column_names)
        self.assertEqual(
            [(5, 1, "dd", "killed by SIGKILL"), (6, 5, "", ""), (6, 5, "cp", "")],
            _tuples(processes, "pid", "parent", "command", "ending"),
        )
        objects = parquet.read_table(folder / "objects.parquet")
        self.assertEqual([each.name for each in OBJECTS], objects.column_names)
        self.assertEqual([("file", "/a", "deleted")], _tuples(objects, "kind", "name", "detail"))
        self.assertIsNone(manifest.read(folder).ended_ns)

    def test_nothing_traced(self) -> None:
        """A trace that never began leaves nothing, so that the directory can be used again."""
        folder = Path(self.mktemp())
        recorder = Recorder(folder, Manifest(begun_ns=_START))
        recorder.begin()
        recorder.receive_frame(encode(Failed("cannot run 'dd'")))
        recorder.finish(Failed("cannot run 'dd'"))
        self.assertFalse(folder.exists())

    def test_removed(self) -> None:
        """A directory that was removed cannot be written; stopping does not fail then."""
        folder = Path(self.mktemp())
        recorder = Recorder(folder, Manifest(begun_ns=_START))
        recorder.begin()
        recorder.receive_events(event(_START))
        shutil.rmtree(folder)
        self.assertRaises(FileNotFoundError, recorder.close_segment)
        recorder.stop("No such file or directory")


def _tuples(table: Any, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table.select(names).to_pylist()]
