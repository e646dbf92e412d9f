"""Tests of submitting tasks, with a scheduler that does them at once."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.codec.recording import MAGIC
from syswatch.model.delta import Delta
from syswatch.model.messages import Failed, FilterOptions, ReadLogs, Started
from syswatch.tracer.cluster import submission, tasks
from syswatch.tracer.cluster.piece import Piece, added
from syswatch.tracer.cluster.submission import Future, Submission
from syswatch.tracer.inputs import log_source, parallel
from syswatch.tracer.inputs.input_file import InputError
from tests import samples
from tests.reading import read_logs, total
from tests.tracer.cluster.fakes import ImmediateScheduler


class SubmissionTests(SynchronousTestCase):
    """The sums of all tasks are those of one process."""

    def read(self, *files: str | Path, workers: int = 1, **options: Any) -> Piece:
        """Return the sum of all answers."""
        job = ReadLogs(tuple(map(str, files)), workers, FilterOptions(**options), "")
        self.scheduler = ImmediateScheduler()
        self.bytes_read = 0
        plans: list[tuple[str, tasks.Plan | Piece]] = []
        for name in job.files:
            plan = tasks.plan(job, name)
            plans.append((name, Piece(troubles=(plan,)) if isinstance(plan, InputError) else plan))
        submitted = Submission(self.scheduler, job, plans, self.note)
        self.answers: Sequence[Future] = list(submitted.answers())
        return added(answer.result() for answer in self.answers)

    def note(self, size: int, task: Future) -> None:
        """Add what was read."""
        self.assertEqual("finished", task.status)
        self.bytes_read += size

    def sum(self, piece: Piece) -> Delta:
        """Return the sum of a piece."""
        return sum(piece.deltas, start=Delta())

    def check(self, *files: str | Path, workers: int = 1, **options: Any) -> Piece:
        """Check that the result is that of one process; return the whole."""
        local = read_logs(files, workers=workers, **options)
        piece = self.read(*files, workers=workers, **options)
        self.assertEqual(total(local), self.sum(piece))
        first = next(iter(piece.starts.values()))
        self.assertTrue(isinstance(local[0], Started) and local[0].process == first.process)
        return piece

    def test_logs(self) -> None:
        """Many logs are added in trees, whatever their number."""
        logs = sorted(samples.LOGS.glob("*.log"))
        for count in (1, 2, 9, 70):
            self.check(*(logs * 9)[:count])

        reading = sum(each == "read_whole" for each in self.scheduler.submitted)
        self.assertEqual(70, reading)
        self.assertLess(len(self.answers), 70)
        self.assertGreaterEqual(len(self.answers), 32)

    def test_filters(self) -> None:
        """Filters and masks are applied by the workers."""
        logs = sorted(samples.LOGS.glob("*.log"))

        self.check(*logs, per_process=True, trace="%file", status="failed", redact=("e",))
        self.check(*logs, objects=False)

    def test_large_log(self) -> None:
        """The parts of a large log are joined as by one process, some ranges at a time."""
        self.patch(parallel, "RANGE_BYTES", 1000)
        self.patch(log_source, "LEAST_PARALLEL_BYTES", 3000)
        self.patch(submission, "FAN_IN", 3)
        path = samples.LOGS / "threads.log"

        self.check(path, samples.LOGS / "true.log", workers=2)

        self.assertLess(3, self.scheduler.submitted.count("join"))
        self.assertEqual(
            path.stat().st_size + (samples.LOGS / "true.log").stat().st_size, self.bytes_read
        )

    def test_unreadable_part(self) -> None:
        """Nothing is counted after a part that cannot be read, and the others are not lost."""
        self.patch(parallel, "RANGE_BYTES", 1000)
        self.patch(log_source, "LEAST_PARALLEL_BYTES", 3000)
        self.patch(submission, "FAN_IN", 2)
        read = tasks.read_parts

        def read_parts(job: ReadLogs, name: str, begin: int, end: int) -> Any:
            return InputError("gone") if begin > 9000 else read(job, name, begin, end)

        self.patch(tasks, "read_parts", read_parts)
        piece = self.read(samples.LOGS / "threads.log", samples.LOGS / "true.log", workers=2)

        self.assertEqual(["gone"], [str(each) for each in piece.troubles])
        true = total(read_logs([samples.LOGS / "true.log"]))
        read_before = self.sum(piece).reading.bytes - true.reading.bytes
        self.assertTrue(9000 <= read_before < (samples.LOGS / "threads.log").stat().st_size)

    def test_recordings(self) -> None:
        """Logs and recordings may be mixed, and may be compressed."""
        messages = read_logs([samples.LOGS / "threads.log"])
        recording = Path(self.mktemp())
        recording.write_bytes(gzip.compress(MAGIC + b"".join(map(encode, messages))))

        piece = self.check(recording, samples.LOGS / "true.log", recording)

        self.assertEqual([str(recording), ""], list(piece.starts))

    def test_unreadable_inputs(self) -> None:
        """What cannot be read is named, and everything else is read."""
        files: list[str | Path] = ["/nonexistent", samples.LOGS / "true.log"]

        piece = self.read(*files)

        self.assertEqual(
            ["/nonexistent: No such file or directory"], [str(each) for each in piece.troubles]
        )
        *_, failed = read_logs(files)
        self.assertEqual(Failed("/nonexistent: No such file or directory"), failed)
        self.assertEqual(total(read_logs(files)), self.sum(piece))

    def test_on_demand(self) -> None:
        """Tasks are submitted when the next answer is asked for."""
        name = str(samples.LOGS / "true.log")
        job = ReadLogs((name,) * 100, scheduler="")
        scheduler = ImmediateScheduler()
        plan = tasks.plan(job, name)
        assert isinstance(plan, tasks.Plan)
        plans = [(name, plan)] * 100

        next(Submission(scheduler, job, plans, lambda *_: None).answers())

        self.assertEqual(100 // 32, scheduler.submitted.count("read_whole"))
