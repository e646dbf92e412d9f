"""Tests of reading recordings and logs into one delta."""

import gzip
import shutil
from pathlib import Path

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.codec.recording import DELTAS, MAGIC
from syswatch.comparison.sources import deltas, read
from syswatch.comparison.sources.errors import SourceError
from syswatch.machine.folder_locks import FolderLock
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, Started
from syswatch.recording import manifest
from syswatch.recording.manifest import NAME as MANIFEST
from syswatch.tracer.inputs.input_file import InputFile
from tests import strategies
from tests.recording import samples
from tests.system.servers import LOG


def read_recording(path: Path) -> deltas.Observed:
    """Read a recording."""
    with InputFile.open(str(path)) as file:
        return deltas.read_recording(file)


def read_log(path: Path) -> deltas.Observed:
    """Read a log."""
    with InputFile.open(str(path)) as file:
        return deltas.read_log(file, workers=1)


def counts(delta: Delta) -> dict[str, int]:
    """Return how often each call was made."""
    return {name: tally.count for name, tally in delta.calls.items()}


class SumTests(SynchronousTestCase):
    """The sum of many deltas."""

    @given(st.lists(strategies.deltas, max_size=9))
    def test_order(self, parts: list[Delta]) -> None:
        """It is that of adding them one after the other."""
        found = deltas.Sum()
        expected = Delta()
        for part in parts:
            found.add(part)
            expected += part
        self.assertEqual(expected, found.total())


class RecordingTests(SynchronousTestCase):
    """Recordings of both kinds, whole and damaged."""

    def setUp(self) -> None:
        """Write a recording."""
        self.folder = samples.write(Path(self.mktemp()))

    def test_whole(self) -> None:
        """All calls are there, with how the trace began and ended; there is nothing to note."""
        found = read_recording(self.folder)
        self.assertEqual(counts(samples.delta_of(samples.SOME)), counts(found.delta))
        self.assertEqual("ptrace", found.started.backend)
        self.assertEqual((Ended(0), ()), (found.ended, found.notes))
        self.assertFalse(found.is_cut_short)

    def test_one_file(self) -> None:
        """A recording in one file, compressed or not, is the same."""
        plain, compressed = Path(self.mktemp()), Path(self.mktemp())
        shutil.copy(self.folder / DELTAS, plain)
        compressed.write_bytes(gzip.compress(plain.read_bytes()))
        for file in (plain, compressed):
            self.assertEqual(read_recording(self.folder), read_recording(file))

    def test_cut_short(self) -> None:
        """What precedes the damage counts, and a note says what is missing."""
        sums = self.folder / DELTAS
        sums.write_bytes(sums.read_bytes()[:-20])
        found = read_recording(self.folder)
        self.assertTrue(counts(found.delta))
        self.assertIsNone(found.ended)
        self.assertTrue(found.is_cut_short)
        self.assertTrue(read(str(self.folder)).is_cut_short)
        self.assertEqual((_cut_short("its last message is incomplete"),), found.notes)

    def test_stopped_early(self) -> None:
        """Why the recording stopped is said once, instead of that its end is missing."""
        folder = samples.write(Path(self.mktemp()), end=None)
        about = manifest.read(folder)
        manifest.write(folder, attrs.evolve(about, trouble="No space left on device\x1b"))
        self.assertEqual(
            (_cut_short("No space left on device\\x1b"),), read_recording(folder).notes
        )

    def test_being_made(self) -> None:
        """A recording that a recorder has locked is incomplete, but not cut short."""
        folder = samples.write(Path(self.mktemp()), end=None)
        lock = FolderLock(folder)
        lock.hold()
        self.addCleanup(lock.release)
        found = read_recording(folder)
        self.assertTrue(found.is_cut_short)
        self.assertEqual(
            ("the recording is still being made; this is what it holds so far",), found.notes
        )

    def test_kept_part(self) -> None:
        """What a flight recorder has kept is a part, unless it has everything until the end."""
        about = manifest.read(self.folder)
        for changes, is_part in (
            ({"traced_since_ns": about.begun_ns - 1}, True),
            ({"saved_reason": "SIGUSR1", "exit_code": None}, True),
            ({"saved_reason": "SIGUSR1", "exit_code": 0}, False),
        ):
            manifest.write(self.folder, attrs.evolve(about, **changes))
            found = read_recording(self.folder)
            self.assertEqual(is_part, found.is_cut_short, changes)
            self.assertTrue(found.notes, changes)

    def test_without_end(self) -> None:
        """That the end is missing is said once, though the manifest says it, too."""
        found = read_recording(samples.write(Path(self.mktemp()), end=None))
        self.assertEqual((_cut_short("the end of the trace is missing"),), found.notes)

    def test_failed(self) -> None:
        """The error with which a trace ended is noted once; the manifest has it, too."""
        found = read_recording(samples.write(Path(self.mktemp()), end=Failed("no memory")))
        self.assertEqual(("the trace ended with an error: no memory",), found.notes)
        self.assertTrue(found.is_cut_short)

    def test_manifest(self) -> None:
        """A recording is not read without a manifest of its version, as everywhere else."""
        manifest = self.folder / MANIFEST
        text = manifest.read_text()
        for content, reason in (
            (text.replace('"version": 2', '"version": 99'), "it has format version 99, "),
            (text.replace('"version": 2', '"version": 1'), "it has format version 1, "),
            ("[]", "it is not a recording of syswatch"),
            ("{", "its manifest is damaged: "),
            ("", "its manifest is damaged: "),
        ):
            manifest.write_text(content)
            with self.assertRaisesRegex(SourceError, f"^{self.folder}: {reason}"):
                read_recording(self.folder)
        manifest.unlink()
        with self.assertRaisesRegex(SourceError, "without a recording: it has no manifest"):
            read_recording(self.folder)

    def test_nothing_left(self) -> None:
        """Sums that are damaged from the beginning are an error of one sentence."""
        (self.folder / DELTAS).write_bytes(MAGIC + b"\xff" * 20)
        with self.assertRaisesRegex(SourceError, f"^{self.folder}: the recording is damaged: "):
            read_recording(self.folder)

    def test_other_version(self) -> None:
        """A recording of another version is not read."""
        (self.folder / DELTAS).write_bytes(b"syswatch recording 9\n" + encode(Started("ptrace")))
        with self.assertRaisesRegex(SourceError, "has format version 9"):
            read_recording(self.folder)


class LogTests(SynchronousTestCase):
    """Logs of strace."""

    def test_plain_and_compressed(self) -> None:
        """A compressed log has the same calls."""
        compressed = Path(self.mktemp())
        compressed.write_bytes(gzip.compress(LOG.read_bytes()))
        plain = read_log(LOG)
        self.assertEqual(188, plain.delta.calls["openat"].count)
        self.assertEqual(counts(plain.delta), counts(read_log(compressed).delta))
        self.assertEqual((), plain.notes)
        self.assertFalse(plain.is_cut_short)

    def test_cut_short(self) -> None:
        """What can be read of a damaged file counts, and a note says that some is missing."""
        compressed = Path(self.mktemp())
        compressed.write_bytes(gzip.compress(LOG.read_bytes() * 20)[:-5000])
        found = read_log(compressed)
        self.assertGreater(found.delta.calls.get("openat", CallTally()).count, 188)
        self.assertEqual(("the log is cut short: the compressed data ends too early",), found.notes)
        self.assertTrue(found.is_cut_short)

    def test_no_log(self) -> None:
        """A file without a call is an error."""
        file = Path(self.mktemp())
        file.write_text("hello\nworld\n")
        with self.assertRaisesRegex(SourceError, f"^no system calls in {file}: not a log"):
            read_log(file)


def _cut_short(reason: str) -> str:
    more = "calls recorded after the last delta are counted by 'syswatch query' only"
    return f"the recording is cut short: {reason}; {more}"
