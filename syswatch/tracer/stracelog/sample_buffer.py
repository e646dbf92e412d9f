"""Keeps the newest calls and failures of a log until the next delta is taken."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.model.delta import ODD_LINES, Delta, Span
from syswatch.model.entries import FAILURE_SAMPLES, LOG_ENTRIES, Failure, LogEntry
from syswatch.model.ledger import Reading

from .estimated_waits import has_waited
from .line_format import Row
from .log_filter import LogFilter
from .row_loops import loops
from .samples import CallSample, LineBatch, LineSample, Samples, with_object

_UNPARSED_BYTES = 400


@define
class SampleBuffer:
    """The parts of a delta that are about single lines."""

    _filter: LogFilter = attrs.field(factory=LogFilter)
    _log: deque[CallSample | LineSample] = attrs.field(factory=lambda: deque(maxlen=LOG_ENTRIES))
    _failures: dict[str, deque[CallSample | LineSample]] = attrs.field(
        factory=lambda: defaultdict(_no_failures)
    )
    _latest: LineBatch | None = None
    _odd_lines: list[str] = attrs.field(factory=list)
    size: int = 0
    lines: int = 0
    records: int = 0
    halves: int = 0
    notes: int = 0
    # The times of the first and the last line; None and 0 if no line has a time.
    _first_ns: int | None = None
    last_ns: int = 0

    def note_time(self, time_ns: int | None) -> None:
        """Note the time of a line."""
        if time_ns is None:
            return
        if self._first_ns is None:
            self._first_ns = self.last_ns = time_ns
        elif time_ns > self.last_ns:
            self.last_ns = time_ns
        elif time_ns < self._first_ns:
            self._first_ns = time_ns

    def add_unparsed_line(self, line: bytes) -> None:
        """Keep the first few lines that could not be parsed."""
        if len(self._odd_lines) < ODD_LINES:
            self._odd_lines.append(self._filter.text(line)[:_UNPARSED_BYTES])

    def add_unparsed(self, lines: Sequence[str]) -> None:
        """Add the unparsed lines of the next part of the log."""
        self._odd_lines = [*self._odd_lines, *lines][:ODD_LINES]

    def add_call(self, sample: CallSample) -> None:
        """Add a parsed call."""
        self._take_from_batch()
        self._log.append(sample)
        if sample.call.errno:
            self._failures[sample.call.name].append(sample)

    def add_batch(self, batch: LineBatch, rows: Sequence[Row]) -> None:
        """Add the newest lines of a batch, which has a row for each line."""
        if batch.has_at_least(LOG_ENTRIES):
            # All earlier samples are older.
            self._log.clear()
        else:
            self._take_from_batch()
        self._latest = batch
        for name, indexes in _newest_failures(rows, batch.others).items():
            self._failures[name].extend(self._shortened(map(batch.sample, reversed(indexes))))

    def samples(self, objects: Mapping[int, int]) -> Samples:
        """Return what was kept, for the parser of the whole log; `objects` are those of lines."""
        self._take_from_batch()
        # Failures are shown without their objects.
        failures = {name: tuple(samples) for name, samples in self._failures.items()}
        return Samples(tuple(with_object(each, objects) for each in self._log), failures)

    def add(self, samples: Samples) -> None:
        """Add the samples of the next part of the log."""
        self._take_from_batch()
        self._log.extend(samples.log)
        for name, failures in samples.failures.items():
            self._failures[name].extend(failures)

    def sums_only(self, sums: Delta) -> Delta:
        """Add what was counted of lines to the sums of calls."""
        reading = Reading(self.size, self.lines, self.records, self.halves, self.notes)
        span = None if self._first_ns is None else Span(self._first_ns, self.last_ns)
        return attrs.evolve(sums, span=span, reading=reading, odd_lines=tuple(self._odd_lines))

    def complete(self, sums: Delta, fallback_pid: int, objects: Mapping[int, int]) -> Delta:
        """Add the samples to the sums of calls; `objects` are those of lines."""
        self._take_from_batch()
        log = (self._parsed(with_object(sample, objects)) for sample in self._log)
        return attrs.evolve(
            self.sums_only(sums),
            log=tuple(_log_entry(each, fallback_pid) for each in log),
            failures={
                name: tuple(_failure(self._parsed(sample), fallback_pid) for sample in samples)
                for name, samples in self._failures.items()
            },
        )

    def _take_from_batch(self) -> None:
        """Take samples from the latest batch; most batches are replaced before this is needed."""
        if self._latest is not None:
            self._log.extend(self._shortened(self._latest.newest(LOG_ENTRIES)))
            self._latest = None

    def _shortened(
        self, calls: Iterable[CallSample | LineSample | None]
    ) -> Iterator[CallSample | LineSample]:
        for sample in calls:
            if sample is not None:
                is_long = isinstance(sample, LineSample) and sample.is_long
                yield self._parsed(sample) if is_long else sample

    def _parsed(self, sample: CallSample | LineSample) -> CallSample:
        return sample if isinstance(sample, CallSample) else sample.parse(self._filter.shown)


def _no_failures() -> deque[CallSample | LineSample]:
    """Return room for failures of one name; named, so that it can be pickled."""
    return deque(maxlen=FAILURE_SAMPLES)


def _newest_failures(
    rows: Sequence[Row], others: Mapping[int, CallSample | LineSample | None]
) -> Mapping[str, list[int]]:
    """Return the indexes of the newest failures of each name, the newest first."""
    plain = loops.newest_failures(rows, others, FAILURE_SAMPLES)
    newest = {name.decode(): indexes for name, indexes in plain.items()}
    for index, sample in others.items():
        if isinstance(sample, CallSample) and sample.call.errno:
            newest.setdefault(sample.call.name, []).append(index)
    return {
        name: sorted(indexes, reverse=True)[:FAILURE_SAMPLES] for name, indexes in newest.items()
    }


def _log_entry(sample: CallSample, fallback_pid: int) -> LogEntry:
    call = sample.call
    return LogEntry(
        time_ns=sample.time_ns,
        pid=call.pid or fallback_pid,
        name=call.name,
        args=escape_text(call.args),
        ret=escape_text(call.ret),
        error=call.errno,
        duration_ns=call.duration_ns,
        waited=None if call.duration_ns is None else has_waited(call.name, call.duration_ns),
        object=sample.object,
    )


def _failure(sample: CallSample, fallback_pid: int) -> Failure:
    call = sample.call
    return Failure(
        time_ns=sample.time_ns,
        pid=call.pid or fallback_pid,
        errno=call.errno,
        args=escape_text(call.args),
    )
