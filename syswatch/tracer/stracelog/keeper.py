"""Keeps the newest calls and failures of a log, as lines, until somebody wants to read them."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import attrs

from syswatch.model.delta import ODD_LINES, Delta, Span
from syswatch.model.entries import ARGUMENT_BYTES, FAILURE_SAMPLES, LOG_ENTRIES, Failure, LogEntry
from syswatch.model.reading import Reading
from syswatch.model.times import SECOND_NS
from syswatch.tracer.text import printable, shortened

from .clock import moment
from .dialect import Row
from .grammar import Call, parse_line

_ODD_LINE_BYTES = 400
# Hundreds of lines wait to be parsed; a longer one waits in a shorter form.
_LONG_LINE_BYTES = 2 * ARGUMENT_BYTES


@attrs.frozen
class Kept:
    """A whole call, its moment, and the number of the line that ended it."""

    call: Call
    moment_ns: int | None
    place: int = 0

    def shifted(self, seconds: int) -> "Kept":
        """Move it in time."""
        if self.moment_ns is None:
            return self
        return attrs.evolve(self, moment_ns=self.moment_ns + seconds * SECOND_NS)


@attrs.frozen
class KeptLine:
    """A line that is known to be a whole call, and what its time of day counts from."""

    line: bytes
    origin_s: int
    place: int = 0

    def shifted(self, seconds: int) -> "KeptLine":
        """Move it in time."""
        return attrs.evolve(self, origin_s=self.origin_s + seconds)

    def parse(self) -> Kept:
        """Parse the line, which was only counted until now."""
        call = parse_line(self.line)
        if not isinstance(call, Call):
            raise TypeError(f"counted as a call, parsed as {type(call).__name__}: {self.line!r}")
        return Kept(call, moment(call.time, self.origin_s), self.place)


@attrs.frozen
class Newest:
    """The newest calls, and the newest failures of each name, in the order of their lines."""

    log: tuple[Kept | KeptLine, ...] = ()
    failures: Mapping[str, tuple[Kept | KeptLine, ...]] = attrs.field(factory=dict)

    def shifted(self, seconds: int) -> "Newest":
        """Move everything in time."""
        return Newest(
            tuple(kept.shifted(seconds) for kept in self.log),
            {
                name: tuple(kept.shifted(seconds) for kept in samples)
                for name, samples in self.failures.items()
            },
        )

    def with_calls(self, calls: Sequence[Kept]) -> "Newest":
        """Put calls where their lines are."""
        failures: dict[str, Sequence[Kept | KeptLine]] = dict(self.failures)
        for kept in calls:
            if kept.call.errno:
                failures[kept.call.name] = (*failures.get(kept.call.name, ()), kept)
        return Newest(
            _by_place((*self.log, *calls)),
            {name: _by_place(samples) for name, samples in failures.items()},
        )


@attrs.define
class Keeper:
    """What a delta shows of single lines."""

    _log: deque[Kept | KeptLine] = attrs.field(factory=lambda: deque(maxlen=LOG_ENTRIES))
    _failures: dict[str, deque[Kept | KeptLine]] = attrs.field(
        factory=lambda: defaultdict(lambda: deque(maxlen=FAILURE_SAMPLES))
    )
    _odd_lines: list[str] = attrs.field(factory=list)
    _reading: Reading = attrs.field(factory=Reading)
    _span: Span | None = None

    def pass_moment(self, moment_ns: int | None) -> None:
        """Note a moment that a line is dated with."""
        if moment_ns is None:
            return
        here = Span(moment_ns, moment_ns)
        self._span = here if self._span is None else self._span + here

    def read(self, reading: Reading) -> None:
        """Note how much was read."""
        self._reading += reading

    def odd(self, line: bytes) -> None:
        """Keep the first few lines that nobody understands."""
        if len(self._odd_lines) < ODD_LINES:
            self._odd_lines.append(printable(line[:_ODD_LINE_BYTES]))

    def keep(self, kept: Kept) -> None:
        """Keep a call that has been parsed."""
        kept = _short(kept)
        self._log.append(kept)
        if kept.call.errno:
            self._failures[kept.call.name].append(kept)

    def keep_newest(
        self,
        rows: Sequence[Row],
        lines: Sequence[bytes],
        unusual: Mapping[int, Kept | None],
        origin_s: int,
        place: int,
    ) -> None:
        """
        Keep the newest of many lines, the first of which is at `place`.

        `unusual` holds the parsed ones by their index.
        """

        def kept(index: int) -> Kept | KeptLine | None:
            if index in unusual:
                call = unusual[index]
                return _short(call) if call else None
            line = KeptLine(lines[index], origin_s, place + index)
            return line if len(line.line) <= _LONG_LINE_BYTES else _short(line.parse())

        newest_first = _calls(map(kept, range(len(rows) - 1, -1, -1)))
        self._log.extend(reversed(list(islice(newest_first, LOG_ENTRIES))))
        for name, indexes in _newest_failures(rows, unusual).items():
            self._failures[name].extend(_calls(map(kept, reversed(indexes))))

    def newest(self) -> Newest:
        """Return what was kept, for the keeper of the whole log."""
        failures = {name: tuple(samples) for name, samples in self._failures.items()}
        return Newest(tuple(self._log), failures)

    def take_in(self, newest: Newest) -> None:
        """Keep what the keeper of a part has kept."""
        self._log.extend(newest.log)
        for name, samples in newest.failures.items():
            self._failures[name].extend(samples)

    def sums_only(self, sums: Delta) -> Delta:
        """Add to the sums what is no sample."""
        return attrs.evolve(
            sums, span=self._span, reading=self._reading, odd_lines=tuple(self._odd_lines)
        )

    def complete(self, sums: Delta, fallback_pid: int) -> Delta:
        """Add to the sums what was kept."""
        return attrs.evolve(
            self.sums_only(sums),
            log=tuple(_log_entry(_parsed(kept), fallback_pid) for kept in self._log),
            failures={
                name: tuple(_failure(_parsed(kept), fallback_pid) for kept in samples)
                for name, samples in self._failures.items()
            },
        )


def _newest_failures(
    rows: Sequence[Row], unusual: Mapping[int, Kept | None]
) -> Mapping[str, list[int]]:
    """Return where the newest failures of each name are, the newest first."""
    failed = [index for index, row in enumerate(rows) if row[4]]
    failed += [index for index, kept in unusual.items() if kept and kept.call.errno]
    failed.sort(reverse=True)
    newest: dict[str, list[int]] = defaultdict(list)
    for index in failed:
        kept = unusual.get(index)
        indexes = newest[kept.call.name if kept else rows[index][2].decode()]
        if len(indexes) < FAILURE_SAMPLES:
            indexes.append(index)
    return newest


def _by_place(kept: Sequence[Kept | KeptLine]) -> tuple[Kept | KeptLine, ...]:
    return tuple(sorted(kept, key=lambda each: each.place))


def _calls(kept: Iterable[Kept | KeptLine | None]) -> Iterator[Kept | KeptLine]:
    return (each for each in kept if each is not None)


def _parsed(kept: Kept | KeptLine) -> Kept:
    return _short(kept.parse()) if isinstance(kept, KeptLine) else kept


def _short(kept: Kept) -> Kept:
    call = kept.call
    if len(call.args) <= ARGUMENT_BYTES and len(call.ret) <= ARGUMENT_BYTES:
        return kept
    args, ret = shortened(call.args, ARGUMENT_BYTES), shortened(call.ret, ARGUMENT_BYTES)
    return attrs.evolve(kept, call=attrs.evolve(call, args=args, ret=ret))


def _log_entry(kept: Kept, fallback_pid: int) -> LogEntry:
    call = kept.call
    return LogEntry(
        time_ns=kept.moment_ns,
        pid=call.pid or fallback_pid,
        name=call.name,
        args=printable(call.args),
        ret=printable(call.ret),
        error=call.errno,
    )


def _failure(kept: Kept, fallback_pid: int) -> Failure:
    call = kept.call
    return Failure(
        time_ns=kept.moment_ns,
        pid=call.pid or fallback_pid,
        errno=call.errno,
        args=printable(call.args),
    )
