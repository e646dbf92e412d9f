"""Keeps the newest calls and failures of a log, as lines, until somebody wants to read them."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from syswatch.base.text import inert
from syswatch.model.delta import ODD_LINES, Delta, Span
from syswatch.model.entries import FAILURE_SAMPLES, LOG_ENTRIES, Failure, LogEntry
from syswatch.model.ledger import Reading

from .filter import LogFilter
from .line_format import Row
from .samples import CallSample, LineBatch, LineSample, Samples

_ODD_LINE = 400


@attrs.define
class SampleBuffer:
    """What a delta shows of single lines."""

    _filter: LogFilter = attrs.field(factory=LogFilter)
    _log: deque[CallSample | LineSample] = attrs.field(factory=lambda: deque(maxlen=LOG_ENTRIES))
    _failures: dict[str, deque[CallSample | LineSample]] = attrs.field(
        factory=lambda: defaultdict(lambda: deque(maxlen=FAILURE_SAMPLES))
    )
    _latest: LineBatch | None = None
    _odd_lines: list[str] = attrs.field(factory=list)
    size: int = 0
    lines: int = 0
    records: int = 0
    halves: int = 0
    notes: int = 0
    _span: Span | None = None

    def note_time(self, time_ns: int | None) -> None:
        """Note a moment that a line is dated with."""
        if time_ns is None:
            return
        here = Span(time_ns, time_ns)
        self._span = here if self._span is None else self._span + here

    def odd(self, line: bytes) -> None:
        """Keep the first few lines that nobody understands."""
        if len(self._odd_lines) < ODD_LINES:
            self._odd_lines.append(self._filter.text(line)[:_ODD_LINE])

    def take_in_odd(self, lines: Sequence[str]) -> None:
        """Keep the odd lines of a part behind those of the parts before it."""
        self._odd_lines = [*self._odd_lines, *lines][:ODD_LINES]

    def keep(self, kept: CallSample) -> None:
        """Keep a call that has been parsed."""
        self._settle()
        self._log.append(kept)
        if kept.call.errno:
            self._failures[kept.call.name].append(kept)

    def keep_newest(self, batch: LineBatch, rows: Sequence[Row]) -> None:
        """Keep the newest of many lines, of each of which there is a row."""
        if batch.holds(LOG_ENTRIES):
            # Whatever was kept before is older.
            self._log.clear()
        else:
            self._settle()
        self._latest = batch
        for name, indexes in _newest_failures(rows, batch.unusual).items():
            self._failures[name].extend(self._shortened(map(batch.kept, reversed(indexes))))

    def newest(self) -> Samples:
        """Return what was kept, for the samples of the whole log."""
        self._settle()
        failures = {name: tuple(samples) for name, samples in self._failures.items()}
        return Samples(tuple(self._log), failures)

    def take_in(self, newest: Samples) -> None:
        """Keep what the samples of a part has kept."""
        self._settle()
        self._log.extend(newest.log)
        for name, samples in newest.failures.items():
            self._failures[name].extend(samples)

    def sums_only(self, sums: Delta) -> Delta:
        """Add to the sums what is no sample."""
        reading = Reading(self.size, self.lines, self.records, self.halves, self.notes)
        return attrs.evolve(
            sums, span=self._span, reading=reading, odd_lines=tuple(self._odd_lines)
        )

    def complete(self, sums: Delta, fallback_pid: int) -> Delta:
        """Add to the sums what was kept."""
        self._settle()
        return attrs.evolve(
            self.sums_only(sums),
            log=tuple(_log_entry(self._parsed(kept), fallback_pid) for kept in self._log),
            failures={
                name: tuple(_failure(self._parsed(kept), fallback_pid) for kept in samples)
                for name, samples in self._failures.items()
            },
        )

    def _settle(self) -> None:
        """Take the newest lines out of their batch: of most batches none will be among them."""
        if self._latest is not None:
            self._log.extend(self._shortened(self._latest.newest(LOG_ENTRIES)))
            self._latest = None

    def _shortened(
        self, calls: Iterable[CallSample | LineSample | None]
    ) -> Iterator[CallSample | LineSample]:
        for kept in calls:
            if kept is not None:
                is_long = isinstance(kept, LineSample) and kept.is_long
                yield self._parsed(kept) if is_long else kept

    def _parsed(self, kept: CallSample | LineSample) -> CallSample:
        return kept if isinstance(kept, CallSample) else kept.parse(self._filter.shown)


def _newest_failures(
    rows: Sequence[Row], unusual: Mapping[int, CallSample | LineSample | None]
) -> Mapping[str, list[int]]:
    """Return where the newest failures of each name are, the newest first."""
    failed = {index for index, row in enumerate(rows) if row[5]}
    failed |= {
        index for index, kept in unusual.items() if isinstance(kept, CallSample) and kept.call.errno
    }
    # What became of these is known only together with the parts before.
    failed -= {index for index, kept in unusual.items() if kept is None}
    newest: dict[bytes, list[int]] = defaultdict(list)
    for index in sorted(failed, reverse=True):
        kept, row = unusual.get(index), rows[index]
        indexes = newest[
            kept.call.name.encode() if isinstance(kept, CallSample) else row[2] or row[4]
        ]
        if len(indexes) < FAILURE_SAMPLES:
            indexes.append(index)
    return {name.decode(): indexes for name, indexes in newest.items()}


def _log_entry(kept: CallSample, fallback_pid: int) -> LogEntry:
    call = kept.call
    return LogEntry(
        time_ns=kept.time_ns,
        pid=call.pid or fallback_pid,
        name=call.name,
        args=inert(call.args),
        ret=inert(call.ret),
        error=call.errno,
    )


def _failure(kept: CallSample, fallback_pid: int) -> Failure:
    call = kept.call
    return Failure(
        time_ns=kept.time_ns,
        pid=call.pid or fallback_pid,
        errno=call.errno,
        args=inert(call.args),
    )
