"""The reader: what has been counted since it last looked, as a delta."""

import ctypes
import os
import signal
import time
from collections.abc import Iterator, Mapping
from mmap import mmap

import attrs

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.messages import TraceOptions
from syswatch.model.process import ProcessTally
from syswatch.model.times import SECOND_NS
from syswatch.model.window import Moment, Window
from syswatch.tracer.collector import cut
from syswatch.tracer.errnos import errno_name
from syswatch.tracer.redaction import Redactor
from syswatch.tracer.text import printable

from . import layout
from .calls import Call, describe
from .program import RECORDS, Program
from .samples import Samples

_SUMS = ctypes.sizeof(layout.Sums) // 8
_HISTOGRAM = 4 * layout.BUCKETS
_ERRORS = 4 * layout.ERRORS
_RECORD = ctypes.sizeof(layout.Process)
_OCTAVE = 16
_WRAP = 1 << 32
_BATCH = 1024
_NO_ENTRY = -2


@attrs.define
class _Row:
    """What was read of one call before."""

    call: Call
    sums: tuple[int, ...] = (0,) * _SUMS
    histograms: dict[int, bytes] = attrs.field(factory=dict)
    errors: bytes = bytes(_ERRORS)


@attrs.define
class Reader:
    """Compares the maps with what they held before."""

    program: Program
    options: TraceOptions
    endings: dict[int, int] = attrs.field(factory=dict, init=False)
    _samples: Samples = attrs.field(init=False)
    _rows: dict[int, _Row] = attrs.field(factory=dict, init=False)
    _records: dict[int, bytes] = attrs.field(factory=dict, init=False)
    _paths: dict[bytes, int] = attrs.field(factory=dict, init=False)
    redact: Redactor = attrs.field(init=False)
    _ledger: Ledger = attrs.field(factory=Ledger, init=False)
    # Records above this one have never been used.
    _highest: int = attrs.field(default=0, init=False)
    _began_ns: int = attrs.field(factory=time.time_ns, init=False)
    _interval_ns: int = attrs.field(factory=time.time_ns, init=False)
    _seen: mmap = attrs.field(init=False)
    _sums: "memoryview[int]" = attrs.field(init=False)
    _histograms: mmap = attrs.field(init=False)
    _errors: mmap = attrs.field(init=False)
    _processes: mmap = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map what is read into our memory."""
        program = self.program
        self._samples = Samples(program, self.options)
        self.redact = Redactor(self.options.redact)
        self._seen = program.mapped("seen", 8 * layout.CALLS)
        self._sums = memoryview(
            program.mapped("sums", program.cpus * layout.CALLS * _SUMS * 8)
        ).cast("Q")
        self._histograms = program.mapped("histograms", program.shards * layout.CALLS * _HISTOGRAM)
        self._errors = program.mapped("errors", layout.CALLS * _ERRORS)
        self._processes = program.mapped("processes", RECORDS * _RECORD)

    def new_record(self, pid: int, parent: int, comm: str) -> int:
        """Make the record of a process that was named from outside."""
        self._highest += 1
        record = layout.Process.from_buffer(self._processes, self._highest * _RECORD)
        record.pid, record.parent, record.comm = pid, parent, os.fsencode(comm)[: layout.COMM - 1]
        record.state = layout.ALIVE
        return self._highest

    def offer_records(self) -> None:
        """Let the program have all other records, the low ones first."""
        for number in range(RECORDS - 1, self._highest, -1):
            self.program.vacate(number)

    def read(self, *, paths: bool) -> Delta:
        """Return what is new; `paths` are dear, so they are not read each time."""
        now_ns = time.time_ns()
        self._samples.read(now_ns - time.monotonic_ns())
        calls = dict(self._calls())
        log, self._samples.log = self._samples.log, []
        failures = dict(self._samples.failures)
        self._samples.failures.clear()
        ledger = self._new_in_ledger(sum(tally.count for tally in calls.values()) - len(log))
        second = self._interval_ns // SECOND_NS
        self._interval_ns = now_ns
        return Delta(
            calls=calls,
            processes=dict(self._process_tallies()),
            paths=self._new_paths() if paths else {},
            failures={name: tuple(samples) for name, samples in failures.items()},
            log=tuple(log),
            window=_window(second, calls),
            span=Span(self._began_ns, now_ns),
            ledger=ledger,
        )

    def close(self) -> None:
        """Give back what the kernel holds for us."""
        self._samples.close()

    def _calls(self) -> Iterator[tuple[str, CallTally]]:
        for number in range(layout.CALLS):
            # Of a map that is mapped, every entry begins at a multiple of eight bytes.
            if not self._seen[number * 8]:
                continue
            row = self._rows.get(number)
            if row is None:
                row = self._rows[number] = _Row(describe(number))
            tally = self._tally(number, row)
            if tally is not None:
                yield row.call.name, tally

    def _tally(self, number: int, row: _Row) -> CallTally | None:
        each = [
            tuple(self._sums[at : at + _SUMS])
            for cpu in range(self.program.cpus)
            for at in ((cpu * layout.CALLS + number) * _SUMS,)
        ]
        columns = list(zip(*each, strict=True))
        timed, count, errors, total_ns = map(sum, columns[:4])
        before, row.sums = row.sums, (timed, count, errors, total_ns)
        if count == before[1] and timed == before[0]:
            return None
        measured = [values for values in each if values[0]]
        return CallTally(
            count=count - before[1],
            errors=errors - before[2],
            total_ns=total_ns - before[3],
            min_ns=min((values[4] for values in measured), default=0),
            max_ns=max((values[5] for values in measured), default=0),
            histogram=Histogram(self._new_in_histogram(number, row)),
            errnos=self._new_errors(number, row) if errors != before[2] else {},
        )

    def _new_in_histogram(self, number: int, row: _Row) -> dict[int, int]:
        counts: dict[int, int] = {}
        for shard in range(self.program.shards):
            at = (shard * layout.CALLS + number) * _HISTOGRAM
            now, before = self._histograms[at : at + _HISTOGRAM], row.histograms.get(shard)
            if before is None:
                before = bytes(_HISTOGRAM)
            row.histograms[shard] = now
            for bucket, more in _differences(before, now):
                counts[bucket] = counts.get(bucket, 0) + more
        return counts

    def _new_errors(self, number: int, row: _Row) -> dict[str, int]:
        at = number * _ERRORS
        before, row.errors = row.errors, self._errors[at : at + _ERRORS]
        return {_error_name(place): more for place, more in _differences(before, row.errors)}

    def _process_tallies(self) -> Iterator[tuple[int, ProcessTally]]:
        number = 0
        while (number := number + 1) < RECORDS:
            at = number * _RECORD
            data = self._processes[at : at + _RECORD]
            state = data[24]
            if state == layout.FREE:
                if number > self._highest:
                    return
                continue
            self._highest = max(self._highest, number)
            is_new = number not in self._records
            before = self._records.get(number, bytes(_RECORD))
            if data == before:
                continue
            self._records[number] = data
            new, old = (layout.Process.from_buffer_copy(record) for record in (data, before))
            ending = ""
            if state == layout.ENDED:
                ending = _ending(new.ending)
                self.endings[new.pid] = new.ending
                self._reuse(number)
            yield (
                new.pid,
                ProcessTally(
                    parent=new.parent,
                    comm=self.redact(printable(new.comm)),
                    count=new.count - old.count,
                    errors=new.errors - old.errors,
                    total_ns=new.total_ns - old.total_ns,
                    ending=ending,
                    is_new=is_new,
                ),
            )

    def _reuse(self, number: int) -> None:
        del self._records[number]
        self._processes[number * _RECORD : (number + 1) * _RECORD] = bytes(_RECORD)
        self.program.vacate(number)

    def _new_paths(self) -> Mapping[str, int]:
        new: dict[str, int] = {}
        for name, size in (("short_paths", layout.SHORT_PATH), ("long_paths", layout.LONG_PATH)):
            for key, count in self._entries(name, size):
                before = self._paths.get(key, 0)
                if count != before:
                    self._paths[key] = count
                    path = cut(self.redact(printable(key)))
                    new[path] = new.get(path, 0) + count - before
        return new

    def _entries(self, name: str, size: int) -> Iterator[tuple[bytes, int]]:
        library, descriptor = self.program.library, self.program.fd(name)
        keys = ctypes.create_string_buffer(size * _BATCH)
        counts = (ctypes.c_uint64 * _BATCH)()
        position, onward = ctypes.create_string_buffer(size), None
        found = ctypes.c_uint32()
        result = 0
        while result == 0:
            found.value = _BATCH
            result = library.bpf_map_lookup_batch(
                descriptor, onward, position, keys, counts, ctypes.byref(found), None
            )
            if result not in {0, _NO_ENTRY}:
                return
            onward = position
            raw = keys.raw
            for index in range(found.value):
                yield raw[index * size : (index + 1) * size].partition(b"\0")[0], counts[index]

    def _new_in_ledger(self, unshown: int) -> Ledger:
        totals, before = self.program.totals, self._ledger
        self._ledger = Ledger(
            untracked_paths=totals.uncounted_paths,
            untracked_processes=totals.crowded,
            unfollowed_processes=totals.unfollowed,
            untimed_calls=totals.untimed,
        )
        news = zip(attrs.astuple(self._ledger), attrs.astuple(before), strict=True)
        return attrs.evolve(
            Ledger(*(now - then for now, then in news)), sampled_entries=max(unshown, 0)
        )


def _differences(before: bytes, now: bytes) -> Iterator[tuple[int, int]]:
    """Yield where counts have grown, and by how much; most of them have not."""
    if before == now:
        return
    step = 4 * _OCTAVE
    for at in range(0, len(now), step):
        if before[at : at + step] == now[at : at + step]:
            continue
        old, new = (memoryview(data[at : at + step]).cast("I") for data in (before, now))
        for place, (then, count) in enumerate(zip(old, new, strict=True), at // 4):
            if count != then:
                yield place, (count - then) % _WRAP


def _error_name(place: int) -> str:
    if place < layout.PLAIN_ERRORS:
        return errno_name(-place)
    if place < layout.ERRORS - 1:
        return errno_name(-(place - layout.PLAIN_ERRORS + layout.FIRST_RESTART))
    return "OTHER"


def _ending(status: int) -> str:
    code = os.waitstatus_to_exitcode(status & 0xFFFF)
    if code >= 0:
        return f"exited with {code}"
    return f"killed by {signal_name(-code)}"


def signal_name(number: int) -> str:
    """Return the name of a signal; those for real time have numbers only."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _window(second: int, calls: Mapping[str, CallTally]) -> Window:
    moments = {name: Moment(t.count, t.errors, t.total_ns) for name, t in calls.items()}
    return Window({second: moments} if moments else {})
