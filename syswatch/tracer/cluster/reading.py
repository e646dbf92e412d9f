"""Reads all inputs of a job on a cluster, and sends what they hold."""

import queue
from collections import deque
from collections.abc import Iterator
from functools import partial

import attrs
from distributed import Client

from syswatch.base.classes import define
from syswatch.model.backends import STRACE_LOG
from syswatch.model.delta import Delta
from syswatch.model.ledger import Reading
from syswatch.model.messages import ReadLogs, Started
from syswatch.tracer.inputs.input_file import InputError
from syswatch.tracer.inputs.log_source import ALL_LOGS, total_bytes
from syswatch.tracer.inputs.sink import SEND_INTERVAL_S, Sink, StoppedError

from . import tasks
from .connection import connected, failure, threads_of
from .piece import Piece
from .submission import Future, Submission
from .tasks import Plan

# Reading tasks for each thread of the workers: so many are submitted ahead.
_AHEAD = 4
_LEAST_AHEAD = 64


def read(job: ReadLogs, sink: Sink) -> list[InputError]:
    """Read everything; return the errors of what could not be read."""
    with connected(job.scheduler or "") as client:
        return ClusterReading(client, job, sink).read()


@define
class ClusterReading:
    """One job on a cluster."""

    client: Client
    job: ReadLogs
    sink: Sink
    _troubles: list[InputError] = attrs.field(factory=list, init=False)
    # The bytes that reading tasks have read, with the task.
    _read: "queue.SimpleQueue[tuple[int, Future]]" = attrs.field(
        factory=queue.SimpleQueue, init=False
    )
    # How many bytes were reported before the sums that they belong to.
    _bytes_ahead: int = attrs.field(default=0, init=False)
    _total_bytes: int | None = attrs.field(default=None, init=False)
    # Whether it is known which program the logs are of.
    _has_program: bool = attrs.field(default=False, init=False)

    def read(self) -> list[InputError]:
        """Read everything; return the errors of what could not be read."""
        plans = self._plans()
        if plans and isinstance(plan := plans[0][1], Plan) and plan.is_log:
            # What has been read is shown before the first numbers come.
            self._start_logs(Started(STRACE_LOG.name))
        submission = Submission(self.client, self.job, plans, self._note_read)
        try:
            self._collect(submission, submission.answers())
        finally:
            # The numbers are those of the answers that have arrived.
            self._report(-self._bytes_ahead)
        return self._troubles

    def _note_read(self, size: int, task: Future) -> None:
        """Take note in the thread of the client, whose work must not wait."""
        self._read.put((size, task))

    def _plans(self) -> list[tuple[str, Plan | Piece]]:
        """Return how each input is read, as the workers see them."""
        names = self.job.files
        planned = self.client.map(partial(tasks.plan, self.job), names, pure=False, retries=1)
        plans: list[tuple[str, Plan | Piece]] = []
        for name, future in zip(names, planned, strict=True):
            self._wait(future)
            try:
                plan: Plan | InputError = future.result()
            except Exception as error:
                raise failure(error, {str(future.key): name}) from error
            plans.append((name, plan if isinstance(plan, Plan) else Piece(troubles=(plan,))))
        sizes = [plan.size for _, plan in plans if isinstance(plan, Plan)]
        self._total_bytes = total_bytes(self.job.files)
        if self._total_bytes is None and None not in sizes:
            self._total_bytes = sum(size or 0 for size in sizes)
        return plans

    def _wait(self, future: Future) -> None:
        while not future.done():
            self._follow_reading()

    def _collect(self, submission: Submission, answers: Iterator[Future]) -> None:
        """Take the answers in the order of the inputs, and submit the next tasks meanwhile."""
        waiting: deque[Future] = deque()
        is_complete = False
        while waiting or not is_complete:
            while not is_complete and len(submission.reading) < self._most_ahead():
                answer = next(answers, None)
                if answer is None:
                    is_complete = True
                else:
                    waiting.append(answer)
            self._follow_reading(submission)
            while waiting and waiting[0].done():
                self._take(waiting.popleft(), submission)

    def _most_ahead(self) -> int:
        return max(threads_of(self.client) * _AHEAD, _LEAST_AHEAD)

    def _follow_reading(self, submission: Submission | None = None) -> None:
        """Report what tasks have read since the last time; wait a little if that is nothing."""
        size = 0
        try:
            read, task = self._read.get(timeout=SEND_INTERVAL_S)
            while True:
                size += read if task.status == "finished" else 0
                if submission is not None:
                    submission.reading.discard(task)
                read, task = self._read.get_nowait()
        except queue.Empty:
            pass
        if self.sink.starts:
            self._bytes_ahead += size
            self._report(size)
            self.sink.send_if_due()
        elif self.sink.must_stop():
            raise StoppedError

    def _report(self, size: int) -> None:
        if size:
            self.sink.add(Delta(reading=Reading(bytes=size)))

    def _start_logs(self, start: Started) -> None:
        self.sink.start(ALL_LOGS, attrs.evolve(start, total_bytes=self._total_bytes))

    def _take(self, answer: Future, submission: Submission) -> None:
        try:
            piece: Piece = answer.result()
        except Exception as error:
            raise failure(error, submission.names) from error
        for name, start in piece.starts.items():
            if name != ALL_LOGS:
                self.sink.start(name, start)
            elif not self._has_program:
                self._has_program = True
                self._start_logs(start)
        for name, end in piece.ends.items():
            self.sink.end(name, end)
        # The bytes were reported as they were read.
        self._report(-piece.bytes)
        self._bytes_ahead -= piece.bytes
        for delta in piece.deltas:
            self.sink.add(delta)
            self.sink.send_if_due()
        self.sink.has_records |= piece.has_records
        self._troubles += piece.troubles
