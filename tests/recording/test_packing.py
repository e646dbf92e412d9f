"""Tests of the archive of a recording."""

import io
import tarfile
from collections.abc import Iterable
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.codec.recording import DELTAS, MAGIC
from syswatch.model.messages import Ended
from syswatch.recording import segments
from syswatch.recording.packing import ShortenedError, packed
from syswatch.recording.read.opening import Recording

from . import samples
from .samples import Call


class PackingTests(SynchronousTestCase):
    """What is in the archive."""

    def setUp(self) -> None:
        """Write a recording of three segments."""
        calls = [Call(number * 1_000_000_000) for number in range(3)]
        self.folder = samples.write(
            Path(self.mktemp()).absolute() / "app.rec", calls, calls_in_segment=1
        )

    def unpacked(self, parts: Iterable[bytes]) -> Path:
        """Return the recording in an archive."""
        place = Path(self.mktemp())
        with tarfile.open(fileobj=io.BytesIO(b"".join(parts))) as tar:
            self.names = tar.getnames()
            # Python has the parameter of that name since 3.11.4.
            tar.extraction_filter = getattr(tarfile, "data_filter", None)
            tar.extractall(place)  # noqa: S202  what this project has packed
        return place / "app.rec"

    def numbers(self, folder: Path) -> list[int]:
        """Return the numbers of the segments that can be read, all of them without damage."""
        recording = Recording.open(folder)
        found = [each.number for each in recording.segments()]
        self.assertEqual({}, recording.damaged)
        return found

    def test_whole(self) -> None:
        """The archive has the same files, private ones, and the manifest first."""
        found = self.unpacked(packed(self.folder))
        self.assertEqual("app.rec/manifest.json", self.names[0])
        for name in self.names:
            path = found.parent / name
            self.assertEqual((self.folder.parent / name).read_bytes(), path.read_bytes())
            self.assertEqual(0o600, path.stat().st_mode & 0o777)
        self.assertEqual([0, 1, 2], self.numbers(found))

    def test_growing(self) -> None:
        """What is added while the archive is read is not in it, not even in part."""
        deltas = self.folder / DELTAS
        known = deltas.read_bytes()
        parts = packed(self.folder)
        first = next(parts)
        with deltas.open("ab") as file:
            file.write(encode(Ended(3))[:-1])
        newest = (self.folder / "calls" / segments.name_of(2)).read_bytes()
        segments.save(self.folder, segments.CALLS, 3, newest)
        (self.folder / "objects.parquet").unlink()
        found = self.unpacked([first, *parts])
        self.assertEqual([0, 1, 2], self.numbers(found))
        self.assertEqual(known, (found / DELTAS).read_bytes())
        self.assertTrue((found / "objects.parquet").exists())

    def test_first_second(self) -> None:
        """A recording that has only just begun can be packed."""
        for path in self.folder.rglob("*.parquet"):
            path.unlink()
        (self.folder / DELTAS).write_bytes(MAGIC)
        found = self.unpacked(packed(self.folder))
        self.assertEqual(["app.rec/manifest.json", "app.rec/deltas"], self.names)
        self.assertEqual([], self.numbers(found))

    def test_unfinished(self) -> None:
        """What is being written, and what is not of a recording, is left out."""
        (self.folder / "calls" / ".00000003.parquet").write_bytes(b"unfinished")
        (self.folder / "secret").write_bytes(b"secret")
        self.unpacked(packed(self.folder))
        self.assertFalse([name for name in self.names if "secret" in name or "/." in name])

    def test_removed(self) -> None:
        """A segment or an end that is missing ends the archive before it looks complete."""
        parts = packed(self.folder)
        next(parts)
        (self.folder / "calls" / segments.name_of(2)).unlink()
        with self.assertRaises(FileNotFoundError):
            list(parts)
        parts = packed(self.folder)
        next(parts)
        (self.folder / DELTAS).write_bytes(MAGIC)
        with self.assertRaises(ShortenedError):
            list(parts)

    def test_not_a_file(self) -> None:
        """Links and directories in place of a segment are refused."""
        path = self.folder / "calls" / segments.name_of(3)
        path.symlink_to("/etc/passwd")
        with self.assertRaises(OSError):
            list(packed(self.folder))
        path.unlink()
        path.mkdir()
        with self.assertRaises(OSError):
            list(packed(self.folder))

    def test_large(self) -> None:
        """No part is large, however large a file is."""
        path = self.folder / "calls" / segments.name_of(3)
        with path.open("wb") as file:
            file.truncate(50_000_000)
        sizes = [len(part) for part in packed(self.folder)]
        self.assertGreater(sum(sizes), 50_000_000)
        self.assertLessEqual(max(sizes), 1 << 18)
