"""Tests of reading inputs, from their names to the last message."""

import gzip
import os
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import Message, encode
from syswatch.codec.recording import MAGIC
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, Started
from syswatch.tracer.inputs import log_source, parallel
from syswatch.tracer.inputs.input_file import InputError, InputFile
from syswatch.tracer.stracelog.log_parser import LogParser
from syswatch.tracer.stracelog.log_part import LogPart
from tests import samples
from tests.reading import read_logs, total, without_objects


class InputReaderTests(SynchronousTestCase):
    """Messages of the reader."""

    def read(self, *files: str | Path, workers: int = 1, **options: Any) -> list[Message]:
        """Read some inputs and return the messages."""
        return read_logs(files, workers=workers, **options)

    def file(self, content: bytes, suffix: str = "") -> Path:
        """Create a file."""
        path = Path(self.mktemp() + suffix)
        path.write_bytes(content)
        return path

    def test_order(self) -> None:
        """The messages are the start, deltas and the end."""
        path = samples.LOGS / "true.log"

        started, *deltas, ended = self.read(path)

        self.assertTrue(isinstance(started, Started) and started.process.comm == "true")
        self.assertTrue(isinstance(started, Started) and started.total_bytes == path.stat().st_size)
        self.assertTrue(deltas and all(isinstance(delta, Delta) for delta in deltas))
        self.assertEqual(Ended(), ended)

    def test_all_bytes_are_read(self) -> None:
        """The number of bytes that were read is the size of the file, compressed or not."""
        for content in (b"close(3) = 0\n" * 9, gzip.compress(b"close(3) = 0\n" * 9)):
            path = self.file(content)

            whole = total(self.read(path))

            self.assertEqual((len(content), 9), (whole.reading.bytes, whole.reading.records))

    def test_several_files(self) -> None:
        """Files of strace -ff are read as one log, with the suffix as the PID."""
        one = self.file(b"close(3) = 0\nclose(4) = 0\n", ".101")
        other = self.file(gzip.compress(b"close(5) = 0\n"), ".102.gz")

        whole = total(self.read(one, other, per_process=True))

        self.assertEqual({101: 2, 102: 1}, {pid: t.count for pid, t in whole.processes.items()})
        self.assertEqual({101, 102}, set(whole.by_process))

    def test_large_files_are_read_in_parts(self) -> None:
        """Reading a file in parts gives the same result, except for objects of other parts."""
        path = samples.LOGS / "threads.log"
        small = total(self.read(path))
        self.patch(parallel, "RANGE_BYTES", 3000)
        self.patch(log_source, "LEAST_PARALLEL_BYTES", 3000)

        large = total(self.read(path, workers=2))
        self.assertEqual(without_objects(small), without_objects(large))

    def read_parts(self, log: bytes) -> int:
        """Read a log that is not large with two workers; return in how many parts."""
        self.patch(log_source, "LEAST_PARALLEL_BYTES_IF_SHORT", 1)
        parts: list[int] = []
        absorb = LogParser.absorb

        def counted(parser: LogParser, part: LogPart) -> Delta:
            parts.append(part.delta.reading.lines)
            return absorb(parser, part)

        self.patch(LogParser, "absorb", counted)
        small = total(self.read(self.file(log)))
        self.assertEqual([], parts)
        in_parts = total(self.read(self.file(log), workers=2))
        self.assertEqual(without_objects(small), without_objects(in_parts))
        return len(parts)

    def test_logs_of_short_processes_are_read_in_parts(self) -> None:
        """A log of a build is read on two CPUs even if it is not large."""
        build = b"".join(b"%d close(%d) = 0\n" % (at // 100 + 1, at) for at in range(50_000))

        self.assertEqual(2, self.read_parts(build))

    def test_logs_of_long_processes_are_read_by_one_worker(self) -> None:
        """A part does not know what was opened before it: the processes run in all of them."""
        server = b"".join(b"%d close(%d) = 0\n" % (at % 7 + 1, at) for at in range(50_000))

        self.assertEqual(0, self.read_parts(server))
        self.assertEqual(0, self.read_parts(b"close(3) = 0\n" * 50_000))

    def test_logs_of_which_the_last_process_is_another_are_read_in_order(self) -> None:
        """Whose the lines without a PID are is only known from the lines before."""
        lines = (b"[pid %d] close(3) = 0\n" % (at // 100 + 1) for at in range(50_000))
        build = b"gettid() = 501\nstrace: Process 500 attached\n" + b"".join(lines)
        self.assertEqual(2, self.read_parts(build))
        end = b"[pid 501] +++ exited with 0 +++\nclose(4) = 0\n"
        self.assertEqual(0, self.read_parts(build + end))

    def test_no_text(self) -> None:
        """What is not a text that can be read is an error that says what it is, and what helps."""
        log = b"close(3) = 0\n"
        for content, expected in (
            (log.decode().encode("utf-16"), "iconv"),
            (gzip.compress(gzip.compress(log)), "compressed twice"),
            (b"PK\x03\x04" + log, "a ZIP archive; unpack it"),
        ):
            path = self.file(content)
            *_, failed = self.read(path)
            self.assertTrue(isinstance(failed, Failed), failed)
            self.assertIn(f"{path}: ", str(failed))
            self.assertIn(expected, str(failed))

    def test_byte_order_mark(self) -> None:
        """An editor may have put it before the first line."""
        whole = total(self.read(self.file(b"\xef\xbb\xbfclose(3) = 0\n")))
        self.assertEqual(1, whole.calls["close"].count)
        self.assertTrue(whole.ledger.is_lossless, whole.ledger)

    def test_no_record(self) -> None:
        """A text without a record is an error that names possible reasons."""
        *_, failed = self.read(self.file(b"Hello.\n"))

        self.assertTrue(isinstance(failed, Failed) and "no system calls" in failed.message)

    def test_unreadable_in_the_middle(self) -> None:
        """What was read before an error is sent."""
        compressed = gzip.compress(b"".join(b"close(%d) = 0\n" % (n * n) for n in range(100_000)))

        messages = self.read(self.file(compressed[: len(compressed) // 2]))

        self.assertTrue(isinstance(messages[-1], Failed) and "too early" in messages[-1].message)
        self.assertLess(1000, total(messages).calls["close"].count)

    def test_unreadable_part(self) -> None:
        """What was read in parts before an error is sent, with the bytes of these parts."""
        path = samples.LOGS / "threads.log"
        self.patch(parallel, "RANGE_BYTES", 3000)
        self.patch(log_source, "LEAST_PARALLEL_BYTES", 3000)
        read_range = parallel.read_range

        def read(source: InputFile, begin: int, end: int, template: LogParser) -> Any:
            if begin > 9000:
                raise InputError("gone")
            return read_range(source, begin, end, template)

        self.patch(parallel, "read_range", read)
        # The parts are read so fast that nothing has been sent.
        self.patch(log_source, "_send_if_due", lambda *_: None)
        messages = self.read(path, workers=2)

        self.assertTrue(isinstance(messages[-1], Failed) and "gone" in messages[-1].message)
        reading = total(messages).reading
        self.assertLessEqual(9000, reading.bytes)
        read_before = path.read_bytes()[: reading.bytes]
        self.assertEqual(read_before.count(b"\n"), reading.lines)

    def test_second_file_missing(self) -> None:
        """What was read before a file that cannot be opened is sent."""
        messages = self.read(self.file(b"close(3) = 0\n"), "/nonexistent")

        self.assertTrue(isinstance(messages[-1], Failed) and "/nonexistent" in messages[-1].message)
        self.assertEqual(1, total(messages).calls["close"].count)

    def test_several_unreadable(self) -> None:
        """Files after one that cannot be read are read, too; the first few errors are named."""
        log = self.file(b"close(3) = 0\n")
        missing = [f"/nonexistent/{at}" for at in range(7)]

        messages = self.read(log, *missing, log)

        *named, rest = str(messages[-1]).split("; ")
        self.assertEqual(5, len(named))
        self.assertTrue("/nonexistent/4" in named[-1] and "2 more cannot be read" in rest)
        self.assertEqual(2, total(messages).calls["close"].count)

    def test_asked_to_stop(self) -> None:
        """A reading that is stopped ends with what was read before."""
        path = self.file(b"close(3) = 0\n" * 1_000_000)

        asked = iter([False, False])

        messages = read_logs([path], must_stop=lambda: next(asked, True))

        self.assertEqual(Ended(), messages[-1])
        self.assertTrue(0 < total(messages).calls["close"].count < 1_000_000)

    def test_recording(self) -> None:
        """A recording, compressed or not, gives the same messages again."""
        before = self.read(samples.LOGS / "threads.log")
        recording = MAGIC + b"".join(map(encode, before))

        for content in (recording, gzip.compress(recording)):
            again = self.read(self.file(content))

            self.assertEqual(before[0], again[0])
            self.assertEqual(total(before), total(again))
            self.assertEqual(Ended(), again[-1])

    def test_recording_of_another_version(self) -> None:
        """A recording of a later version is not taken for a log."""
        last = self.read(self.file(b"syswatch recording 9\n"))[-1]

        self.assertTrue(isinstance(last, Failed) and "format version 9" in last.message, last)

    def test_recording_of_a_failure(self) -> None:
        """A recording that ends with an error gives its deltas, then the error."""
        before = self.read(samples.LOGS / "true.log")[:-1]
        recording = MAGIC + b"".join(map(encode, [*before, Failed("it broke")]))

        again = self.read(self.file(recording))

        self.assertTrue(isinstance(again[-1], Failed) and "it broke" in again[-1].message)
        self.assertEqual(total(before), total(again))

    def test_damaged_recordings(self) -> None:
        """A recording that is cut short or damaged is an error in one sentence."""
        before = self.read(samples.LOGS / "true.log")
        recording = MAGIC + b"".join(map(encode, before))
        noise = MAGIC + os.urandom(1000)

        for content in (recording[:-100], noise, recording[:200] + b"\xff" * 20 + recording[220:]):
            last = self.read(self.file(content))[-1]

            self.assertTrue(isinstance(last, Failed) and "recording" in last.message, last)
