"""Tests that the calls recorded of a log are those that were counted."""

from collections import defaultdict
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.event_frames import Loss
from syswatch.model.delta import Delta
from syswatch.model.objects import NO_OBJECT
from syswatch.recording import manifest
from syswatch.recording.columns import CALLS
from syswatch.recording.extent import Extent
from syswatch.recording.extra import load
from syswatch.recording.read.fold import Folder
from syswatch.recording.read.opening import Recording
from syswatch.tracer.inputs import log_source, parallel
from tests import samples
from tests.reading import by_call, read_logs, total, without_named

from .reading import calls_in, record, sent_of

_LOGS = (*sorted(samples.LOGS.iterdir()), samples.LOGS.parents[1] / "examples/git-clone.log")
_TIMED = b"""\
7  1700000000.000100 openat(AT_FDCWD, "/etc/hosts", O_RDONLY) = 3 <0.000050>
7  1700000000.000200 read(3, "x\\n\\303\\244", 4096) = 4 <0.000075>
8  1700000000.000300 read(0,  <unfinished ...>
7  1700000000.000400 mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7f0c2a9d6000 <0.000010>
8  1700000000.500300 <... read resumed>"in", 2) = 2 <0.500000>
7  1700000000.600000 open("/nope", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000020>
7  1700000000.700000 pause() = ? ERESTARTNOHAND (To be restarted if no handler) <0.000030>
7  1700000000.800000 poll([{fd=3, events=POLLIN}], 1, 5) = 0 (Timeout) <0.005000>
7  1700000000.900000 exit_group(3) = ?
7  1700000000.900100 +++ exited with 3 +++
"""

_LOOKS = b"""\
7  1700000000.000100 recvfrom(3, "x"..., 30, MSG_PEEK|MSG_DONTWAIT, NULL, NULL) = 30 <0.000050>
7  1700000000.000200 recvfrom(3, ", MSG_PEEK,"..., 30, 0, NULL, NULL) = 30 <0.000050>
7  1700000000.000300 recvmsg(3, {msg_name=NULL, msg_iovlen=1}, MSG_PEEK) = 30 <0.000010>
7  1700000000.000400 recvmmsg(3, [{msg_hdr={}, msg_len=20}], 1, MSG_PEEK, NULL) = 1 <0.000010>
7  1700000000.000500 recvmsg(3, {msg_name=NULL, msg_iovlen=1}, 0) = 30 <0.000010>
"""

_IN_PROGRESS = b"""\
7  1700000000.000100 getpid() = 7 <0.000050>
8  1700000000.000200 getpid() = 8 <0.000050>
7  1700000000.000400 futex(0x7f0000001000, FUTEX_WAIT_PRIVATE, 2, NULL <unfinished ...>
8  1700000000.000500 pause( <unfinished ...>
9  1700000000.000600 getpid() = 9 <0.000050>
8  1700000001.000500 +++ killed by SIGKILL +++
9  1700000002.000400 read(0, """


def sums_of(rows: list[dict[str, Any]]) -> dict[str, tuple[int, int, int]]:
    """Return the number, the errors and the duration of the calls of each name."""
    sums: dict[str, tuple[int, int, int]] = defaultdict(lambda: (0, 0, 0))
    for row in rows:
        if row["result"] is not None:
            count, errors, total_ns = sums[row["name"]]
            failed = row["errno"] is not None
            sums[row["name"]] = (count + 1, errors + failed, total_ns + row["duration"])
    return dict(sums)


def counted(delta: Delta) -> dict[str, tuple[int, int, int]]:
    """Return what the parser has counted of each name."""
    return {name: (each.count, each.errors, each.total_ns) for name, each in delta.calls.items()}


def activity_of(rows: list[dict[str, Any]]) -> dict[tuple[int, int, str], tuple[int, int, int]]:
    """Return the number, the bytes and the time waiting for each process, object and name."""
    sums: dict[tuple[int, int, str], tuple[int, int, int]] = defaultdict(lambda: (0, 0, 0))
    for row in rows:
        if row["result"] is not None:
            key = row["pid"], row["object"] or NO_OBJECT, row["name"]
            count, moved, waiting_ns = sums[key]
            sums[key] = count + 1, moved + row["bytes"], waiting_ns + row["waiting"]
    return dict(sums)


class AgreementTests(SynchronousTestCase):
    """Recordings of kept logs."""

    def setUp(self) -> None:
        """Choose a directory."""
        self.folder = Path(self.mktemp())

    def assert_agrees(self, delta: Delta, *, with_objects: bool = True) -> None:
        """Compare the rows with what was counted."""
        rows = calls_in(self.folder)
        delta = without_named(delta)
        self.assertEqual(counted(delta), sums_of(rows))
        activity = delta.activity if with_objects else by_call(delta)
        if not with_objects:
            rows = [{**row, "object": NO_OBJECT} for row in rows]
        expected = {
            (key.pid, key.object, key.call): (
                sums.count,
                sums.bytes_in + sums.bytes_out,
                sums.waiting_ns,
            )
            for key, sums in activity.items()
        }
        self.assertEqual(expected, activity_of(rows))

    def test_kept_logs(self) -> None:
        """Rows add up to what is counted, by object, too, with bytes and estimated waits."""
        for log in _LOGS:
            self.folder = Path(self.mktemp())
            sent = total(record(self.folder, [log]))
            self.assertEqual(total(read_logs([log])), sent, log.name)
            self.assert_agrees(sent)

    def test_left_in_place(self) -> None:
        """What a program has only looked at is received by a later call."""
        log = Path(self.mktemp())
        log.write_bytes(_LOOKS)
        sent = total(record(self.folder, [log]))
        self.assertEqual(60, sum(row.bytes_in for row in sent.activity.values()))
        self.assert_agrees(sent)

    def test_folding(self) -> None:
        """The sums over a recording are those of its log."""
        for log in _LOGS:
            folder = Path(self.mktemp())
            sent = without_named(total(record(folder, [log])))
            recording = Recording.open(folder)
            folded = Folder(recording).fold()
            self.assertEqual((), recording.notes)
            for field in ("calls", "processes", "activity", "objects", "object_waits", "paths"):
                self.assertEqual(getattr(sent, field), getattr(folded, field), (log.name, field))

    def test_in_progress(self) -> None:
        """Calls in which threads were at the end take the same time in a log and its recording."""
        log = Path(self.mktemp())
        log.write_bytes(_IN_PROGRESS)
        sent = total(record(self.folder, [log]))
        rows = [row for row in calls_in(self.folder) if row["result"] is None]
        self.assertEqual(["futex", "pause", "read"], [row["name"] for row in rows])
        self.assertEqual("process 7: 0x7f0000001000", sent.objects[rows[0]["object"]].name)
        self.assertEqual(
            ["0x7f0000001000, FUTEX_WAIT_PRIVATE, 2, NULL", "", "0, "],
            [row["args"] for row in rows],
        )
        folded = Folder(Recording.open(self.folder)).fold()
        for tid, waited_ns in ((7, 2_000_000_000), (8, 1_000_000_000), (9, 0)):
            for delta in (sent, folded):
                self.assertApproximates(waited_ns, delta.threads[tid].times.waiting_ns, 100_000)

    def test_parts(self) -> None:
        """A log that is read in parts by several processes has the same rows."""
        self.patch(log_source, "LEAST_PARALLEL_BYTES", 1)
        for log in _LOGS:
            whole = self.mktemp()
            record(Path(whole), [log])
            self.folder = Path(self.mktemp())
            self.patch(parallel, "RANGE_BYTES", 5000)
            self.assert_agrees(total(record(self.folder, [log], workers=3)))
            left, right = (
                [{**row, "object": None} for row in calls_in(Path(each))]
                for each in (whole, self.folder)
            )
            self.assertEqual(left, right, log.name)

    def test_several_logs(self) -> None:
        """The calls of several logs are in one recording."""
        self.assert_agrees(total(record(self.folder, _LOGS[:3])), with_objects=False)

    def test_filters(self) -> None:
        """Calls that the filters leave out are not recorded."""
        for options in (
            {"trace": "read,openat,clone"},
            {"status": "failed"},
            {"status": "successful"},
            {"paths": ("/etc/passwd",)},
            {"objects": False},
        ):
            for log in _LOGS:
                self.folder = Path(self.mktemp())
                sent = total(record(self.folder, [log], **options))
                if sent.calls:
                    rows = calls_in(self.folder)
                    self.assertEqual(counted(sent), sums_of(rows), (options, log.name))


class RowTests(SynchronousTestCase):
    """What a row says."""

    def rows_of(self, log: bytes, **options: Any) -> list[dict[str, Any]]:
        """Return the rows of a log."""
        folder, path = Path(self.mktemp()), Path(self.mktemp())
        path.write_bytes(log)
        record(folder, [path], **options)
        return calls_in(folder)

    def test_columns(self) -> None:
        """Each call has its time, thread, result, error and texts, whatever its line looks like."""
        rows = self.rows_of(_TIMED)
        self.assertEqual([column.name for column in CALLS], list(rows[0]))
        shown = [
            (row["start"] % 10**9, row["duration"], row["tid"], row["name"], row["result"])
            for row in rows
        ]
        expected = [
            (100_000, 50_000, 7, "openat", 3),
            (200_000, 75_000, 7, "read", 4),
            (300_000, 500_000_000, 8, "read", 2),
            (400_000, 10_000, 7, "mmap", 0x7F0C2A9D6000),
            (600_000_000, 20_000, 7, "open", -2),
            (700_000_000, 30_000, 7, "pause", -514),
            (800_000_000, 5_000_000, 7, "poll", 0),
            (900_000_000, None, 7, "exit_group", None),
        ]
        self.assertEqual(expected, shown)
        self.assertEqual(
            [None, None, None, None, "ENOENT", "ERESTARTNOHAND", None, None],
            [row["errno"] for row in rows],
        )
        self.assertEqual(
            ["3", "4", "2", "0x7f0c2a9d6000", None, None, "0 (Timeout)", "?"],
            [row["ret"] for row in rows],
        )
        self.assertEqual('AT_FDCWD, "/etc/hosts", O_RDONLY', rows[0]["args"])
        self.assertEqual('0, "in", 2', rows[2]["args"])
        self.assertEqual([False] * 8, [row["untimed"] for row in rows])
        self.assertEqual([0, 65_000, 499_990_000], [row["waiting"] for row in rows[:3]])
        self.assertEqual([0, 4, 2], [row["bytes"] for row in rows[:3]])
        self.assertEqual({None}, {row["a0"] for row in rows})

    def test_killed_in_a_call(self) -> None:
        """A call in which a process was killed is recorded once, however strace writes that."""
        for lines in (
            b"7  1700000000.000100 read(3,  <unfinished ...>) = ?\n",
            b"7  1700000000.000100 read(3, ) = ?\n",
            b"7  1700000000.000100 read(3,  <unfinished ...>\n",
            b"7  1700000000.000100 read(3,  <unfinished ...>\n%s"
            % b"7  1700000000.000200 <... read resumed>) = ?\n",
        ):
            log = lines + b"7  1700000001.000000 +++ killed by SIGKILL +++\n"
            (row,) = self.rows_of(b"8  1700000000.000000 getpid() = 8 <0.000001>\n" + log)[1:]
            self.assertEqual(("read", None), (row["name"], row["result"]), lines)
            self.assertEqual((1_700_000_000_000_100_000, "3, "), (row["start"], row["args"]))

    def test_without_durations(self) -> None:
        """Calls of unknown duration have returned; this is not known of their time."""
        (row,) = self.rows_of(b"7 1700000000.000100 close(3) = 0\n")
        self.assertEqual((0, True, 0), (row["duration"], row["untimed"], row["result"]))

    def test_without_times(self) -> None:
        """In a log without times, calls follow each other, in the order of their lines."""
        rows = self.rows_of(
            b"close(3) = 0 <0.000010>\npoll([], 0, 5) = 0 (Timeout) <0.000500>\n" * 2
        )
        self.assertEqual(["close", "poll"] * 2, [row["name"] for row in rows])
        starts = [row["start"] for row in rows]
        self.assertEqual([0, 10_000, 510_000, 520_000], starts)

    def test_redaction(self) -> None:
        """Secrets, arguments and long strings do not reach the disk."""
        log = b'7 write(3</secret>, "my secret word", 14) = 14</secret>\n7 close(3) = 0\n'
        for text in (log, log * 2 + b"7 write(3, <unfinished ...>\n"):
            masked = self.rows_of(text, redact=("secret",))
            self.assertNotIn("secret", str(masked))
            self.assertIn("word", masked[0]["args"])
            self.assertEqual(
                {""}, {row["args"] for row in self.rows_of(text, read_arguments=False)}
            )
            short = self.rows_of(text, string_limit=2)
            self.assertEqual('3</secret>, "my"..., 14', short[0]["args"])

    def test_bytes_that_are_not_text(self) -> None:
        """What is not printable is escaped."""
        rows = self.rows_of(b'write(1, "\x1b[2J\xff", 5) = 5\nclose(3) = 0\n')
        self.assertEqual('1, "\\x1b[2J\\xff", 5', rows[0]["args"])

    def test_large_numbers(self) -> None:
        """Numbers of a damaged line are bounded."""
        rows = self.rows_of(
            b"7 9999999999.000001 read(3) = 99999999999999999999999 <999999999.000001>\n"
            b"7 1700000000.000001 mmap() = 0xffffffffffffffffffff <0.000001>\n"
        )
        self.assertEqual([-1, -1], [row["result"] for row in rows])

    def test_many_names(self) -> None:
        """A file that is not a log may have any number of names."""
        names = [b"call%d" % number for number in range(33_000)]
        rows = self.rows_of(b"".join(b"%s() = 0\n" % name for name in names))
        self.assertEqual(len(names), len(rows))
        self.assertEqual(("call31999", "?"), (rows[31_999]["name"], rows[32_000]["name"]))

    def test_manifest(self) -> None:
        """The manifest has the names of the logs, and the times are theirs."""
        folder, path = Path(self.mktemp()), Path(self.mktemp())
        path.write_bytes(_TIMED)
        record(folder, [path, path])
        about = manifest.read(folder)
        base = 1_700_000_000 * 10**9
        self.assertEqual((str(path),), about.logs)
        self.assertEqual("strace log", about.backend)
        # The last call has not returned.
        self.assertEqual((base + 100_000, base + 900_000_000), (about.begun_ns, about.ended_ns))

    def test_losses(self) -> None:
        """Where calls are missing in a log, they are missing in its recording."""
        path = Path(self.mktemp())
        path.write_bytes(_TIMED + b"8  1700000001.000000 --- 17 calls missing ---\n")
        _, items = sent_of([path])
        losses = [each for item in items if isinstance(item, list) for each in item]
        self.assertIn(Loss(8, 1_700_000_001, 17), losses)

    def test_extent(self) -> None:
        """The footer of a segment has the bounds of its calls."""
        folder, path = Path(self.mktemp()), Path(self.mktemp())
        path.write_bytes(_TIMED)
        record(folder, [path])
        (file,) = (folder / "calls").iterdir()
        extent = Extent.from_metadata(load("pyarrow.parquet").read_schema(file).metadata)
        base = 1_700_000_000 * 10**9
        self.assertEqual(Extent(base + 100_000, base + 150_000, base + 805_000_000, 1), extent)
