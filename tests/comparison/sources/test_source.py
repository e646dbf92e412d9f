"""Tests of reading one source of any kind."""

import gzip
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.run import Figure, Kind, Subject
from syswatch.comparison.sources import SourceError, check, read, source
from syswatch.comparison.sources.source import is_url
from syswatch.recording.manifest import Manifest, write
from syswatch.views.formats import FORMATS, Presentation
from tests.recording import samples
from tests.system.servers import LOG
from tests.views.app_trace import app_trace
from tests.views.snapshots import snapshot_of

_OPENAT = Subject(Kind.CALL, "openat")


class KindTests(SynchronousTestCase):
    """Files of all kinds, which are told apart by their content."""

    def test_kinds(self) -> None:
        """Recordings, logs and summaries become runs, with the name as it was given."""
        recording = samples.write(Path(self.mktemp()))
        summary, compressed = Path(self.mktemp()), Path(self.mktemp())
        summary.write_text(FORMATS["json"].write(snapshot_of(app_trace()), Presentation()))
        compressed.write_bytes(gzip.compress(summary.read_bytes()))
        for file in (recording, LOG, summary, compressed):
            run = read(str(file))
            self.assertEqual(str(file), run.name)
            self.assertTrue(run.figures[_OPENAT][Figure.COUNT])
        self.assertEqual(188, read(str(LOG)).figures[_OPENAT][Figure.COUNT])
        self.assertEqual(read(str(summary)).figures, read(str(compressed)).figures)

    def test_notes(self) -> None:
        """What is missing from a recording is noted in its run."""
        folder = samples.write(Path(self.mktemp()), end=None)
        notes = read(str(folder)).notes
        self.assertEqual(
            "the recording is cut short: the end of the trace is missing; calls recorded after the"
            " last delta are counted by 'syswatch query' only",
            notes[0],
        )


class MistakeTests(SynchronousTestCase):
    """Sources that cannot be read."""

    def assert_error(self, sentence: str, source: str) -> None:
        """Check what is said about a source."""
        with self.assertRaises(SourceError) as caught:
            read(source)
        self.assertTrue(str(caught.exception).startswith(sentence), str(caught.exception))

    def test_sentences(self) -> None:
        """Each mistake is one sentence that names the source."""
        empty, folder, nothing = (Path(self.mktemp()) for _ in range(3))
        other, none = Path(self.mktemp()), Path(self.mktemp())
        empty.write_text("")
        other.write_text('{"a": 1}')
        none.write_text("{")
        folder.mkdir()
        self.assert_error(f"{nothing}: no such file, recording or URL", str(nothing))
        self.assert_error(f"no system calls in {empty}: not a log of strace", str(empty))
        self.assert_error(f"{other}: not a summary of --format json: ", str(other))
        self.assert_error(f"{none}: not a summary of --format json: ", str(none))
        self.assert_error(f"{folder}: it is a directory without a recording", str(folder))
        write(folder, Manifest(1))
        self.assert_error(f"{folder}: it is a directory without a recording", str(folder))
        self.assert_error("invalid URL 'http://a@b/' (expected", "http://a@b/")

    def test_too_large(self) -> None:
        """A summary has a limit, so that a file cannot fill the memory."""
        self.patch(source, "LARGEST_SUMMARY", 10)
        file = Path(self.mktemp())
        file.write_text("{" + " " * 100)
        self.assert_error(f"{file}: a summary has at most 0 MiB", str(file))


class UrlTests(SynchronousTestCase):
    """What is taken for a URL."""

    def test_urls(self) -> None:
        """A scheme or a port makes a URL, but a file with such a name is a file."""
        for text in ("http://a", "https://a/b", "localhost:8080", ":8080", "[::1]:80", "a:1/x"):
            self.assertTrue(is_url(text), text)
        for text in ("a", "a.rec", "./a:b", "a:123456", "ftp://a", "-"):
            self.assertFalse(is_url(text), text)
        folder = Path(self.mktemp())
        folder.mkdir()
        (folder / "x:80").touch()
        self.assertFalse(is_url(f"{folder}/x:80"))

    def test_checked_early(self) -> None:
        """What is clear from a name is found before anything is read."""
        for good in (str(LOG), "-", ":8080", "http://nowhere.invalid/"):
            check(good)
        for bad in ("nowhere.rec", "http://a@b/"):
            self.assertRaises(SourceError, check, bad)
