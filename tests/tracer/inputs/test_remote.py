"""Tests of inputs that are URLs, and of those that Zstandard compresses."""

import functools
import http.server
import threading
from pathlib import Path

import fsspec
from backports import zstd
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.codec.recording import DELTAS, MAGIC
from syswatch.model.messages import Ended, Failed
from syswatch.tracer.inputs.input_file import InputFile
from tests import samples
from tests.reading import read_logs, total

LOG = samples.LOGS / "threads.log"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line for each request."""

    def log_message(self, *_: object) -> None:
        """Write nothing."""


class RemoteTests(SynchronousTestCase):
    """URLs, read through fsspec."""

    def store(self, name: str, content: bytes) -> str:
        """Write a file in memory; return its URL."""
        url = f"memory://{self.id()}/{name}"
        with fsspec.open(url, "wb") as file:
            file.write(content)
        return url

    def test_log(self) -> None:
        """A log in another file system has the same sums, compressed or not."""
        content = LOG.read_bytes()
        for url in (self.store("a.log", content), self.store("a.zst", zstd.compress(content))):
            messages = read_logs([url])

            self.assertEqual(Ended(), messages[-1])
            local = total(read_logs([LOG]))
            self.assertEqual(local.calls, total(messages).calls)
            self.assertEqual(local.reading.lines, total(messages).reading.lines)

    def test_pattern(self) -> None:
        """A pattern stands for all files that it matches."""
        for at in range(3):
            self.store(f"many/{at}.log", b"close(3) = 0\n")
        url = f"memory://{self.id()}/many/*.log"

        messages = read_logs([url])

        self.assertEqual(3, total(messages).calls["close"].count)
        *_, failed = read_logs([url.replace("many", "none")])
        self.assertEqual(
            Failed(f"{url.replace('many', 'none')}: no file matches this pattern"), failed
        )

    def test_recording(self) -> None:
        """The sums of a recording of every call are read."""
        messages = read_logs([LOG])
        url = self.store(f"app.rec/{DELTAS}", MAGIC + b"".join(map(encode, messages)))

        again = read_logs([url.removesuffix(f"/{DELTAS}")])

        self.assertEqual(total(messages), total(again))

    def test_any_part(self) -> None:
        """Any part can be read, wherever the reading is."""
        with InputFile.open(self.store("b.log", b"0123456789")) as file:
            block, _ = next(file.blocks(0))

            self.assertEqual((b"0123456789", b"345"), (block, file.read_at(3, 3)))
            self.assertTrue(file.is_seekable and file.is_remote)

    def test_http(self) -> None:
        """Files of a web server are read."""
        handler = functools.partial(_Quiet, directory=str(samples.LOGS))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"

        messages = read_logs([f"{url}/threads.log"])

        self.assertEqual(total(read_logs([LOG])).calls, total(messages).calls)
        *_, failed = read_logs([f"{url}/none.log"])
        self.assertEqual(Failed(f"{url}/none.log: No such file or directory"), failed)

    def test_unsupported(self) -> None:
        """A scheme that is not known, or whose package is not installed, is an error."""
        for url, reason in (
            ("xyz://a/b.log", "the scheme 'xyz' is not supported"),
            ("s3://a/b.log", "another package is needed: .*s3fs"),
            (f"memory://{self.id()}/none.log", "No such file or directory"),
        ):
            *_, failed = read_logs([url])

            self.assertRegex(str(failed), f"{url}: {reason}")

    def test_file_with_such_a_name(self) -> None:
        """A file whose name looks like a URL is a file."""
        Path("s3:").mkdir()
        self.addCleanup(Path("s3:").rmdir)
        path = Path("s3:") / "a.log"
        path.write_bytes(LOG.read_bytes())
        self.addCleanup(path.unlink)

        self.assertEqual(Ended(), read_logs(["s3://a.log"])[-1])


class ZstandardTests(SynchronousTestCase):
    """Files that Zstandard compresses."""

    def test_log(self) -> None:
        """A compressed log has the same sums; all its bytes are read."""
        content = b"close(3) = 0\nclose(4) = 0\n" * 5000
        path = Path(self.mktemp() + ".101.zst")
        # Two frames, as those that were appended to a file.
        path.write_bytes(zstd.compress(content) + zstd.compress(content))

        whole = total(read_logs([path]))

        self.assertEqual(
            (20_000, path.stat().st_size), (whole.reading.records, whole.reading.bytes)
        )
        self.assertEqual({101}, set(whole.processes))

    def test_damaged(self) -> None:
        """Data that is damaged, or ends too early, is an error."""
        content = zstd.compress(LOG.read_bytes())
        for damaged, reason in (
            (content[:-9], "the compressed data ends too early"),
            (content[:4] + b"\xff" * 400, "([Zz]std|[Dd]ecompress)"),
        ):
            path = Path(self.mktemp())
            path.write_bytes(damaged)

            *_, failed = read_logs([path])

            self.assertRegex(str(failed), f"{path}: .*{reason}")
