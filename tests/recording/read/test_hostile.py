"""Tests of recordings that are damaged or made to harm."""

import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import TestCase

from syswatch.codec.recording import RecordingError
from syswatch.recording import segments
from syswatch.recording.extra import load
from syswatch.recording.read.fold import Folder
from syswatch.recording.read.opening import Recording
from syswatch.recording.read.parquet import MOST_ROWS_IN_GROUP
from tests.recording import samples
from tests.recording.samples import SOME, Call

_CALLS = [Call(number * 10, 5, args=f"{number}") for number in range(9)]


class DirectoryTests(TestCase):
    """What is not a recording at all."""

    def setUp(self) -> None:
        """Write a recording."""
        self.folder = samples.write(Path(self.mktemp()))

    def refused(self, folder: Path) -> str:
        """Return why a directory cannot be opened."""
        with self.assertRaises(RecordingError) as raised:
            Recording.open(folder)
        return str(raised.exception)

    def test_no_directory(self) -> None:
        """Neither a file nor nothing is a recording."""
        for path in (Path("/nowhere"), Path("/etc/passwd"), self.folder / "deltas"):
            self.assertEqual("it is not a recording: it is not a directory", self.refused(path))

    def test_manifest(self) -> None:
        """A manifest that is missing, damaged or of another kind is refused."""
        manifest = self.folder / "manifest.json"
        for content, sentence in (
            ("", "its manifest is damaged"),
            ("{", "its manifest is damaged"),
            ("[1]", "it is not a recording of syswatch"),
            ('{"format": "other"}', "it is not a recording of syswatch"),
            ('{"format": "syswatch recording", "version": 9}', "it has format version 9"),
            ('{"format": "syswatch recording", "version": [[]]}', "it has format version [[]]"),
            ('{"format": "syswatch recording", "version": 2}', "its manifest is damaged"),
            (
                '{"format": "syswatch recording", "version": 2, "begun_ns": "../../etc"}',
                "its manifest is damaged",
            ),
            ("[" * 100_000, "its manifest is damaged"),
            (
                f'{{"format": "syswatch recording", "version": 2, "begun_ns": {10**18}0}}',
                "its manifest is damaged",
            ),
            (" " * (2 << 20), "its manifest is damaged: it is too long"),
        ):
            manifest.write_text(content)
            self.assertIn(sentence, self.refused(self.folder), content[:60])
        manifest.unlink()
        self.assertEqual(
            "it is a directory without a recording: it has no manifest", self.refused(self.folder)
        )

    def test_no_regular_manifest(self) -> None:
        """A manifest that is a pipe does not keep the reader waiting, and no link is followed."""
        manifest = self.folder / "manifest.json"
        manifest.rename(self.folder / "other.json")
        os.mkfifo(manifest)
        self.assertIn("not a regular file", self.refused(self.folder))
        manifest.unlink()
        manifest.symlink_to("other.json")
        self.assertIn("cannot be read", self.refused(self.folder))

    def test_no_paths(self) -> None:
        """Other names in the manifest, and files with other names, are ignored."""
        manifest = self.folder / "manifest.json"
        manifest.write_text(
            manifest.read_text().replace("{", '{"segments": ["../../../etc/passwd"],', 1)
        )
        (self.folder / "calls" / "..passwd.parquet").write_text("x")
        (self.folder / "calls" / "00000099.parquet.txt").write_text("x")
        recording = Recording.open(self.folder)
        self.assertEqual([0, 1, 2], [each.number for each in recording.segments()])
        self.assertEqual((), recording.notes)

    def test_linked_folder(self) -> None:
        """A link in place of a folder with segments is not followed."""
        (self.folder / "calls").rename(self.folder / "others")
        (self.folder / "calls").symlink_to("others")
        self.assertIn("calls is not a directory", self.refused(self.folder))


class SegmentTests(TestCase):
    """Segments that cannot be read, or not wholly."""

    def setUp(self) -> None:
        """Write a recording of three segments with three calls each."""
        self.folder = samples.write(Path(self.mktemp()), _CALLS)
        self.segment = self.folder / segments.CALLS / segments.name_of(2)

    def note(self) -> str:
        """Return what is said of the last segment; the others are read."""
        folder = Folder(Recording.open(self.folder))
        self.assertEqual({"read": 6}, _counts(folder))
        # What was found out before is not tried again.
        self.assertEqual({"read": 6}, _counts(folder))
        (note,) = folder.recording.notes
        self.assertNotIn("\n", note)
        self.assertTrue(
            note.startswith("1 segment is damaged and left out: calls/00000002.parquet: "), note
        )
        return note.partition("parquet: ")[2]

    def replace(self, change: Callable[[Any], Any], **options: Any) -> None:
        """Write the table of the last segment with a change."""
        parquet = load("pyarrow.parquet")
        table = change(parquet.read_table(self.segment))
        parquet.write_table(table, self.segment, **options)

    def missing(self, *numbers: int, **manifest: Any) -> list[str]:
        """Return what is said of a recording of nine segments without some of them."""
        folder = samples.write(Path(self.mktemp()), _CALLS, calls_in_segment=1)
        for number in numbers:
            (folder / segments.CALLS / segments.name_of(number)).unlink()
        recording = Recording.open(folder)
        recording.about = attrs.evolve(recording.about, **manifest)
        recording.segments()
        return list(recording.damage())

    def test_missing(self) -> None:
        """Segments that are missing are named, except those that a flight recorder removes."""
        self.assertEqual([], self.missing())
        self.assertEqual(["1 segment is missing: calls/00000000.parquet"], self.missing(0))
        self.assertEqual(["1 segment is missing: calls/00000001.parquet"], self.missing(1))
        two = "2 segments are missing, the first is calls/00000003.parquet"
        self.assertEqual([two], self.missing(3, 6))
        self.assertEqual([], self.missing(0, 1, traced_since_ns=1))
        self.assertEqual([two], self.missing(0, 1, 3, 6, traced_since_ns=1))
        # It may be the beginning of a flight recorder's recording.
        self.assertEqual([], self.missing(0, ended_ns=None))

    def test_missing_last(self) -> None:
        """The last segments are missed by the manifest, or by the sums that are made of them."""
        last = ["1 segment is missing: calls/00000008.parquet"]
        two = "2 segments are missing, the first is calls/00000007.parquet"
        self.assertEqual(last, self.missing(8))
        self.assertEqual([two], self.missing(7, 8))
        self.assertEqual(last, self.missing(0, 8, traced_since_ns=1))
        all_of_them = "9 segments are missing, the first is calls/00000000.parquet"
        self.assertEqual([all_of_them], self.missing(*range(9)))
        self.assertEqual([], self.missing(*range(9), traced_since_ns=1))
        # Killed, so that the number of segments is not known.
        self.assertEqual(last, self.missing(8, ended_ns=None, segment_count=None))
        self.assertEqual([two], self.missing(7, 8, segment_count=None))

    def test_only_losses(self) -> None:
        """A segment of losses alone has no calls, which is not a gap."""
        name = segments.name_of(1)
        (self.folder / segments.LOSSES).mkdir()
        (self.folder / segments.CALLS / name).rename(self.folder / segments.LOSSES / name)
        recording = Recording.open(self.folder)
        recording.segments()
        self.assertEqual([], list(recording.damage()))

    def test_huge_number(self) -> None:
        """The number in the name of a file does not decide how long this takes."""
        self.segment.rename(self.segment.with_name(f"{10**12 - 1}.parquet"))
        recording = Recording.open(self.folder)
        recording.segments()
        (note,) = recording.damage()
        self.assertEqual(
            "999,999,999,997 segments are missing, the first is calls/00000002.parquet", note
        )

    def test_truncated(self) -> None:
        """A segment that was cut short is left out, wherever it was cut."""
        content = self.segment.read_bytes()
        for length in (0, 3, 8, len(content) // 2, len(content) - 1):
            self.segment.write_bytes(content[:length])
            self.note()

    def test_large_footer(self) -> None:
        """A footer that claims to be larger than the file is not believed."""
        content = self.segment.read_bytes()
        for length in (0xFFFFFFFF, 0x7FFFFFFF, len(content)):
            self.segment.write_bytes(content[:-8] + struct.pack("<I", length) + b"PAR1")
            self.note()
        # Nor is a file of 10 GB that is all footer, of which the disk holds nothing.
        with self.segment.open("wb") as file:
            file.truncate(10_000_000_000)
            file.seek(-8, os.SEEK_END)
            file.write(struct.pack("<I", 4_000_000_000) + b"PAR1")
            file.seek(0)
            file.write(b"PAR1")
        self.note()

    def test_no_file(self) -> None:
        """A link, a pipe or a directory in place of a segment is left out."""
        for make, reason in (
            (lambda: self.segment.symlink_to("00000001.parquet"), "Too many levels"),
            (lambda: os.mkfifo(self.segment), "not a regular file"),
            (lambda: os.mknod(self.segment, 0o644), "it is cut short"),
        ):
            self.segment.unlink()
            make()
            self.assertIn(reason, self.note())

    def test_columns(self) -> None:
        """Columns that are missing, or of other types, are named."""
        arrow = load("pyarrow")
        self.replace(lambda table: table.drop_columns(["tid"]))
        self.assertEqual("it has no column tid", self.note())
        self.replace(lambda table: table.append_column("tid", arrow.array(["7"] * 3)))
        self.assertEqual("its column tid has the type string", self.note())
        self.replace(lambda table: table.drop_columns(["args"]))
        self.assertIn("it has no column args", self.note())

    def test_values(self) -> None:
        """Impossible times are refused."""
        arrow = load("pyarrow")
        place = load("pyarrow.parquet").read_schema(self.segment).get_field_index("duration")

        def with_duration(table: Any) -> Any:
            return table.set_column(place, "duration", arrow.array([-1, 0, 0], "int64"))

        self.replace(with_duration)
        self.assertEqual("it has negative times", self.note())
        self.replace(
            lambda table: table.set_column(place, "duration", arrow.array([1 << 62] * 3, "int64"))
        )
        self.assertIn("impossible numbers", self.note())

    def test_too_many_rows(self) -> None:
        """A group of more rows than any recorder writes is not read: a small file can have it."""
        arrow = load("pyarrow")

        def repeated(table: Any) -> Any:
            return table.take(arrow.array([0] * (MOST_ROWS_IN_GROUP + 1)))

        self.replace(repeated, row_group_size=MOST_ROWS_IN_GROUP + 1, compression="zstd")
        self.assertLess(self.segment.stat().st_size, 1 << 20)
        self.assertIn("rows in a group", self.note())

    def test_long_texts(self) -> None:
        """A text that is repeated in every row is held once, and shown only in part."""
        arrow = load("pyarrow")
        place = load("pyarrow.parquet").read_schema(self.segment).get_field_index("args")

        def with_text(table: Any) -> Any:
            many = table.take(arrow.array([0] * 200_000))
            text = arrow.array(["x" * 200_000]).dictionary_encode()
            texts = arrow.DictionaryArray.from_arrays(
                arrow.array([0] * 200_000, "int32"), text.dictionary
            )
            return many.set_column(place, "args", texts)

        self.replace(with_text, compression="zstd")
        found = Folder(Recording.open(self.folder)).fold()
        self.assertEqual(200_006, found.calls["read"].count)
        self.assertLess(max(len(entry.args) for entry in found.log), 20_000)

    def test_escaped(self) -> None:
        """Names and texts are escaped."""
        arrow = load("pyarrow")
        place = load("pyarrow.parquet").read_schema(self.segment).get_field_index("name")
        names = arrow.array(["\x1b[2J"] * 3).dictionary_encode()
        names = arrow.DictionaryArray.from_arrays(names.indices.cast("int16"), names.dictionary)
        self.replace(lambda table: table.set_column(place, "name", names))
        self.assertIn("\\x1b[2J", Folder(Recording.open(self.folder)).fold().calls)

    @settings(max_examples=60, deadline=None)
    @given(st.data())
    def test_any_damage(self, data: st.DataObject) -> None:
        """Whatever bytes are changed, it is read without them or as if nothing were wrong."""
        content = bytearray(self.segment.read_bytes())
        before = bytes(content)
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        self.segment.write_bytes(content)
        folder = Folder(Recording.open(self.folder))
        folder.fold()
        self.assertLessEqual(len(folder.recording.notes), 1)
        self.segment.write_bytes(before)

    @settings(max_examples=60, deadline=None)
    @given(st.data())
    def test_changed_bit(self, data: st.DataObject) -> None:
        """A changed bit of the data is never taken for another value."""
        before = self.segment.read_bytes()
        whole = Folder(Recording.open(self.folder)).fold()
        content = bytearray(before)
        footer = int.from_bytes(content[-8:-4], "little") + 8
        at = data.draw(st.integers(4, len(content) - footer - 1))
        content[at] ^= 1 << data.draw(st.integers(0, 7))
        self.segment.write_bytes(content)
        folder = Folder(Recording.open(self.folder))
        found = folder.fold()
        self.segment.write_bytes(before)
        if not folder.recording.notes:
            self.assertEqual((whole.calls, whole.activity), (found.calls, found.activity))

    def test_checked(self) -> None:
        """A changed bit is noticed where nothing else depends on it."""
        content = bytearray(self.segment.read_bytes())
        content[content.index(b"read") + 1] ^= 1
        self.segment.write_bytes(content)
        folder = Folder(Recording.open(self.folder))
        folder.fold()
        self.assertIn("CRC", "".join(folder.recording.notes))


class DeltaTests(TestCase):
    """The file with the deltas."""

    def test_damaged(self) -> None:
        """The sums of calls are read without it; names that it holds are missing."""
        folder = samples.write(Path(self.mktemp()), SOME)
        deltas = folder / "deltas"
        content = deltas.read_bytes()
        for damaged in (b"", content[:60], content[:60] + b"\xff" * 2000, b"\xff" * 2000):
            deltas.write_bytes(damaged)
            recording = Recording.open(folder)
            found = Folder(recording).fold()
            self.assertEqual(samples.delta_of(SOME).calls, found.calls)
        self.assertIn("1 file is damaged and left out: deltas: ", recording.damaged_files())
        deltas.unlink()
        os.mkfifo(deltas)
        reader = Folder(Recording.open(folder))
        self.assertEqual(samples.delta_of(SOME).calls, reader.fold().calls)
        self.assertIn("not a regular file", reader.deltas.damaged["deltas"])


def _counts(folder: Folder) -> dict[str, int]:
    return {name: tally.count for name, tally in folder.fold().calls.items()}
