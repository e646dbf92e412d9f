"""Tests of traces for Perfetto, which its own trace processor reads."""

from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.codec.event_frames import Loss
from syswatch.codec.events import Flag
from syswatch.model.times import SECOND_NS
from tests.recording import samples
from tests.recording.samples import BEGUN_NS, PIPE, Call

from .exported import exported
from .trace_processor import query

_ERRORS = "SELECT name, value FROM stats WHERE value > 0 AND severity IN ('error', 'data_loss')"
_SLICES = (
    "SELECT ts, dur, slice.name, category, tid, pid FROM slice JOIN thread_track"
    " ON slice.track_id = thread_track.id JOIN thread USING (utid) JOIN process USING (upid)"
    " ORDER BY ts"
)


class PerfettoTests(TestCase):
    """What the trace processor finds."""

    def test_slices(self) -> None:
        """Every call is a slice of its thread, with its times; there are no errors."""
        trace = exported(samples.write(Path(self.mktemp())), "perfetto")
        errors, slices = query(trace, _ERRORS, _SLICES)
        self.assertEqual([], errors)
        expected = [
            (
                BEGUN_NS + call.start_ns,
                -1 if call.duration_ns is None else call.duration_ns,
                call.name,
                call.tid,
                call.pid,
            )
            for call in sorted(samples.SOME, key=lambda call: call.start_ns)
        ]
        self.assertEqual(expected, [(*row[:3], *row[4:]) for row in slices])
        categories = {row[2]: row[3] for row in slices}
        self.assertEqual("NET,waiting", categories["recvfrom"])
        self.assertEqual("FS,working", categories["openat"])

    def test_begun_before(self) -> None:
        """A call that began before the trace was blocked, unless nothing is known of its time."""
        calls = [Call(0, 5_000_000, flags=Flag.UNTIMED), Call(6_000_000, 0, flags=Flag.UNTIMED)]
        trace = exported(samples.write(Path(self.mktemp()), calls), "perfetto")
        _, slices = query(trace, _ERRORS, _SLICES)
        self.assertEqual(["waiting", "working"], [row[3].split(",")[1] for row in slices])

    def test_many(self) -> None:
        """No call is lost or merged with another; those of a thread may touch."""
        calls = samples.many(3000)
        folder = samples.write(Path(self.mktemp()), calls, calls_in_segment=1000)
        errors, ((count, depth),) = query(
            exported(folder, "perfetto"), _ERRORS, "SELECT count(*), max(depth) FROM slice"
        )
        self.assertEqual(([], len(calls), 0), (errors, count, depth))

    def test_details(self) -> None:
        """A slice has the arguments, the result, the error and the object of its call."""
        trace = exported(samples.write(Path(self.mktemp())), "perfetto")
        sql = (
            "SELECT key, coalesce(string_value, int_value) FROM slice JOIN args USING (arg_set_id)"
            " WHERE slice.name = '{}' AND key LIKE 'debug.%'"
        )
        received, opened, threads = query(
            trace,
            sql.format("recvfrom"),
            sql.format("openat"),
            "SELECT thread.name, process.name FROM thread JOIN process USING (upid) WHERE tid = 8",
        )
        self.assertEqual(
            {
                "debug.args": '3, "", 64',
                "debug.result": "64",
                "debug.object": samples.PEER.name,
                "debug.kind": "tcp",
                "debug.bytes": 64,
                "debug.waiting_ns": 880_000_000,
                "debug.ready_ns": 5_000_000,
            },
            dict(received),
        )
        self.assertIn(("debug.errno", "ENOENT"), opened)
        self.assertEqual([("thread-8", "cat")], threads)

    def test_flow(self) -> None:
        """A write and the read of the same pipe that waited for it are connected, and no others."""
        calls = (
            Call(1000, 9000, name="read", object=PIPE, waiting_ns=8000, moved=5, result=5),
            Call(7000, 2000, tid=9, pid=9, name="write", object=PIPE, moved=5, result=5),
            Call(20_000, 500, tid=9, pid=9, name="write", object=PIPE, moved=5, result=5),
            Call(30_000, 500, name="read", object=PIPE, moved=5, result=5),
        )
        trace = exported(samples.write(Path(self.mktemp()), calls, calls_in_segment=9), "perfetto")
        errors, flows = query(
            trace,
            _ERRORS,
            # The one that began first is the beginning.
            "SELECT a.ts, b.ts FROM flow JOIN slice AS a ON a.id = slice_out"
            " JOIN slice AS b ON b.id = slice_in",
        )
        self.assertEqual([], errors)
        self.assertEqual([(BEGUN_NS + 1000, BEGUN_NS + 7000)], flows)

    def test_counters(self) -> None:
        """Counters have the sums of each second, and what is missing."""
        losses = [Loss(7, BEGUN_NS // SECOND_NS + 1, 5)]
        folder = samples.write(Path(self.mktemp()), losses=losses)
        (values,) = query(
            exported(folder, "perfetto"),
            "SELECT name, ts, value FROM counter JOIN counter_track ON track_id = counter_track.id",
        )
        found = {(name, (ts - BEGUN_NS) // SECOND_NS): value for name, ts, value in values}
        self.assertEqual(4, found["Calls per second", 0])
        self.assertEqual(3, found["Calls per second", 1])
        self.assertEqual(0, found["Calls per second", 2])
        self.assertEqual(512 + 9, found["Bytes per second", 0])
        self.assertEqual(64 + 77, found["Bytes per second", 1])
        self.assertEqual(5, found["Missing calls per second", 1])
        self.assertAlmostEqual(0.85, found["Calls in progress (average)", 0], places=3)
